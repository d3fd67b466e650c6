import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { CHAT, createKey, question, readyProfile, type Key } from '../support/chat';
import { DatabaseProxy } from '../support/database-proxy';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { InferenceWorker } from '../support/inference-worker';
import { OwnPostgres } from '../support/own-postgres';
import { createProfile } from '../support/profiles';
import { Replicas, tally, type Replica, type Reply } from '../support/replicas';
import { call, during, elapsed } from '../support/steady-load';

const AUTHORIZE = '/v1/inference/router/authorize';

const BLACK_HOLE_MS = 15_000;
const STANDS_STILL_MS = 6_000;
/** Requests during the fault are answered within this time. */
const ANSWERED_MS = 1_500;
/** Callers of /readyz share a result that is at most this old. */
const SHARED_MS = 250;
/** How long a request may wait for a worker. */
const PATIENCE_MS = 1_000;

describe('a dependency that swallows what it is sent', () => {
  let worker: InferenceWorker;
  let hole: Server;
  const swallowing = new Set<Socket>();
  let postgres: OwnPostgres;
  let proxy: DatabaseProxy;
  let replicas: Replicas;
  let healthy: Replica;
  let lost: Replica;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    hole = createServer((socket) => {
      swallowing.add(socket);
      socket.on('error', () => socket.destroy()).resume();
    });
    hole.listen(0, '127.0.0.1');
    await once(hole, 'listening');
    postgres = await OwnPostgres.create();
    proxy = await DatabaseProxy.before(postgres.url);
    const allowed = ['llama-8b.models.svc', worker.host, `127.0.0.1:${(hole.address() as AddressInfo).port}`];
    const variables = { LOG_LEVEL: 'fatal', WORKER_ENDPOINT_ALLOW: allowed.join() };
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, variables);
    healthy = replicas.of(0);
    lost = await replicas.add({ DATABASE_URL: proxy.url });
  }, 60_000);
  afterAll(async () => {
    await proxy.close();
    await replicas.close();
    for (const socket of swallowing) socket.destroy();
    hole.close();
    await worker.close();
    printFigures();
  }, 60_000);

  const record = (attack: string, measure: string, value: number, unit: string, bound: Figure['bound']): void =>
    recordFigure({ row: 19, attack, measure, value, unit, bound });

  it('delays nobody if it is the database of one replica, and the other replica goes on serving', async () => {
    const org = replicas.organisation(healthy);
    const [{ profile_id: hot }, { profile_id: other }] = [await createProfile(org), await createProfile(org)];
    let replicasAsked = 0;
    const wish = (to: Replica, profile: string) => () =>
      call(to, `/v1/inference/profiles/${profile}/state`, {
        desired_state: 'Active',
        desired_replicas: 1 + (replicasAsked++ % 4),
      });
    let [holeAt, healedAt, servedAt] = [0, 0, 0];
    const [lost1, hotReplies, lost2, ...rest] = await during(
      async () => {
        await sleep(1_000);
        holeAt = performance.now();
        await proxy.set('swallow');
        await sleep(BLACK_HOLE_MS);
        healedAt = performance.now();
        await proxy.set('pass');
        await eventually(async () => expect((await call(lost, '/v1/cluster')).status).toBe(200), 10_000);
        servedAt = performance.now();
      },
      [
        wish(lost, hot),
        wish(healthy, hot),
        wish(lost, hot),
        wish(healthy, other),
        () => call(healthy, '/v1/cluster'),
        () => call(healthy, '/v1/restores/events/restore_start', { restore_uuid: newId() }),
      ],
      60,
    );
    const within = (replies: readonly Reply[] = []) =>
      replies.filter(({ askedAt, answeredAt }) => answeredAt > holeAt && askedAt < healedAt);
    const attack = 'black hole between one of two replicas and the database';
    const inHole = [...within(lost1), ...within(lost2)];
    // Requests in progress are counted from the fault on.
    const slowest = Math.max(...inHole.map(({ askedAt, answeredAt }) => answeredAt - Math.max(askedAt, holeAt)));
    record(attack, 'slowest reply of the replica in the hole', slowest, 'ms', { atMost: ANSWERED_MS });
    const refused = (replies: readonly Reply[]) =>
      (100 * replies.filter(({ status }) => ![200, 201, 202].includes(status)).length) / replies.length;
    record(attack, 'refused by the healthy replica', refused(within(rest.flat())), '%', { atMost: 1 });
    record(attack, 'the same, on a row that the other one locks', refused(within(hotReplies)), '%', { atMost: 5 });
    record(attack, 'slowest reply on that row', Math.max(...elapsed(within(hotReplies))), 'ms', { atMost: 6_000 });
    record(attack, 'until the replica serves again', servedAt - healedAt, 'ms', { atMost: 1_000 });
  }, 120_000);

  it('delays a request no longer than the request allows if it is a worker', async () => {
    const org = replicas.organisation(healthy);
    const url = `http://127.0.0.1:${(hole.address() as AddressInfo).port}`;
    const model = await replicas.routeTo([await readyProfile(org, { url })]);
    const key: Key = await createKey(org, { budget_usd: 1_000 });
    const callers = 50;
    const replies = await Promise.all(
      Array.from({ length: callers }, () =>
        call(healthy, CHAT, question(model), key.raw_key, { 'x-request-timeout-ms': String(PATIENCE_MS) }),
      ),
    );
    expect(replies.filter(({ status }) => status < 500 || status === 500)).toEqual([]);
    const attack = `${callers} chats to a worker that never answers, with ${PATIENCE_MS} ms each`;
    record(attack, 'slowest reply after that time', Math.max(...elapsed(replies)) - PATIENCE_MS, 'ms', {
      atMost: 250,
    });
  }, 60_000);

  it('reports a database that stands still to every caller quickly', async () => {
    const org = replicas.organisation(healthy);
    const model = await replicas.routeTo([await readyProfile(org, worker)]);
    const key: Key = await createKey(org, { budget_usd: 1_000 });
    await eventually(async () => expect((await call(healthy, CHAT, question(model), key.raw_key)).status).toBe(200));
    const kinds: Record<string, () => Promise<Reply>> = {
      authorize: () => call(healthy, AUTHORIZE, { request_id: newId(), logical_model: model }, key.raw_key),
      chat: () => call(healthy, CHAT, question(model), key.raw_key),
      'long poll': () => call(healthy, '/v1/inference/outbox?consumer_id=attack&wait_ms=20000'),
      'create a cluster': () => call(healthy, '/v1/cluster', { cluster_name: `cluster-${newId()}` }),
      readyz: () => call(healthy, '/readyz'),
    };
    // Waiting polls receive the error too, at their next read.
    let [resumedAt, pausedAt] = [0, 0];
    const replies = await during(
      async () => {
        await sleep(1_000);
        pausedAt = performance.now();
        postgres.pause();
        await sleep(STANDS_STILL_MS);
        postgres.resume();
        resumedAt = performance.now();
        await eventually(async () => expect((await call(healthy, '/readyz')).status).toBe(200), 10_000);
      },
      Object.values(kinds),
      50,
    );
    const attack = `PostgreSQL stands still (SIGSTOP) for ${STANDS_STILL_MS / 1_000} s`;
    for (const [place, kind] of Object.keys(kinds).entries()) {
      const from = pausedAt + (kind === 'readyz' ? SHARED_MS : 0);
      const within = (replies[place] ?? []).filter(({ askedAt }) => askedAt > from && askedAt < resumedAt - 1_500);
      expect(Object.keys(tally(within))).toEqual(['503']);
      record(attack, `slowest reply: ${kind}`, Math.max(...elapsed(within)), 'ms', { atMost: ANSWERED_MS });
    }
    const served = replies.flat().filter(({ status, askedAt }) => status === 200 && askedAt > resumedAt);
    const back = Math.min(...served.map(({ answeredAt }) => answeredAt)) - resumedAt;
    record(attack, 'from its return to the first success', back, 'ms', { atMost: 2_000 });
  }, 120_000);
});
