const now = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Moves the process's monotonic clock forward, so that what is remembered for a while is forgotten. Timers
 * that are already set do not fire earlier. The clock stays ahead after the spec file, because it must never
 * go back.
 */
export function passTime(milliseconds: number): void {
  aheadMs += milliseconds;
  performance.now = () => now() + aheadMs;
}
