/** For what only a defect of this service can cause; what a caller can cause is a `Problem`. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}
