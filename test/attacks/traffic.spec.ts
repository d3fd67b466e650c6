import { brotliCompressSync, gzipSync } from 'node:zlib';
import { compileResponseSchema, responseSchemaFault } from '../../src/routes/response-schema';
import { CHAT, createKey, readyProfile, type Key } from '../support/chat';
import { InferenceWorker } from '../support/inference-worker';
import { Replicas, type Replica } from '../support/replicas';
import { expectFigure, printFigures } from './figures';
import { probeDuring } from './probe';

/** Of each attack, one after the other. */
const REQUESTS = 10;

describe('model traffic under attack', () => {
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
  ])('chats of 2.99 million empty lists, %s, with a key without a budget', async (name, encode, headers) => {
    const key = await createKey(replicas.organisation(), { budget_usd: 0 });
    const { statuses, slowest, probe } = await attack(key, encode(empty()), headers);
    // 413 and 400 where the encoding is refused for its size.
    expect(statuses.every((status) => [400, 413, 429].includes(status))).toBe(true);
    const what = `chat of 2.99 million empty lists, ${name}`;
    expectFigure({ attack: what, measure: 'answered within', value: slowest, unit: 'ms', bound: { atMost: 1_000 } });
    expectFigure({ attack: what, measure: '/livez at most', value: probe.max, unit: 'ms', bound: { atMost: 250 } });
    expect(probe.failures).toBe(0);
  });

  it('a classifier’s answer of 37 KB against a schema with uniqueItems', () => {
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
