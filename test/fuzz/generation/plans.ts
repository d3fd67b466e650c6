import * as fc from 'fast-check';
import type { DescribedOperation } from '../../support/description';
import { CORRUPTION_NAMES, ODD_HEADERS, ODD_TEXTS, type Corruption } from './corruptions';
import { isObject, RawText } from './json-text';
import { Link, linkName } from './links';
import { valuesOf, type Draft, type Schema } from './schema-values';

/** A text that is sent as it is, percent-encoded already. */
export class Encoded {
  constructor(readonly text: string) {}
}

/** A request before its links are resolved. */
export interface Plan {
  readonly identity: string;
  readonly path: Readonly<Record<string, Draft | Encoded>>;
  /** A name may come twice. */
  readonly query: readonly (readonly [name: string, value: Draft | Encoded])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly type?: string | undefined;
  readonly body?: Draft | Buffer | undefined;
  /** Of the body, once its links are resolved. */
  readonly corruptions: readonly Corruption[];
}

/** The parts of a plan that a request which succeeded had. */
export type Basis = Pick<Plan, 'path' | 'query' | 'type' | 'body'>;

/**
 * Parameters that make the service wait as long as the caller likes, as described. They are kept short, so
 * that a run does not wait.
 */
const WAITS: Readonly<Record<string, Draft>> = { wait_ms: 50, queue_timeout_ms: 100 };

/** A copy in which ids are links; an id that nobody knows yet stays. */
export function linked(operation: string, value: Draft, pick: number, member = ''): Draft {
  if (Array.isArray(value)) return value.map((part) => linked(operation, part, pick, member.replace(/s$/, '')));
  if (value instanceof RawText || value instanceof Link) return value;
  if (isObject(value as never)) {
    const members = Object.entries(value as Record<string, Draft>);
    return Object.fromEntries(
      members.map(([name, part]) => [name, WAITS[name] ?? linked(operation, part, pick, name)]),
    ) as Draft;
  }
  const isId = member !== '' && typeof value === 'string' && linkName(operation, member) !== undefined;
  return isId ? new Link(member, pick, value) : value;
}

/** The types and the example of a body. */
function bodyOf({ requestBody }: DescribedOperation): { types: string[]; schema: Schema; example: Draft | undefined } {
  const content = requestBody?.content ?? {};
  const media = Object.values(content);
  return {
    types: Object.keys(content),
    schema: media[0]?.schema ?? {},
    example: media.find(({ example }) => example !== undefined)?.example as Draft | undefined,
  };
}

/** The example of the description, with links. */
export function exampleOf(operation: DescribedOperation, pick = 0): Basis {
  const { types, example } = bodyOf(operation);
  const path = operation.parameters.filter(({ in: place }) => place === 'path');
  return {
    path: Object.fromEntries(path.map(({ name }) => [name, new Link(name, pick)])),
    query: operation.parameters
      .filter(({ in: place, required }) => place === 'query' && required)
      .map(({ name, schema }) => [name, sensible(operation.id, name, schema as Schema, pick)] as const),
    type: types[0],
    body: example === undefined ? undefined : linked(operation.id, example, pick),
  };
}

const sensible = (operation: string, name: string, { type, format }: Schema, pick: number): Draft =>
  linkName(operation, name) === undefined
    ? (WAITS[name] ?? (format === 'date-time' ? '2026-01-01T00:00:00Z' : type === 'string' ? 'a' : 1))
    : new Link(name, pick);

/** Requests of an operation, valid ones and corrupted ones. @param basis a request that succeeded */
export function plansOf(
  operation: DescribedOperation,
  identities: { readonly able: readonly string[]; readonly all: readonly string[] },
  basis: Basis | undefined,
): fc.Arbitrary<Plan> {
  const pick = fc.nat({ max: 999 });
  const examples = pick.map((which) => exampleOf(operation, which));
  const bases = basis
    ? fc.oneof(
        fc.constant(basis),
        pick.map((which) => relinked(operation, basis, which)),
      )
    : examples;
  const start = fc.oneof(
    { weight: 4, arbitrary: bases },
    { weight: 3, arbitrary: fromSchema(operation) },
    { weight: 2, arbitrary: examples },
  );
  // Ways to leave what is valid; most requests take one or none.
  const corrupt = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 5, arbitrary: fc.record({ corruptions: corruptionsOf(operation) }) },
    { weight: 3, arbitrary: fc.record({ odd: oddParameters(operation) }) },
    { weight: 1, arbitrary: fc.record({ headers: fc.array(fc.constantFrom(...ODD_HEADERS), { maxLength: 2 }) }) },
  );
  const identity = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...identities.able) },
    { weight: 1, arbitrary: fc.constantFrom(...identities.all) },
  );
  return fc.tuple(identity, start, corrupt).map(([who, from, ways]) => composed(who, from, ways));
}

