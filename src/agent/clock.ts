/** The time of day, for what people and the service read. Durations are measured by `StageClock`. */
export function timestamp(): string {
  // oxlint-disable-next-line house/clock -- the one place of the agent that reads the clock
  return new Date().toISOString();
}

/** Nanoseconds of a clock that never goes back. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}
