/**
 * One decorator per field. It carries the OpenAPI schema, the validation, and whether the field may be
 * missing or null, for bodies, queries and replies alike. Optional is not nullable: an optional field may be
 * missing, a nullable one may be null, and neither implies the other.
 */
import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ApiExtraModels, ApiProperty, schemaPath } from '../described';
import { declareRule, type Check, type Class, type FieldRule } from './field-rules';
import { isUuid } from '../ids';
import { isJsonObject, isLargerThan, unstorable } from '../json/json';

interface FieldOptions {
  /** May be missing. */
  optional?: boolean;
  /** May be null. */
  nullable?: boolean;
  /**
   * The description requires it, as the published API does, but a body without it, or with null, is accepted.
   */
  lenient?: boolean;
  description?: string;
  example?: unknown;
  deprecated?: boolean;
  default?: unknown;
  /** Further members of its schema. */
  extensions?: Readonly<Record<`x-${string}`, unknown>>;
}

interface QueryFieldOptions extends FieldOptions {
  /** The value travels in the query string and is converted from text. */
  query?: boolean;
}

/** How a field is validated, apart from missing and null. */
type Judged = Omit<FieldRule, 'optional' | 'nullable'>;

function field(schema: ApiPropertyOptions, options: FieldOptions, judged: Check | Judged): PropertyDecorator {
  const { optional = false, nullable = false, lenient = false, description, example, deprecated } = options;
  const documented = {
    ...schema,
    // A schema that lists its own required members uses another name for "this field is required".
    ...('required' in schema && Array.isArray(schema.required) ? { selfRequired: !optional } : { required: !optional }),
    ...(nullable ? { nullable } : {}),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    ...(deprecated ? { deprecated } : {}),
    ...(options.default === undefined ? {} : { default: options.default }),
    ...options.extensions,
  } as ApiPropertyOptions;
  const rule = {
    optional: optional || lenient,
    nullable: nullable || lenient,
    ...(typeof judged === 'function' ? { check: judged } : judged),
  };
  return applyDecorators(ApiProperty(documented), (target: object, key: string | symbol) =>
    declareRule(target, String(key), rule),
  );
}

interface StrOptions extends FieldOptions {
  /** Minimum length, by default 0. */
  min?: number;
  /** Maximum length in UTF-16 units, by default 1,024. */
  max?: number;
  pattern?: RegExp;
  /** The requirement of the pattern in words. */
  patternText?: string;
  format?: string;
}

export function Str({
  min = 0,
  max = 1024,
  pattern,
  patternText,
  format,
  ...options
}: StrOptions = {}): PropertyDecorator {
  const check: Check = (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (value.length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
    if (value.length > max) return `must have at most ${max} characters`;
    if (pattern && !pattern.test(value)) return patternText ?? `must match ${pattern}`;
    return unstorable(value)?.message;
  };
  return field({ type: String, ...(format ? { format } : {}) }, options, check);
}

/** A filter of a list by a part of a name; an empty one matches everything. @param of what it is a part of */
export const NamePart = (of = 'the name'): PropertyDecorator =>
  Str({ optional: true, max: 1_024, description: `A part of ${of}; case does not matter` });

export function Uuid(options: FieldOptions = {}): PropertyDecorator {
  const check: Check = (value) => (isUuid(value) ? undefined : 'must be a UUID');
  return field({ type: String, format: 'uuid' }, options, check);
}

interface IntOptions extends QueryFieldOptions {
  min?: number;
  /** Maximum value. In a query a larger one is clamped, elsewhere it is refused. */
  max?: number;
  /** Whether the API description names the maximum. */
  showMax?: boolean;
  format?: 'int32' | 'int64' | null;
  /** The allowed values, if there are few. */
  values?: readonly number[];
}

const INT32_MAX = 2 ** 31 - 1;

export function Int({
  min,
  max,
  showMax = false,
  query = false,
  format = 'int64',
  values,
  ...options
}: IntOptions = {}): PropertyDecorator {
  const ceiling = max ?? (format === 'int32' ? INT32_MAX : Number.MAX_SAFE_INTEGER);
  const floor = min ?? (format === 'int32' ? -INT32_MAX - 1 : -Number.MAX_SAFE_INTEGER);
  const check: Check = (value) => {
    if (!Number.isSafeInteger(value)) return 'must be an integer that a double holds exactly (up to 2^53-1)';
    const integer = value as number;
    if (integer < floor) return `must be at least ${floor}`;
    if (integer > ceiling) return `must be at most ${ceiling}`;
    if (values && !values.includes(integer)) return `must be ${values.join(' or ')}`;
    return undefined;
  };
  const schema = {
    type: 'integer',
    ...(values ? { enum: [...values] } : {}),
    ...(format ? { format } : {}),
    ...(showMax ? { maximum: ceiling } : {}),
  } as ApiPropertyOptions;
  return field(schema, options, query ? { check, convert: (value) => clamp(integerOf(value), max) } : check);
}

// Any number of digits: values beyond a double's integers are still above every maximum.
const integerOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
const clamp = (value: unknown, max: number | undefined): unknown =>
  typeof value === 'number' && max !== undefined ? Math.min(value, max) : value;

export function Bool({ query = false, ...options }: QueryFieldOptions = {}): PropertyDecorator {
  const check: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
  const convert = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);
  return field({ type: Boolean }, options, query ? { check, convert } : check);
}

