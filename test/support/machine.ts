/**
 * Rounds of the measured work, which take `NOMINAL_MS` on an
 * idle machine like the one that bounds were set on.
 */
const ROUNDS = 920_000;
const NOMINAL_MS = 1;
const MEASURED_FOR_MS = 100;
/** A machine that is slower than this cannot run the tests; a larger figure is a fault of the measurement. */
const SLOWEST = 8;
/**
 * Not by its global name: jest looks that up in a sandbox, which takes longer than the work that is measured.
 */
const { imul } = Math;

/**
 * How many times longer work takes here and now than on that machine; at least 1, at most `SLOWEST`. It is
 * the mean, because a process that shares its cores with others stands still now and then.
 */
export function slowness(): number {
  const began = performance.now();
  let times = 0;
  let state = 1;
  do {
    for (let round = 0; round < ROUNDS; round++) state = (imul(state, 1_664_525) + 1_013_904_223) | 0;
    times += 1;
  } while (performance.now() - began < MEASURED_FOR_MS || state === 0.5);
  return Math.min(SLOWEST, Math.max(1, (performance.now() - began) / times / NOMINAL_MS));
}

/** A bound that the service keeps on an idle machine, as much longer as this one is slower. */
export const onThisMachine = (boundMs: number): number => boundMs * slowness();
