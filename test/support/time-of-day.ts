/** Seconds of the clock that files have. `performance` may be ahead of it, by what an earlier spec passed. */
export const secondsOfDay = (): number => Date.now() / 1_000;
