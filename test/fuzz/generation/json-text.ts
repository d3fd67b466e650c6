/** A JSON value, in which some parts may be texts that `JSON.stringify` never prints. */
export type Json = null | boolean | number | string | RawText | Json[] | { [member: string]: Json };

/** Printed as it is: an integer beyond 2^53, a lone surrogate, an object with one name twice. */
export class RawText {
  constructor(readonly text: string) {}
}

export const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawText);

export function print(value: Json): string {
  if (value instanceof RawText) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${print(member)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}

/** The steps from a value to one of its parts. */
export type Place = readonly (string | number)[];

const childrenOf = (value: Json): [string | number, Json][] =>
  Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];

/** Where the parts of a value are, itself first. */
export function placesIn(value: Json): Place[] {
  const below = childrenOf(value).flatMap(([step, child]) => placesIn(child).map((place) => [step, ...place]));
  return [[], ...below];
}

/** Stands for a member or an element that is left out. */
export const LEFT_OUT = Symbol('left out');

/** A copy in which one part is another. */
export function replaced(
  value: Json,
  [step, ...rest]: Place,
  by: (part: Json) => Json | typeof LEFT_OUT,
): Json | typeof LEFT_OUT {
  if (step === undefined) return by(value);
  const entries = childrenOf(value).map(
    ([name, child]) => [name, String(name) === String(step) ? replaced(child, rest, by) : child] as const,
  );
  const kept = entries.filter((entry): entry is readonly [string | number, Json] => entry[1] !== LEFT_OUT);
  if (Array.isArray(value)) return kept.map(([, child]) => child);
  // Not by assignment: `__proto__` is a member like others.
  return Object.fromEntries(kept) as Record<string, Json>;
}
