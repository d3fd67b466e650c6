import { brotliCompressSync, gzipSync } from 'node:zlib';
import { compileResponseSchema, responseSchemaFault } from '../../src/5-traffic/routes/response-schema';
import { CHAT, createKey, question, readyProfile, type Key } from '../support/chat';
import { dribbles, InferenceWorker } from '../support/inference-worker';
import { Replicas, type Replica } from '../support/replicas';
import { eventually } from '../support/eventually';
import { expectFigure, printFigures } from '../support/figures';
import { flood, wire } from './flood';
import { probeDuring } from './probe';

/** Requests of each attack, one after the other. */
const REQUESTS = 10;
const FLOOD_MS = 20_000;

describe('a service under attack by model traffic', () => {
  let worker: InferenceWorker;
  let replicas: Replicas;
  let replica: Replica;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    replicas = await Replicas.start(1, { WORKER_ENDPOINT_ALLOW: `${worker.host},llama-8b.models.svc` });
    replica = replicas.of(0);
    model = await replicas.routeTo([await readyProfile(replicas.organisation(), worker)]);
  });
  afterAll(async () => {
    await replicas.close();
    await worker.close();
    printFigures();
  });

  /** 2.99 million empty lists. */
  const empty = (): Buffer =>
    Buffer.from(`{"model":${JSON.stringify(model)},"messages":[${'[],'.repeat(2_990_000)}[]]}`);

  async function attack(key: Key, body: Buffer, headers: Record<string, string> = {}) {
    const milliseconds: number[] = [];
    const statuses = new Set<number>();
    const { probe } = await probeDuring(replica.url, async () => {
      for (let n = 0; n < REQUESTS; n++) {
        const began = performance.now();
        const answer = await fetch(replica.url + CHAT, {
          method: 'POST',
          headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json', ...headers },
          body: new Uint8Array(body),
        });
        await answer.text();
        milliseconds.push(performance.now() - began);
        statuses.add(answer.status);
      }
    });
    return { statuses: [...statuses], slowest: Math.max(...milliseconds), probe };
  }

  it.each<[name: string, encode: (body: Buffer) => Buffer, headers: Record<string, string>]>([
    ['as they are', (body) => body, {}],
    ['in gzip', (body) => gzipSync(body), { 'content-encoding': 'gzip' }],
    ['in brotli', (body) => brotliCompressSync(body), { 'content-encoding': 'br' }],
  ])(
    'answers others during chats of 2.99 million empty lists, %s, with a key without a budget',
    async (name, encode, headers) => {
      const key = await createKey(replicas.organisation(), { budget_usd: 0 });
      const { statuses, slowest, probe } = await attack(key, encode(empty()), headers);
      // 413 and 400 if the encoding is refused for its size.
      expect(statuses.every((status) => [400, 413, 429].includes(status))).toBe(true);
      const what = `chat of 2.99 million empty lists, ${name}`;
      expectFigure({ attack: what, measure: 'answered within', value: slowest, unit: 'ms', bound: { atMost: 1_000 } });
      expectFigure({ attack: what, measure: '/livez at most', value: probe.max, unit: 'ms', bound: { atMost: 250 } });
      expect(probe.failures).toEqual([]);
    },
  );

  /** Elements of a valid chat, as many as the limits allow. */
  const list = (count: number, element: string): string => `[${Array(count).fill(element).join()}]`;

  /** A route with a classifier, which reads the messages too. */
  const classified = async (): Promise<string> => {
    const profile = await readyProfile(replicas.organisation(), worker);
    return replicas.routeTo([profile], { mode: 'classifier', classifier_profile_id: profile });
  };

  it.each<[name: string, model: () => Promise<string>, messages: string]>([
    ['990,000 numbers', () => Promise.resolve(model), list(990_000, '1')],
    ['11.9 MB of short texts', () => Promise.resolve(model), list(990_000, '"abcdefghi"')],
    ['11.9 MB of short texts, with a classifier', classified, list(990_000, '"abcdefghi"')],
    ['one text of 15 MB', () => Promise.resolve(model), `[{"role":"user","content":"${'a'.repeat(15_000_000)}"}]`],
  ])('answers others during valid chats of %s', async (name, modelOf, messages) => {
    const key = await createKey(replicas.organisation());
    const body = Buffer.from(`{"model":${JSON.stringify(await modelOf())},"messages":${messages}}`);
    const { statuses, probe } = await attack(key, body);
    expect(statuses).toEqual([200]);
    const what = `valid chat of ${name}`;
    expectFigure({ attack: what, measure: '/livez p99', value: probe.p99, unit: 'ms', bound: { atMost: 100 } });
    expectFigure({ attack: what, measure: '/livez at most', value: probe.max, unit: 'ms', bound: { atMost: 250 } });
    expect(probe.failures).toEqual([]);
  });

  it('answers others during streams of single bytes behind an event of 900 KB', async () => {
    const key = await createKey(replicas.organisation());
    worker.behaves(dribbles(`data: ${'a\n'.repeat(450_000)}`, 'a'.repeat(10_000)));
    try {
      const body = Buffer.from(JSON.stringify(question(model, { stream: true })));
      const { statuses, slowest, probe } = await attack(key, body);
      expect(statuses).toEqual([200]);
      const what = 'stream of single bytes behind 900 KB';
      expectFigure({ attack: what, measure: 'answered within', value: slowest, unit: 'ms', bound: { atMost: 2_000 } });
      expectFigure({ attack: what, measure: '/livez p99', value: probe.p99, unit: 'ms', bound: { atMost: 100 } });
      expectFigure({ attack: what, measure: '/livez at most', value: probe.max, unit: 'ms', bound: { atMost: 250 } });
      expect(probe.failures).toEqual([]);
    } finally {
      worker.reset();
    }
  });

  it('fills no table with the refusals of a key that retries at once, and counts them all', async () => {
    const org = replicas.organisation();
    const key = await createKey(org, { rate_limit_rps: 1 });
    const kept = async () => {
      const { rows } = await replicas.db.query<{ rows: number; requests: number; bytes: number }>(
        `select count(*)::int as rows, coalesce(sum(1 + repeated), 0)::int as requests,
           pg_total_relation_size('usage_records')::float8 as bytes
         from usage_records where key_id = $1 and status_code = 429`,
        [key.key_id],
      );
      return rows[0] ?? { rows: 0, requests: 0, bytes: 0 };
    };
    const before = await kept();
    const { streams } = await flood({
      url: replica.url,
      milliseconds: FLOOD_MS,
      streams: { chats: { requests: [wire(CHAT, key.raw_key, question(model))], connections: 16 } },
    });
    const refused = streams.chats?.statuses['429'] ?? 0;
    await eventually(async () => expect((await kept()).requests).toBeGreaterThanOrEqual(refused));
    const { rows, requests, bytes } = await kept();
    // Those at the end of the flood were refused, and their replies not read.
    expect(requests).toBeLessThanOrEqual(streams.chats?.sent ?? 0);
    const figure = { attack: 'one key whose rate is used up, which retries at once for 20 s' };
    expectFigure({ ...figure, measure: 'refused a second', value: refused / (FLOOD_MS / 1_000), unit: '' });
    expectFigure({ ...figure, measure: 'table grew by', value: (bytes - before.bytes) / 1_024, unit: 'KiB' });
    expectFigure({ ...figure, measure: 'records', value: rows, unit: '', bound: { atMost: 40 } });
  });

  it('checks a classifier’s answer of 37 KB quickly, and refuses a schema with uniqueItems', () => {
    const schema = '{"properties":{"a":{"uniqueItems":true}}}';
    expect(responseSchemaFault(schema)).toBe('must not use uniqueItems');
    const answer = { a: Array.from({ length: 5_000 }, (_, x) => ({ x })) };
    const check = compileResponseSchema(schema);
    const began = performance.now();
    expect(check(answer)).toBe(true);
    expectFigure({
      attack: 'classifier: uniqueItems, 37 KB',
      measure: 'checked within',
      value: performance.now() - began,
      unit: 'ms',
      bound: { atMost: 20 },
    });
  });
});
