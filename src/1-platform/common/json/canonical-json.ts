import { createHash } from 'node:crypto';
import { isJsonObject } from './json';

/**
 * One text for all equal JSON values: members sorted by name, no white space, and the received digits of
 * numbers. Libraries for this print numbers as JavaScript does, which loses digits.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, hexadecimal. */
export const jsonDigest = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