// Offsets that PostgreSQL accepts; no leap second, which neither JavaScript nor PostgreSQL returns.
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-](0\d|1[0-5]):[0-5]\d)$/;

/**
 * True for an RFC 3339 date-time that exists. False for PostgreSQL's own words (`now`, `infinity`), for 30
 * February, and for a time whose year in UTC does not have four digits, because it could not be returned.
 */
export function isDateTime(value: unknown): value is string {
  const parts = typeof value === 'string' ? RFC_3339.exec(value) : null;
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days) return false;
  const utcYear = new Date(parts[0].toUpperCase()).getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9999;
}

/** A time in stored resolution: digits below a millisecond are cut off, where PostgreSQL would round. */
export const toMilliseconds = (time: string): string => new Date(time.toUpperCase()).toISOString();

/** A point in time: RFC 3339 in, ISO 8601 UTC with milliseconds out. */
export function Time(options: FieldOptions = {}): PropertyDecorator {
  const check: Check = (value) => (isDateTime(value) ? undefined : 'must be a date-time as in RFC 3339');
  return field({ type: String, format: 'date-time' }, options, check);
}

export function OneOf(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const check: Check = (value) =>
    values.includes(value as string) ? undefined : `must be one of ${values.join(', ')}`;
  // Null is allowed only if it is listed, whatever `nullable` says.
  const all = options.nullable ? [...values, null] : [...values];
  return field({ type: String, enum: all as string[] }, options, check);
}

interface ListOptions extends FieldOptions {
  maxItems: number;
}

/** The length first, so that elements of a list that is too long cost nothing. */
const lengthFault = (value: unknown, maxItems: number): string | undefined => {
  if (!Array.isArray(value)) return 'must be an array';
  return value.length > maxItems ? `must hold at most ${maxItems} elements` : undefined;
};

/** An array of strings. */
export function Strings({
  maxItems,
  maxLength = 1024,
  unique = false,
  ...options
}: ListOptions & { maxLength?: number; unique?: boolean }): PropertyDecorator {
  const check: Check = (value) => {
    const tooLong = lengthFault(value, maxItems);
    if (tooLong !== undefined) return tooLong;
    const items = value as unknown[];
    const bad = items.findIndex((item) => typeof item !== 'string' || item.length > maxLength || unstorable(item));
    if (bad >= 0) return `[${bad}] must be a string of at most ${maxLength} characters`;
    const seen = new Set<unknown>();
    const repeated = unique ? items.findIndex((item) => seen.size === seen.add(item).size) : -1;
    return repeated < 0 ? undefined : `[${repeated}] stands twice`;
  };
  return field({ type: [String], maxItems, ...(unique ? { uniqueItems: true } : {}) }, options, check);
}

/** An array of objects of one class, each validated. */
export function ListOf(item: () => Class, { maxItems, ...options }: ListOptions): PropertyDecorator {
  const check: Check = (value) => {
    const tooLong = lengthFault(value, maxItems);
    if (tooLong !== undefined) return tooLong;
    const bad = (value as unknown[]).findIndex((element) => !isJsonObject(element));
    return bad < 0 ? undefined : `[${bad}] must be an object`;
  };
  return field({ type: () => [item()], maxItems }, options, { check, within: item });
}

/** One object of a class, validated. */
export function Obj(item: () => Class, options: FieldOptions = {}): PropertyDecorator {
  const check: Check = (value) => (isJsonObject(value) ? undefined : 'must be an object');
  return field({ type: () => item() }, options, { check, within: item });
}

