/** The members of an object of any form; none of anything else. */
export const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** A text in an object of any form. */
export function memberOf(value: unknown, name: string): string | undefined {
  const member = members(value)[name];
  return typeof member === 'string' && member !== '' ? member : undefined;
}
