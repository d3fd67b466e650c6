/**
 * Rounds of the measured work. They take `NOMINAL_MS` on an idle machine like the one on which the bounds
 * were set.
 */
const ROUNDS = 920_000;
const NOMINAL_MS = 1;
const MEASURED_FOR_MS = 100;
/** A slower machine cannot run the tests; a higher figure is a measuring error. */
const SLOWEST = 8;
/**
 * Imported, because jest looks its global name up in a sandbox, which takes longer than the measured work.
 */
const { imul } = Math;

/** A measurement takes a core for its time, so that several checks in a row share one. */
const SHARED_FOR_MS = 1_000;
let last = { at: -Infinity, slowness: 1 };

/**
 * How much slower this machine is at the moment than the reference machine: at least 1, at most `SLOWEST`. It
 * is a mean, because a process that shares its cores is paused now and then.
 */
export function slowness(): number {
  const began = performance.now();
  if (began - last.at < SHARED_FOR_MS) return last.slowness;
  let times = 0;
  let state = 1;
  do {
    for (let round = 0; round < ROUNDS; round++) state = (imul(state, 1_664_525) + 1_013_904_223) | 0;
    times += 1;
  } while (performance.now() - began < MEASURED_FOR_MS || state === 0.5);
  const at = performance.now();
  last = { at, slowness: Math.min(SLOWEST, Math.max(1, (at - began) / times / NOMINAL_MS)) };
  return last.slowness;
}

/** Extends a time limit that holds on an idle machine by the slowness of this one. */
export const onThisMachine = (boundMs: number): number => boundMs * slowness();
