/**
 * Long work in slices. One process answers everybody, so long work yields after a few milliseconds: in each
 * turn of the event loop all sliced work together gets one slice, and everything else is served in between.
 * Work that holds a transaction open goes first: its locked rows block others, and the server ends a
 * transaction that pauses for too long.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds per slice. The longest step between two checks adds to it, so keep steps small. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];
const waitingFirst: (() => void)[] = [];
const first = new AsyncLocalStorage<true>();
let isOpen = false;
let endsAt = 0;

function open(): void {
  isOpen = true;
  endsAt = performance.now() + SLICE_MS;
  setImmediate(close);
}

function close(): void {
  isOpen = false;
  const next = waitingFirst.shift() ?? waiting.shift();
  if (next === undefined) return;
  open();
  next();
}

/** Whether the slice of this turn is used up: then `await nextSlice()` before further work. */
export function sliceIsOver(): boolean {
  if (!isOpen) open();
  return performance.now() >= endsAt;
}

/** Resolves in the caller's next turn. Callers are served in order, those of `goFirst` before all others. */
export function nextSlice(): Promise<void> {
  if (!isOpen) open();
  return new Promise((resolve) => {
    (first.getStore() ? waitingFirst : waiting).push(resolve);
  });
}

/**
 * Gives the slices of this work priority over other work. Only few may do that at the same time, and not for
 * long.
 */
export const goFirst = <T>(work: () => T): T => first.run(true, work);

/** Runs a step for each item, in order, in slices. The items must not change meanwhile. */
export async function inSlices<Item>(items: Iterable<Item>, step: (item: Item, index: number) => void): Promise<void> {
  let index = 0;
  for (const item of items) {
    if (sliceIsOver()) await nextSlice();
    step(item, index++);
  }
}

/** Like `items.map(step)`, in slices. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  step: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await inSlices(items, (item, index) => {
    results.push(step(item, index));
  });
  return results;
}

/** Work that can pause between its steps, none of which takes long. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps without a pause: for input that is known to be small. */
export function stepsAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs all steps, in slices. */
export async function stepsInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (sliceIsOver()) await nextSlice();
  }
}