/** An object of one of several classes, selected by its member `type`. */
export function Variant(classes: Readonly<Record<string, Class>>, options: FieldOptions = {}) {
  const classOf = (value: unknown) =>
    isJsonObject(value) && typeof value.type === 'string' && Object.hasOwn(classes, value.type)
      ? classes[value.type]
      : undefined;
  const check: Check = (value) => {
    if (!isJsonObject(value)) return 'must be an object';
    return classOf(value) ? undefined : `type must be one of ${Object.keys(classes).join(', ')}`;
  };
  const mapping = Object.fromEntries(Object.entries(classes).map(([type, of]) => [type, schemaPath(of)]));
  const schema = {
    type: 'object',
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping },
  } as ApiPropertyOptions;
  const known: PropertyDecorator = (target) => void ApiExtraModels(...Object.values(classes))(target.constructor);
  return applyDecorators(known, field(schema, options, { check, within: classOf }));
}

/** Maximum size of a member of any type, as JSON text. */
const MAX_JSON_BYTES = 256 * 1024;

interface JsonOptions extends FieldOptions {
  /** Maximum size as JSON text in bytes; null if only the size of the whole body is limited. */
  maxBytes?: number | null;
  /** OpenAPI schema, if the value is restricted. */
  schema?: object;
  check?: Check;
}

/** A member of any type, stored and returned as received. */
export function Json({ maxBytes = MAX_JSON_BYTES, schema, check, ...options }: JsonOptions = {}): PropertyDecorator {
  const checkAny: Check = (value) => {
    const fault = check?.(value);
    if (fault !== undefined) return fault;
    if (maxBytes === null) return undefined;
    if (isLargerThan(value, maxBytes)) return `must be at most ${maxBytes} bytes of JSON`;
    const unkept = unstorable(value);
    return unkept && `${unkept.path} ${unkept.message}`.trim();
  };
  // Null needs no check: it is a value of "any" unless the field forbids it.
  const anyOptions = { nullable: check === undefined, ...options };
  return field(schema ?? { 'x-any': true, type: Object }, anyOptions, checkAny);
}

/** Maximum number of members in a dictionary. */
const MAX_COUNTS = 1_000;

const countsCheck: Check = (value) => {
  if (!isJsonObject(value)) return 'must be an object';
  const counts = Object.entries(value);
  if (counts.length > MAX_COUNTS) return `must hold at most ${MAX_COUNTS} members`;
  const bad = counts.find(([, count]) => !Number.isSafeInteger(count) || (count as number) < 0);
  return bad ? `${bad[0].slice(0, 100)} must be an integer of at least 0` : undefined;
};

/** A dictionary of counts. */
export const Counts = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'object', additionalProperties: { type: 'integer', format: 'int64' } }, options, countsCheck);

// In JSON's notation: JavaScript's own words and notations (`Infinity`, `0x1`) are refused.
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : value;

interface NumOptions extends QueryFieldOptions {
  min?: number;
  max?: number;
}

/** A number that may have a fraction. */
export function Num({ min, max, query = false, ...options }: NumOptions = {}): PropertyDecorator {
  const check: Check = (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
    if (min !== undefined && value < min) return `must be at least ${min}`;
    if (max !== undefined && value > max) return `must be at most ${max}`;
    return undefined;
  };
  return field({ type: Number, format: 'double' }, options, query ? { check, convert: numberOf } : check);
}

const onlyInReplies: Check = () => 'is only a member of replies';

interface ItemOptions extends FieldOptions {
  /** Null stands in place of a missing item. */
  nullableItems?: boolean;
}

/** An array of 32-bit integers, in replies. */
export const Integers = ({ nullableItems = false, ...options }: ItemOptions = {}): PropertyDecorator =>
  field(
    { type: 'array', items: { type: 'integer', format: 'int32', ...(nullableItems ? { nullable: true } : {}) } },
    options,
    onlyInReplies,
  );

/** An array of numbers that may have a fraction, in replies. */
export const Numbers = ({ nullableItems = false, ...options }: ItemOptions = {}): PropertyDecorator =>
  field(
    { type: 'array', items: { type: 'number', format: 'double', ...(nullableItems ? { nullable: true } : {}) } },
    options,
    onlyInReplies,
  );

/** An array of UUIDs, in replies. */
export const Uuids = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'array', items: { type: 'string', format: 'uuid' } }, options, onlyInReplies);
