import { operations, referenced, type DescribedOperation } from '../support/description';
import { Campaign } from '../fuzz/campaign';
import { isObject, RawText, type Json, type Place } from '../fuzz/generation/json-text';
import type { Basis } from '../fuzz/generation/plans';
import type { Schema } from '../fuzz/generation/schema-values';
import { Surroundings } from '../fuzz/target/surroundings';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { inParallel } from '../support/random';
import { ADMIN_TOKEN, Service } from '../support/service';

/** No double holds one of these. */
const INTEGERS = inForm(
  ['9007199254740993', '9223372036854775807'],
  ['9007199254740993', '-9007199254740993', '4503599627370497001', '9223372036854775807', '-9223372036854775807'],
);
/** What a double, or PostgreSQL's double precision, makes of them. */
const ROUNDED = INTEGERS.flatMap((text) => {
  const number = Number(text);
  return [String(number), BigInt(number).toString(), number.toExponential(), number.toExponential(14)];
}).map((text) => new RegExp(`(?<![\\d.])${text.replaceAll(/[.+]/g, String.raw`\$&`)}(?!\\d)`));

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = 'public'`;

/** A place in a body, and what takes an integer there. */
interface IntegerPlace {
  readonly place: Place;
  readonly kind: 'typed' | 'kept';
}

/** Where a body has, or might have, an integer or JSON that the service only keeps. */
function placesOf(schema: Schema, value: Json | undefined, at: Place = []): IntegerPlace[] {
  if (schema.$ref !== undefined) return placesOf(referenced(schema.$ref), value, at);
  if (schema.allOf) return schema.allOf.flatMap((part) => placesOf(part, value, at));
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return options.filter((option) => isVariant(option, value)).flatMap((one) => placesOf(one, value, at));
  if (schema.type === 'integer') return [{ place: at, kind: 'typed' }];
  if (schema.type === 'array') return Array.isArray(value) ? placesOf(schema.items ?? {}, value[0], [...at, 0]) : [];
  if (schema.properties)
    return isObject(value)
      ? Object.entries(schema.properties).flatMap(([name, member]) => placesOf(member, value[name], [...at, name]))
      : [];
  const isAnything = schema.type === undefined && schema.enum === undefined;
  return isAnything || (schema.type === 'object' && schema.additionalProperties === true)
    ? [{ place: at, kind: 'kept' }]
    : [];
}

function isVariant(option: Schema, value: Json | undefined): boolean {
  const { required = [] }: Schema = option.$ref === undefined ? option : referenced(option.$ref);
  return isObject(value) && required.every((member) => member in value);
}

function withPart(value: Json | undefined, [step, ...rest]: Place, part: Json): Json {
  if (step === undefined) return part;
  if (Array.isArray(value)) return value.map((one, index) => (index === step ? withPart(one, rest, part) : one));
  const members = isObject(value) ? value : {};
  return { ...members, [step]: withPart(members[step], rest, part) };
}

/** Requests like one that succeeded, each with one integer. */
function variantsOf({ requestBody, parameters }: DescribedOperation, basis: Basis, text: string): [string, Basis][] {
  const integer = new RawText(text);
  const content = Object.values(requestBody?.content ?? {})[0];
  const body = Buffer.isBuffer(basis.body) ? undefined : (basis.body as Json | undefined);
  const inBody = body === undefined ? [] : placesOf(content?.schema ?? {}, body);
  const typed = parameters.filter(({ schema }) => schema.type === 'integer');
  return [
    ...inBody.map(({ place, kind }): [string, Basis] => [
      kind,
      { ...basis, body: withPart(body, place, kind === 'typed' ? integer : { deep: [integer] }) },
    ]),
    ...typed.map(({ name, in: where }): [string, Basis] => [
      'typed',
      where === 'path'
        ? { ...basis, path: { ...basis.path, [name]: integer } }
        : { ...basis, query: [...basis.query.filter(([other]) => other !== name), [name, integer]] },
    ]),
  ];
}

describe('an integer that no double holds', () => {
  let surroundings: Surroundings;
  let service: Service;
  let campaign: Campaign;

  beforeAll(async () => {
    surroundings = await Surroundings.start();
    service = await Service.start(surroundings.settings);
    const options = { url: service.url, adminToken: ADMIN_TOKEN, surroundings, seed: SEED, perOperation: 1 };
    campaign = await Campaign.prepare(options);
    await campaign.makeRows();
  });
  afterAll(async () => {
    campaign.close();
    await service.close();
    await surroundings.close();
    printFigures();
  });

  it('is kept with every digit, or refused, in any member or parameter of any operation', async () => {
    // A service that used doubles would be found.
    const asDoubles = INTEGERS.map((text) => JSON.stringify({ number: Number(text) }));
    expect(asDoubles.filter((text) => !ROUNDED.some((pattern) => pattern.test(text)))).toEqual([]);
    const bases = new Map(campaign.succeeded);
    const sent = { typed: 0, kept: 0 };
    const answered = { accepted: 0, refused: 0, other: 0 };
    const rounded: string[] = [];
    const failed: string[] = [];
    const others: Record<number, number> = {};
    const look = (where: string, text: string): void => {
      const found = ROUNDED.map((pattern) => pattern.exec(text)).find((match) => match !== null);
      if (found) rounded.push(`${where}: ${text.slice(Math.max(0, found.index - 100), found.index + 60)}`);
    };
    // What deletes comes last, so that it leaves others what they need.
    const all = operations().toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
    const requests = all.flatMap((operation) => {
      const basis = bases.get(operation.id);
      if (!basis) return [];
      return INTEGERS.flatMap((text) =>
        variantsOf(operation, basis, text).map(([kind, variant]) => ({ operation, kind, variant })),
      );
    });
    await inParallel(requests, 6, async ({ operation, kind, variant }) => {
      const { status, headers, text } = await campaign.send(operation, variant);
      sent[kind as 'typed']++;
      if (status >= 200 && status < 300) answered.accepted++;
      else if (status === 400) answered.refused++;
      else {
        answered.other++;
        others[status] = (others[status] ?? 0) + 1;
      }
      if (status >= 500 || status === 0) failed.push(`${operation.id} ${status}: ${text.slice(0, 300)}`);
      look(operation.id, `${JSON.stringify(headers)} ${text}`);
    });
    const { rows: tables } = await service.db.query<{ name: string }>(TABLES);
    let exact = 0;
    for (const { name } of tables) {
      const { rows } = await service.db.query<{ row: string }>(`select t::text as row from ${name} t`);
      for (const { row } of rows) {
        look(name, row);
        if (INTEGERS.some((text) => row.includes(text))) exact++;
      }
    }
    const attack = `${INTEGERS.length} integers beyond 2^53 in every integer and all kept JSON of ${bases.size} operations, seed ${SEED}`;
    const record = (measure: string, value: number, bound: Figure['bound']): void =>
      recordFigure({ row: 26, attack, measure, value, unit: '', bound });
    record('requests with one in a typed place', sent.typed, { atLeast: 50 });
    record('requests with one in kept JSON', sent.kept, { atLeast: 50 });
    record('accepted', answered.accepted, { atLeast: 50 });
    record('refused with 400', answered.refused, { atLeast: 50 });
    // Conflicts, and rows that an earlier request deleted.
    expect(Object.keys(others).filter((status) => !['404', '409', '422'].includes(status))).toEqual([]);
    record('refused with 404, 409 or 422', answered.other, { atMost: (sent.typed + sent.kept) / 5 });
    record('answered with 5xx', failed.length, { atMost: 0 });
    record('rounded, in a reply or in any table', rounded.length, { atMost: 0 });
    record('rows that hold one with every digit', exact, { atLeast: 10 });
    expect({ rounded, failed }).toEqual({ rounded: [], failed: [] });
  }, 600_000);
});
