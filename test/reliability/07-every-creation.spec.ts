import { newId } from '../../src/1-platform/common/ids';
import { fill, settingsFor } from '../support/everything';
import { printFigures, recordFigure } from '../support/figures';
import { inForm } from '../support/form';
import { buildModel, routersSee } from '../support/inference';
import { KEYED, type World, type KeyedCall } from '../support/keyed-calls';
import { Marketplace } from '../support/marketplace';
import { report } from '../support/profiles';
import { Caller, Service, type Answer, type Replica } from '../support/service';

const CALLERS = inForm(10, 50);

/** They write outside of the transaction of their key, and find their own result when they are repeated. */
const APART = [
  'report_activation',
  'authorize_request',
  'resolve_request',
  'record_router_telemetry',
  'record_router_metrics',
];

/** They reserve what a request may cost, or settle it. */
const PAID = ['authorize_request', 'record_router_telemetry'];

const KEYS = 'idempotency_keys';

/** The last use of a token is stored at times, whatever its request does. */
const COUNTED: Record<string, string> = { access_tokens: 'last_used_at is null' };

/** What changed in the whole database: the written rows of each table, by transaction. */
type Written = Record<string, Record<string, number>>;

describe(`${CALLERS} requests with one Idempotency-Key at two replicas, for every operation that accepts one`, () => {
  let market: Marketplace;
  let service: Service;
  let replica: Replica;
  let world: World;
  let tables: string[];
  let requests = 0;
  let right = 0;

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start(settingsFor(market));
    replica = await service.replica();
    const org = await service.organisation();
    const pricing = { prompt_usd_per_mtok: 1_000, completion_usd_per_mtok: 2_000 };
    const { model, profileIds } = await buildModel(org, [{ spec: { pricing } }]);
    const [profileId = ''] = profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
    world = { service, org, things: await fill(service, org), model, profileId };
    const { rows } = await service.db.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
    );
    tables = rows.map(({ name }) => name);
  });
  afterAll(async () => {
    await service.close();
    await market.close();
    const operationsWithKey = Object.keys(KEYED).length;
    recordFigure({
      row: 7,
      attack: `${requests} requests of ${operationsWithKey} operations, ${CALLERS} with each key`,
      measure: 'operations with one effect and one reply',
      value: right,
      unit: '',
      bound: { atLeast: operationsWithKey },
    });
    printFigures();
  });

  const now = async (): Promise<string> => {
    const text = 'select pg_snapshot_xmax(pg_current_snapshot())::text as at';
    return (await service.db.query<{ at: string }>(text)).rows[0]?.at ?? '';
  };

  async function writtenSince(at: string): Promise<Written> {
    const counts = tables.map(
      (table) =>
        `select '${table}' as name, xmin::text as by, count(*)::int as rows from "${table}"
         where xmin::text::bigint >= ${at} and ${COUNTED[table] ?? true} group by xmin`,
    );
    const { rows } = await service.db.query<{ name: string; by: string; rows: number }>(counts.join(' union all '));
    const written: Written = {};
    for (const { name, by, rows: count } of rows) written[name] = { ...written[name], [by]: count };
    return written;
  }

  /** What the keys have reserved, and twice what they have spent: an amount that is added twice is no row. */
  async function money(): Promise<number> {
    const text = 'select round((sum(reserved_usd) + 2 * sum(spent_usd)) * 1000000)::int as usd from inference_keys';
    return (await service.db.query<{ usd: number | null }>(text)).rows[0]?.usd ?? 0;
  }

  const totals = (written: Written): Record<string, number> =>
    Object.fromEntries(
      Object.entries(written)
        .filter(([name]) => name !== KEYS)
        .map(([name, by]) => [name, Object.values(by).reduce((sum, rows) => sum + rows, 0)]),
    );

  const send = (
    { method = 'post', path, body, by = world.org.admin }: KeyedCall,
    caller: number,
    key?: string,
  ): Promise<Answer> => {
    const url = caller % 2 === 0 ? service.url : replica.url;
    return new Caller(url, by.token).send(method, path, body, key === undefined ? {} : { 'idempotency-key': key });
  };

  it.each(Object.entries(KEYED))('%s has one effect and one reply', async (id, build) => {
    // What one request without a key does, to a subject of its own.
    const one = await build(world);
    let at = await now();
    let before = await money();
    const served = await send(one, 0);
    if (served.status >= 300) throw new Error(`answered ${served.status}: ${served.text}`);
    const expected = totals(await writtenSince(at));
    const spent = (await money()) - before;
    expect(expected).not.toEqual({});

    const many = await build(world);
    const key = newId();
    at = await now();
    before = await money();
    const answers = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => send(many, caller, key)));
    requests += CALLERS;
    const written = await writtenSince(at);
    const replies = new Set(answers.map(({ status, text }) => `${status} ${text}`));
    const writers = Object.keys(written[KEYS] ?? {});
    const apart = APART.includes(id)
      ? []
      : Object.entries(written).filter(([, by]) => Object.keys(by).some((transaction) => transaction !== writers[0]));
    const usd = (await money()) - before;
    expect({ replies: [...replies], keys: writers.length, apart, written: totals(written), usd }).toEqual({
      replies: [`${served.status} ${answers[0]?.text}`],
      keys: 1,
      apart: [],
      written: expected,
      usd: spent,
    });
    if (PAID.includes(id)) expect(spent).not.toBe(0);

    at = await now();
    const later = await Promise.all([send(many, 0, key), send(many, 1, key)]);
    expect(later.map(({ text }) => text)).toEqual([answers[0]?.text, answers[0]?.text]);
    expect(await writtenSince(at)).toEqual({});
    right++;
  });
});
