/** Of when operations are listed, by the clock of the browser. */
export interface Span {
  /** Windows of time end here, such as the last hour. */
  readonly opened: number;
  /** What began later waits until the user asks for it: rows never move while they are read. */
  readonly until: number;
}

const FARTHEST_MS = 86_400_000;

/**
 * Clocks of nodes may be ahead of that of the browser, but not by more than a day: what begins later is
 * neither listed nor announced as new, or one wrong clock would hide from then on that others are new.
 */
export const farthestAt = (time: number): number => time + FARTHEST_MS;

/** @param newest the end of the list where it is later than the present: it never goes back */
export const spanAt = (time: number, newest = time): Span => ({
  opened: time,
  until: Math.min(Math.max(time, newest), farthestAt(time)),
});

/** Goes on to the newest of these rows. */
export const spanWith = (rows: readonly { readonly started_at_ms: number }[], time: number, { until }: Span): Span =>
  spanAt(time, Math.max(until, ...rows.map(({ started_at_ms: at }) => at + 1)));
