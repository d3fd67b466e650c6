import { once } from 'node:events';
import { createServer, type AddressInfo, type LookupFunction, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { allowedEndpoint } from '../../src/1-platform/config/allowed-endpoint';
import { AddressPolicy } from '../../src/1-platform/outbound/address-policy';
import {
  WorkerClient,
  type WorkerClientOptions,
  type WorkerUnreachable,
} from '../../src/1-platform/outbound/worker-client';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { CHAT, createKey, question, RawChat, readyProfile, routeTo, serviceFor, type Key } from '../support/chat';
import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { hostileUrls } from '../support/hostile-urls';
import { dribbles, InferenceWorker } from '../support/inference-worker';
import { onThisMachine } from '../support/machine';
import { seeded } from '../support/random';
import type { Answer, Organisation, Service } from '../support/service';

/** The last line of defence: however an address got here, the service does not connect to it. */
describe('a chat whose worker has a hostile address', () => {
  let worker: InferenceWorker;
  let canary: Server;
  let hits = 0;
  let port: number;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let profileId: string;
  let model: string;

  beforeAll(async () => {
    // Reachable on this machine by any of these addresses.
    canary = createServer((socket) => socket.destroy());
    canary.on('connection', () => hits++);
    canary.listen(0);
    await once(canary, 'listening');
    ({ port } = canary.address() as AddressInfo);
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    key = await createKey(org);
    profileId = await readyProfile(org, worker);
    model = await routeTo(org, [profileId]);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
    await new Promise((resolve) => canary.close(resolve));
    printFigures();
  });

  const ask = (): Promise<Answer> => service.as(key.raw_key).post(CHAT, question(model));
  /** Saving a route makes the replicas read it again. */
  let saved = 0;
  const readAnew = async (): Promise<void> => {
    const body: JsonObject = { logical_model: model, queue_timeout_ms: 1_000 + ++saved };
    expect((await org.operator.post('/v1/inference/routes', body)).status).toBe(200);
  };

  const PLACES: [place: string, store: (url: string) => Promise<unknown>][] = [
    [
      'an activation',
      (url) => service.db.query('update activations set endpoint = $2 where profile_id = $1', [profileId, url]),
    ],
    [
      'a profile',
      async (url) => {
        await service.db.query('update activations set endpoint = null where profile_id = $1', [profileId]);
        await service.db.query('update profiles set backend_url = $2 where profile_id = $1', [profileId, url]);
      },
    ],
  ];

  it.each(PLACES)(
    'answers 503 to a chat, and connects to nobody, if a hostile address of the worker was written into %s',
    async (place, store) => {
      let tried = 0;
      for (const url of hostileUrls(port)) {
        // PostgreSQL stores no such text.
        if (url.includes('\u0000')) continue;
        await store(url);
        await readAnew();
        const answer = await ask();
        expect([url, answer.status, answer.body.code, answer.headers['x-attempts']]).toEqual([
          url,
          503,
          'worker_failed',
          '1',
        ]);
        expect([url, hits]).toEqual([url, 0]);
        tried++;
        // With its colon: the digits alone may be part of the random `instance`.
        expect(answer.text).not.toContain(`:${port}`);
      }
      expect(worker.requests).toEqual([]);
      const attack = `hostile addresses in the database, as ${place}`;
      recordFigure({
        row: 12,
        attack,
        measure: 'connections to a canary',
        value: hits,
        unit: '',
        bound: { atMost: 0 },
      });
      recordFigure({ row: 12, attack, measure: 'addresses', value: tried, unit: '', bound: { atLeast: 60 } });

      // Shows that the test can fail: a worker's real address is connected to.
      await store(worker.url);
      await readAnew();
      expect((await ask()).status).toBe(200);
      expect(worker.requests).toHaveLength(1);
      worker.reset();
    },
  );

  it('follows no redirect of a worker, wherever it points', async () => {
    await PLACES[0]?.[1](worker.url);
    await readAnew();
    let redirects = 0;
    for (const status of inForm([302, 307], [301, 302, 303, 307, 308]))
      // The worker itself too: the service would reach it, if it followed.
      for (const location of [`${worker.url}/elsewhere`, '/elsewhere', ...hostileUrls(port)]) {
        // No server can send it as a header.
        if (!/^[\x20-\x7e]*$/.test(location)) continue;
        worker.behaves(({ response }) => void response.writeHead(status, { location }).end());
        const answer = await ask();
        expect([status, location, answer.status, answer.body.code]).toEqual([status, location, 503, 'worker_failed']);
        expect(JSON.stringify(answer.headers)).not.toContain(`:${port}`);
        redirects++;
      }
    expect(worker.requests).toHaveLength(redirects);
    worker.reset();
    const attack = 'a worker that redirects chats';
    recordFigure({ row: 12, attack, measure: 'connections to a canary', value: hits, unit: '', bound: { atMost: 0 } });
    recordFigure({ row: 12, attack, measure: 'redirects', value: redirects, unit: '', bound: { atLeast: 200 } });
  });

  it('ignores a hostile address in the body of a chat', async () => {
    await PLACES[0]?.[1](worker.url);
    await readAnew();
    const url = `http://127.0.0.1:${port}/v1`;
    const body = question(model, { api_base: url, base_url: url, user_config: { api_base: url }, endpoint: url });
    expect((await service.as(key.raw_key).post(CHAT, body)).status).toBe(200);
    expect([hits, worker.requests.length]).toEqual([0, 1]);
  });
});

// Other systems have one loopback address only.
const onLinux = process.platform === 'linux' ? describe : describe.skip;
onLinux('a name that resolves to another address each time (skipped unless on Linux)', () => {
  const LOOKUPS = 500;

  it('leads to the permitted address, and never to the other one', async () => {
    const worker = await InferenceWorker.start();
    const port = Number(new URL(worker.url).port);
    let hits = 0;
    const canary = createServer((socket) => socket.destroy()).on('connection', () => hits++);
    canary.listen(port, '127.0.0.2');
    await once(canary, 'listening');
    const random = seeded(SEED);
    let address = '';
    const resolve = ((_name, _options, done) => {
      address = random() < 0.5 ? '127.0.0.1' : '127.0.0.2';
      process.nextTick(done, null, [{ address, family: 4 }]);
    }) as LookupFunction as WorkerClientOptions['resolve'];
    const allow = [allowedEndpoint(`127.0.0.1:${port}`)].flatMap((entry) => entry ?? []);
    const client = new WorkerClient(new AddressPolicy({ allow, ownPorts: () => [], databases: [] }), {
      resolve,
      answerTimeoutMs: 600_000,
    });
    const url = `http://rebound.example:${port}/`;
    const seen = { permitted: 0, served: 0, refused: 0 };
    for (let n = 0; n < LOOKUPS; n++) {
      const { signal } = new AbortController();
      const status = await client.post(url, { headers: {}, body: '{}', signal }).then(
        async ({ status, body }) => {
          await text(body);
          return status;
        },
        ({ reason }: WorkerUnreachable) => reason,
      );
      if (address === '127.0.0.1') seen.permitted++;
      if (typeof status === 'number') seen.served++;
      if (status === 'address_refused') seen.refused++;
      // Otherwise the open connection would be used again, and the name not be looked up.
      client.leave(url);
    }
    const requests = worker.requests.length;
    await client.onApplicationShutdown();
    await new Promise((resolve) => canary.close(resolve));
    await worker.close();
    expect(seen).toEqual({ permitted: seen.served, served: seen.served, refused: LOOKUPS - seen.served });
    expect(requests).toBe(seen.served);
    const attack = `a name that resolves to one of two addresses, ${LOOKUPS} times, seed ${SEED}`;
    recordFigure({ row: 12, attack, measure: 'connections to a canary', value: hits, unit: '', bound: { atMost: 0 } });
    const served = (100 * seen.served) / seen.permitted;
    const bound = { atLeast: 100 };
    recordFigure({ row: 12, attack, measure: 'answers of the permitted one', value: served, unit: '%', bound });
    expect(Math.min(seen.served, seen.refused)).toBeGreaterThan(LOOKUPS / 4);
    printFigures();
  });
});

describe('a worker that sends its answer byte by byte', () => {
  let worker: InferenceWorker;
  let service: Service;
  let key: Key;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    const org = await service.organisation();
    key = await createKey(org);
    model = await routeTo(org, [await readyProfile(org, worker)]);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });

  /** They fit into one read from the socket. */
  const CHUNKS = 5_000;

  const STREAM = 'text/event-stream';
  const JSON_TYPE = 'application/json';
  it.each<[name: string, type: string, status: number, first: string, rest: string]>([
    ['in one event of 900 KB and many lines', STREAM, 200, `data: ${'a\n'.repeat(450_000)}`, 'a'.repeat(CHUNKS)],
    ['in one event of 900 KB and one line', STREAM, 200, `data: ${'a'.repeat(900_000)}`, 'a'.repeat(CHUNKS)],
    ['in 2,500 events of two bytes', STREAM, 200, 'data: x\n\n', '\n'.repeat(CHUNKS)],
    ['in 500 events of ten bytes', STREAM, 200, 'data: x\n\n', 'data: yy\n\n'.repeat(CHUNKS / 10)],
    ['in an answer of 900 KB in one piece', JSON_TYPE, 200, `{"x":"${'a'.repeat(900_000)}`, 'a'.repeat(CHUNKS)],
    ['in a refusal', JSON_TYPE, 400, `{"x":"${'a'.repeat(50_000)}`, 'a'.repeat(CHUNKS)],
  ])('leaves the service responsive: %s', async (_name, type, status, first, rest) => {
    worker.behaves(dribbles(first, rest, type, status));
    let slowest = 0;
    let answered = false;
    const answer = RawChat.ask(service, key.raw_key, question(model, { stream: true }))
      .then((chat) => chat.text())
      .finally(() => (answered = true));
    while (!answered) {
      const began = performance.now();
      expect((await service.as(undefined).get('/livez')).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - began);
    }
    if (status === 200) expect((await answer) === first + rest).toBe(true);
    else expect(await answer).toContain('refused_by_worker');
    expect(slowest).toBeLessThan(onThisMachine(1_000));
  });
});
