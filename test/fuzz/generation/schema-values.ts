import * as fc from 'fast-check';
import { referenced } from '../../support/description';
import type { Json } from './json-text';
import { Link } from './links';

/** The keywords of JSON Schema that the description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly Json[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly uniqueItems?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly example?: Json;
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

/** A generated value: JSON with links, which become real ids when it is sent. */
export type Draft = Json | Link | Draft[] | { [member: string]: Draft };

const MAX_DEPTH = 4;

const words = fc.constantFrom('a', 'main', 'train', 'default', 'gpu-node-1', 'n[1-3]', 'RUNNING', 'Ready', '5', 'å 😀');
/** Sensible and edge values of a type and format. */
const STRINGS: Readonly<Record<string, fc.Arbitrary<Draft>>> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2027-12-31T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  uri: fc.constantFrom('http://127.0.0.1:9', 'https://llama-8b.models.svc:8000/v1'),
  binary: fc.string({ maxLength: 20 }),
};
const NUMBERS: Readonly<Record<string, fc.Arbitrary<Draft>>> = {
  integer: fc.oneof(fc.nat({ max: 10 }), fc.nat({ max: 100_000 }), fc.constantFrom(2 ** 31 - 1, 2 ** 53 - 1)),
  number: fc.oneof(
    fc.double({ min: 0, max: 100, noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 0.5, 1, 1e6),
  ),
};

const anyJson: fc.Arbitrary<Draft> = fc
  .jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' })
  .map((value) => value as Json);

/** Values that the schema allows. @param name the member's, which may be the name of an id of a real row */
export function valuesOf(schema: Schema, name: string, depth = 0): fc.Arbitrary<Draft> {
  const plain = fc.oneof(
    { weight: schema.nullable ? 8 : 1, arbitrary: known(schema, name, depth) },
    ...(schema.nullable ? [{ weight: 1, arbitrary: fc.constant(null) }] : []),
  );
  return Link.hasName(name) && schema.type !== 'array' && schema.type !== 'object'
    ? fc.oneof({ weight: 9, arbitrary: Link.arbitrary(name) }, { weight: 1, arbitrary: plain })
    : plain;
}

function known(schema: Schema, name: string, depth: number): fc.Arbitrary<Draft> {
  if (schema.$ref !== undefined) return valuesOf(referenced(schema.$ref), name, depth);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.allOf) return fc.tuple(...schema.allOf.map((part) => valuesOf(part, name, depth))).map(united);
  const options = schema.oneOf ?? schema.anyOf;
  if (options)
    return fc.oneof(...options.map((option) => valuesOf(option, name, depth).map(discriminated(schema, option))));
  if (schema.type === 'object' || schema.properties) return objectsOf(schema, depth);
  if (schema.type === 'array') return arraysOf(schema, name, depth);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer' || schema.type === 'number') return numbersOf(schema);
  if (schema.type === 'string') return stringsOf(schema);
  return anyJson;
}

/** A variant states which one it is. */
const discriminated =
  ({ discriminator }: Schema, { $ref }: Schema) =>
  (value: Draft): Draft => {
    const entry = Object.entries(discriminator?.mapping ?? {}).find(([, reference]) => reference === $ref);
    return entry && discriminator ? { ...(value as object), [discriminator.propertyName]: entry[0] } : value;
  };

const united = (parts: readonly Draft[]): Draft => Object.assign({}, ...(parts as object[])) as Draft;

function objectsOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number) {
  const members = Object.entries(properties)
    .filter(([member]) => depth < MAX_DEPTH || required.includes(member))
    .map(([member, schema]) => [member, valuesOf(schema, member, depth + 1)] as const);
  const described = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((member) => member in properties),
    noNullPrototype: true,
  }) as fc.Arbitrary<Draft>;
  if (members.length > 0 || !additionalProperties || depth >= MAX_DEPTH) return described;
  const values = typeof additionalProperties === 'object' ? valuesOf(additionalProperties, '', depth + 1) : anyJson;
  return fc.dictionary(fc.constantFrom('a', 'b', 'DeviceID'), values, { maxKeys: 3, noNullPrototype: true });
}

function arraysOf({ items = {}, maxItems = 3, uniqueItems }: Schema, name: string, depth: number) {
  const elements = valuesOf(items, name.replace(/s$/, ''), depth + 1);
  const maxLength = Math.min(maxItems, 3);
  return uniqueItems
    ? fc.uniqueArray(elements, { maxLength, selector: (value) => JSON.stringify(value) })
    : fc.array(elements, { maxLength });
}

function numbersOf({ type = '', format, example }: Schema): fc.Arbitrary<Draft> {
  const numbers = NUMBERS[type] ?? anyJson;
  const fitting =
    format === 'int32' ? numbers.map((value) => (typeof value === 'number' ? value % 2 ** 31 : value)) : numbers;
  return example === undefined ? fitting : fc.oneof(fc.constant(example), fitting);
}

function stringsOf({ format = '', maxLength = 40, example }: Schema): fc.Arbitrary<Draft> {
  const strings = STRINGS[format] ?? fc.oneof(words, fc.string({ maxLength: Math.min(maxLength, 12) }));
  return example === undefined ? strings : fc.oneof(fc.constant(example), strings);
}
