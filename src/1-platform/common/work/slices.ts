/**
 * Long work in slices. One process answers everybody, so work that may take long gives way after a few
 * milliseconds: in each turn of the event loop all sliced work together gets one slice, and everything else
 * is served between two turns. Work that holds a transaction open goes first: the rows that it has locked
 * keep others waiting, and the server ends a transaction that pauses for too long.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds of one slice. The longest step between two checks adds to it: keep the steps small. */
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

/** Whether the slice of this turn is used up: then `await nextSlice()` before any further work. */
export function sliceIsOver(): boolean {
  if (!isOpen) open();
  return performance.now() >= endsAt;
}

/**
 * Resolves when it is the caller's turn again. Callers take turns in the order in
 * which they came, those of `goFirst` before all others.
 */
export function nextSlice(): Promise<void> {
  if (!isOpen) open();
  return new Promise((resolve) => {
    (first.getStore() ? waitingFirst : waiting).push(resolve);
  });
}

/**
 * Lets all slices that the work waits for come before those of other work.
 * Few may do that at the same time, and none for long.
 */
export const goFirst = <T>(work: () => T): T => first.run(true, work);

/** Does a step for each item, in order, in slices. The items must not change meanwhile. */
export async function inSlices<Item>(items: Iterable<Item>, step: (item: Item, index: number) => void): Promise<void> {
  let index = 0;
  for (const item of items) {
    if (sliceIsOver()) await nextSlice();
    step(item, index++);
  }
}

/** As `items.map(step)`, in slices. */
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

/** Work that pauses between its steps, none of which takes long. */
export type Steps<Result> = Generator<void, Result>;

/** Does all steps without a pause: for input that is known to be small. */
export function stepsAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does all steps, in slices. */
export async function stepsInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (sliceIsOver()) await nextSlice();
  }
}