interface Ways {
  readonly corruptions?: readonly Corruption[];
  readonly odd?: readonly (readonly [place: string, name: string, value: Encoded])[];
  readonly headers?: readonly (readonly [string, string])[];
}

function composed(identity: string, from: Basis, { corruptions = [], odd = [], headers = [] }: Ways): Plan {
  const inPath = odd.filter(([place]) => place === 'path').map(([, name, value]) => [name, value] as const);
  const inQuery = odd.filter(([place]) => place === 'query').map(([, name, value]) => [name, value] as const);
  // Also beside the valid value: a name that comes twice.
  const query = [...from.query.filter(([name]) => !inQuery.some(([other]) => other === name)), ...inQuery];
  const path = { ...from.path, ...Object.fromEntries(inPath) };
  return { identity, path, query, type: from.type, body: from.body, headers, corruptions };
}

const relinked = (operation: DescribedOperation, { path, query, type, body }: Basis, pick: number): Basis => ({
  path: Object.fromEntries(Object.keys(path).map((name) => [name, new Link(name, pick)])),
  query,
  type,
  body: body === undefined || Buffer.isBuffer(body) ? body : linked(operation.id, body, pick),
});

/** Every parameter and member as its schema allows. */
function fromSchema(operation: DescribedOperation): fc.Arbitrary<Basis> {
  const { types, schema } = bodyOf(operation);
  const values = ({ name, schema: of }: DescribedOperation['parameters'][number]) =>
    name in WAITS ? fc.constant(WAITS[name] as Draft) : valuesOf(of as Schema, name);
  const path = operation.parameters.filter(({ in: place }) => place === 'path');
  const query = operation.parameters.filter(({ in: place }) => place === 'query');
  const body =
    types.length === 0
      ? fc.constant(undefined)
      : types[0] === 'application/x-protobuf'
        ? fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
        : valuesOf(schema, '').map((value) => capped(value));
  return fc.record({
    path: fc.record(Object.fromEntries(path.map((one) => [one.name, values(one)]))),
    query: fc
      .record(Object.fromEntries(query.map((one) => [one.name, values(one)])), {
        requiredKeys: query.filter(({ required }) => required).map(({ name }) => name),
      })
      .map((chosen) => Object.entries(chosen) as [string, Draft][]),
    type: types.length === 0 ? fc.constant(undefined) : fc.constantFrom(...types),
    body,
  });
}

/** A body in which nothing waits for long. */
function capped(value: Draft): Draft {
  if (Array.isArray(value)) return value.map(capped);
  if (value instanceof Link || value instanceof RawText || !isObject(value as never)) return value;
  const members = Object.entries(value as Record<string, Draft>);
  return Object.fromEntries(members.map(([name, part]) => [name, WAITS[name] ?? capped(part)])) as Draft;
}

const corruptionsOf = ({ requestBody }: DescribedOperation): fc.Arbitrary<Corruption[]> =>
  requestBody
    ? fc.array(fc.record({ place: fc.nat({ max: 999 }), how: fc.constantFrom(...CORRUPTION_NAMES) }), {
        minLength: 1,
        maxLength: 3,
      })
    : fc.constant([]);

function oddParameters({ parameters }: DescribedOperation) {
  const places = parameters
    .filter(({ in: place, name }) => ['path', 'query'].includes(place) && !(name in WAITS))
    .map(({ in: place, name }) => [place, name] as const);
  const unknown = ['unknown', '__proto__', 'limit[]'].map((name) => ['query', name] as const);
  return fc.array(
    fc
      .tuple(fc.constantFrom(...places, ...unknown), fc.constantFrom(...ODD_TEXTS))
      .map(([[place, name], text]) => [place, name, new Encoded(text)] as const),
    { minLength: 1, maxLength: 2 },
  );
}
