import { isDeepStrictEqual } from 'node:util';

/** A value in a sentence; a longer one is cut. */
const MAX_SHOWN = 100;

/**
 * Why a change is refused whose caller knows another state than the one that is stored: it would take back
 * what somebody else has changed since. The row is locked.
 *
 * @param expected what the caller knows; undefined members are not compared
 * @param stored has each member that may be expected
 * @returns a sentence about it; undefined if all of it is as expected
 */
export function differenceOf<T extends object>(
  what: string,
  expected: { readonly [Name in keyof T]?: T[Name] | undefined },
  stored: T,
): string | undefined {
  const different = (Object.keys(stored) as (keyof T & string)[])
    .filter((name) => expected[name] !== undefined && !isDeepStrictEqual(expected[name], stored[name]))
    .map((name) => `${name} is ${shown(stored[name])}, and not ${shown(expected[name])}`);
  if (different.length === 0) return undefined;
  return `${what} was changed meanwhile: ${different.join('; ')}. Nothing of this change was done.`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}
