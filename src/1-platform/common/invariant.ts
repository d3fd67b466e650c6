/** For what cannot happen unless this service has a defect; what a caller can cause is a `Problem`. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}
