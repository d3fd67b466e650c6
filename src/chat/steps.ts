import { nextSlice, sliceIsOver } from '../common/slices';

/** Work that yields between its steps, none of which takes long. */
export type Steps<Result> = Generator<void, Result>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Gives way to other work between the steps. */
export async function stepsInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    if (sliceIsOver()) await nextSlice();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
