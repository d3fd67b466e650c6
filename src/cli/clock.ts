/** Milliseconds since 1970, for ages and for names that must not repeat. */
export function nowMs(): number {
  // oxlint-disable-next-line house/clock -- the one place of this program that reads the clock
  return Date.now();
}
