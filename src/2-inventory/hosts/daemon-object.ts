/**
 * Objects as the daemons of plain hosts write them: capitalised names, no members that are zero, and unknown
 * members at every level. A class declares the known members once, for the API description and for the
 * reader. The reader refuses a known member of a wrong type and keeps everything else as received.
 */
import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ApiProperty } from '../../1-platform/common/described';
import { isJsonObject, type JsonObject } from '../../1-platform/common/json/json';
import { invalid, invalidField, type FieldFault } from '../../1-platform/common/answers/problem';

/** Longest id of a host, job or checkpoint; ids are keys of indexes. */
export const MAX_ID_LENGTH = 253;

/** Maximum size of an object as JSON text, because it is stored and listed. */
export const MAX_OBJECT_BYTES = 256 * 1024;

/** Reads a value for storage, and adds its errors to the faults. */
type Reader = (value: unknown, at: string, faults: FieldFault[]) => unknown;

interface Member {
  readonly read: Reader;
  /** The value of a missing member; undefined: none. */
  readonly zero?: unknown;
  /** Whether null is a value of its own, different from missing. */
  readonly holdsNull?: boolean;
}

interface MemberOptions {
  /** Whether every answer has the member, with zero if the daemon omitted it. */
  always?: boolean;
  description?: string;
}

type Class<T extends object = object> = new () => T;

const declared = new WeakMap<object, Map<string, Member>>();

function member(
  schema: ApiPropertyOptions,
  { always = false, ...documented }: MemberOptions,
  known: Member,
): PropertyDecorator {
  const remember: PropertyDecorator = (target, name) => {
    const members = declared.get(target) ?? new Map<string, Member>();
    declared.set(target, members.set(String(name), always ? known : { ...known, zero: undefined }));
  };
  return applyDecorators(ApiProperty({ ...schema, ...documented, required: always } as ApiPropertyOptions), remember);
}

/** Members of a class, including those of the class it extends. */
function membersOf(target: object | null): Map<string, Member> {
  if (target === null) return new Map();
  return new Map([...membersOf(Object.getPrototypeOf(target) as object | null), ...(declared.get(target) ?? [])]);
}

/** A reader that returns the value unchanged. @param check the fault of a value, or undefined */
const checked =
  (check: (value: unknown) => string | undefined): Reader =>
  (value, field, faults) => {
    const message = check(value);
    if (message !== undefined) faults.push({ field, message });
    return value;
  };

const AN_INTEGER = 'must be an integer that a double holds exactly (up to 2^53-1)';

/** @param max in UTF-16 units; by default the size of the whole object */
export function Text({ max = MAX_OBJECT_BYTES, ...options }: MemberOptions & { max?: number } = {}): PropertyDecorator {
  const read = checked((value) => {
    if (typeof value !== 'string') return 'must be a string';
    return value.length > max ? `must have at most ${max} characters` : undefined;
  });
  return member({ type: String }, options, { read, zero: '' });
}

export function Integer(options: MemberOptions = {}): PropertyDecorator {
  const read = checked((value) => (Number.isSafeInteger(value) ? undefined : AN_INTEGER));
  return member({ type: 'integer', format: 'int64' }, options, { read, zero: 0 });
}

export function Flag(options: MemberOptions = {}): PropertyDecorator {
  const read = checked((value) => (typeof value === 'boolean' ? undefined : 'must be true or false'));
  return member({ type: Boolean }, options, { read, zero: false });
}

export function Integers(options: Omit<MemberOptions, 'always'> = {}): PropertyDecorator {
  const read: Reader = (value, field, faults) => {
    const bad = Array.isArray(value) ? value.findIndex((item) => !Number.isSafeInteger(item)) : undefined;
    if (bad === undefined) faults.push({ field, message: 'must be an array' });
    else if (bad >= 0) faults.push({ field: `${field}[${bad}]`, message: AN_INTEGER });
    return value;
  };
  return member({ type: 'array', items: { type: 'integer', format: 'int64' } }, options, { read });
}

/** An object of a class within the object. */
export function Part(type: () => Class, options: Omit<MemberOptions, 'always'> = {}): PropertyDecorator {
  const read: Reader = (value, field, faults) => {
    if (isJsonObject(value)) return kept(type(), value, field, faults);
    faults.push({ field, message: 'must be an object' });
    return value;
  };
  // The generator distinguishes a function that returns a class from a class by its name, which is the
  // member's here.
  return member({ type: () => type() }, options, { read });
}

export const Anything = (options: Omit<MemberOptions, 'always'> = {}): PropertyDecorator =>
  member({ 'x-any': true, type: Object } as ApiPropertyOptions, options, { read: (value) => value, holdsNull: true });

/**
 * Reads a body for storage. Null in a known member counts as missing: the daemons are written in Go, which
 * writes null for an absent list or object, and reads null as zero. Nothing is an instance of the class,
 * because a copy made by a constructor would lose members named `__proto__`.
 */
export function readDaemonObject<T extends object>(type: Class<T>, body: unknown): T {
  if (body === undefined || body === null) throw invalidField('body', 'is required');
  if (!isJsonObject(body)) throw invalidField('body', 'must be a JSON object');
  const faults: FieldFault[] = [];
  const object = kept(type, body, '', faults);
  if (faults.length > 0) throw invalid(faults);
  if (Buffer.byteLength(JSON.stringify(object)) > MAX_OBJECT_BYTES)
    throw invalidField('body', `must be at most ${MAX_OBJECT_BYTES} bytes of JSON`);
  return object as T;
}

function kept(type: Class, received: JsonObject, at: string, faults: FieldFault[]): JsonObject {
  const members = membersOf(type.prototype as object);
  const entries = Object.entries(received).flatMap<[string, unknown]>(([name, value]) => {
    const known = members.get(name);
    if (!known) return [[name, value]];
    if (value === null && !known.holdsNull) return [];
    return [[name, known.read(value, at === '' ? name : `${at}.${name}`, faults)]];
  });
  const present = new Set(entries.map(([name]) => name));
  for (const [name, { zero }] of members) if (zero !== undefined && !present.has(name)) entries.push([name, zero]);
  return Object.fromEntries(entries);
}
