import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { CHAT, createKey, question, readyProfile } from './chat';
import type { DatabaseProxy } from './database-proxy';
import { eventually } from './eventually';
import type { Figure } from './figures';
import type { InferenceWorker } from './inference-worker';
import type { OwnPostgres } from './own-postgres';
import { createProfile } from './profiles';
import { tally, type Replica, type Replicas, type Reply } from './replicas';
import { call, during, elapsed, failed, mixed, NO_ANSWER } from './steady-load';

/*
 * Attacks on the database of running processes, of any length. test/reliability repeats them in full, and
 * test/attacks in seconds.
 */

/** Requests during a fault are answered within this time. */
export const ANSWERED_MS = 1_500;
/** Callers of /readyz share a result that is at most this old. */
const SHARED_MS = 250;
const LOAD_PER_SECOND = 80;

/** Takes a figure, which fails the test at once or at its end. */
export type RecordFigure = (
  attack: string,
  measure: string,
  value: number,
  unit: string,
  bound: Figure['bound'],
) => void;

/** What every attack allows no process. */
export function survived(record: RecordFigure, attack: string, replica: Replica, replies: readonly Reply[]): void {
  record(attack, 'processes that ended', replica.process.ended ? 1 : 0, '', { atMost: 0 });
  record(attack, 'replies with 500', failed(replies), '', { atMost: 0 });
}

export const healthy = (replica: Replica): Promise<void> =>
  eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 20_000);

/** Restarts PostgreSQL this often, or until the time is over. */
export async function restarts(
  record: RecordFigure,
  { postgres, replica }: { postgres: OwnPostgres; replica: Replica },
  { times, withinMs, atLeast }: { times: number; withinMs: number; atLeast: number },
): Promise<void> {
  let restarted = 0;
  const replies = await during(
    async () => {
      const until = performance.now() + withinMs;
      while (restarted < times && performance.now() < until && !replica.process.ended) {
        await postgres.restart('fast');
        restarted++;
        await sleep(50);
      }
    },
    mixed(replica),
    LOAD_PER_SECOND,
  );
  const attack = `restarts of PostgreSQL at ${LOAD_PER_SECOND} requests/s`;
  record(attack, 'restarts', restarted, '', { atLeast });
  survived(record, attack, replica, replies.flat());
  await healthy(replica);
}

/** Closes half of the connections again and again. */
export async function terminations(
  record: RecordFigure,
  { postgres, replica }: { postgres: OwnPostgres; replica: Replica },
  { lastsMs, atLeast }: { lastsMs: number; atLeast: number },
): Promise<void> {
  const admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  let terminated = 0;
  const replies = await during(
    async () => {
      const until = performance.now() + lastsMs;
      while (performance.now() < until) {
        terminated += await postgres.terminate(admin, 0.5);
        await sleep(30);
      }
    },
    mixed(replica),
    LOAD_PER_SECOND,
  );
  await admin.end();
  const attack = `connections are terminated for ${lastsMs / 1_000} s at ${LOAD_PER_SECOND} requests/s`;
  record(attack, 'terminated', terminated, '', { atLeast });
  record(attack, 'requests without a reply', tally(replies.flat())[NO_ANSWER] ?? 0, '', { atMost: 0 });
  survived(record, attack, replica, replies.flat());
}

/** Two processes on one database, of which one reaches it through a proxy. */
interface Apart {
  readonly replicas: Replicas;
  readonly healthy: Replica;
  readonly lost: Replica;
  readonly proxy: DatabaseProxy;
}

/** The proxy swallows everything, while both processes change the same rows. */
export async function blackHole(record: RecordFigure, apart: Apart, lastsMs: number): Promise<void> {
  const { replicas, healthy: other, lost, proxy } = apart;
  const org = replicas.organisation(other);
  const [{ profile_id: hot }, { profile_id: cool }] = [await createProfile(org), await createProfile(org)];
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
      await sleep(lastsMs);
      healedAt = performance.now();
      await proxy.set('pass');
      await eventually(async () => expect((await call(lost, '/v1/cluster')).status).toBe(200), 10_000);
      servedAt = performance.now();
    },
    [
      wish(lost, hot),
      wish(other, hot),
      wish(lost, hot),
      wish(other, cool),
      () => call(other, '/v1/cluster'),
      () => call(other, '/v1/restores/events/restore_start', { restore_uuid: newId() }),
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
}

/** The proxy loses the packets of single connections, one after the other, while all others live. */
export async function deadConnections(record: RecordFigure, { lost, proxy }: Apart, times: number): Promise<void> {
  const slowest: number[] = [];
  const besides = await during(
    async () => {
      for (let time = 0; time < times; time++) {
        const name = `cluster-${newId()}`;
        proxy.lose({ sends: name, delivered: time % 2 === 0 });
        const { status, askedAt, answeredAt } = await call(lost, '/v1/cluster', { cluster_name: name });
        expect(status).toBe(503);
        slowest.push(answeredAt - askedAt);
      }
    },
    mixed(lost),
    40,
  );
  const attack = `the packets of ${times} of a replica's connections to the database are lost, one by one`;
  record(attack, 'longest wait of their requests', Math.max(...slowest), 'ms', { atMost: ANSWERED_MS });
  const others = besides.flat();
  record(attack, 'other requests refused', others.filter(({ status }) => status >= 500).length, '', { atMost: 0 });
  survived(record, attack, lost, others);
}

/** All processes of PostgreSQL are suspended; the kernel still accepts connections. */
export async function standstill(
  record: RecordFigure,
  {
    replicas,
    replica,
    postgres,
    worker,
  }: {
    replicas: Replicas;
    replica: Replica;
    postgres: OwnPostgres;
    worker: InferenceWorker;
  },
  lastsMs: number,
): Promise<void> {
  const org = replicas.organisation(replica);
  const model = await replicas.routeTo([await readyProfile(org, worker)]);
  const key = await createKey(org, { budget_usd: 1_000 });
  await eventually(async () => expect((await call(replica, CHAT, question(model), key.raw_key)).status).toBe(200));
  const kinds: { readonly [kind: string]: () => Promise<Reply> } = {
    authorize: () =>
      call(replica, '/v1/inference/router/authorize', { request_id: newId(), logical_model: model }, key.raw_key),
    chat: () => call(replica, CHAT, question(model), key.raw_key),
    'long poll': () => call(replica, '/v1/inference/outbox?consumer_id=attack&wait_ms=20000'),
    'create a cluster': () => call(replica, '/v1/cluster', { cluster_name: `cluster-${newId()}` }),
    readyz: () => call(replica, '/readyz'),
  };
  // Waiting polls receive the error too, at their next read.
  let [resumedAt, pausedAt] = [0, 0];
  const replies = await during(
    async () => {
      await sleep(1_000);
      pausedAt = performance.now();
      postgres.pause();
      await sleep(lastsMs);
      postgres.resume();
      resumedAt = performance.now();
      await eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 10_000);
    },
    Object.values(kinds),
    50,
  );
  const attack = `PostgreSQL stands still (SIGSTOP) for ${lastsMs / 1_000} s`;
  for (const [place, kind] of Object.keys(kinds).entries()) {
    const from = pausedAt + (kind === 'readyz' ? SHARED_MS : 0);
    const within = (replies[place] ?? []).filter(({ askedAt }) => askedAt > from && askedAt < resumedAt - 1_500);
    expect(Object.keys(tally(within))).toEqual(['503']);
    record(attack, `slowest reply: ${kind}`, Math.max(...elapsed(within)), 'ms', { atMost: ANSWERED_MS });
  }
  const served = replies.flat().filter(({ status, askedAt }) => status === 200 && askedAt > resumedAt);
  const back = Math.min(...served.map(({ answeredAt }) => answeredAt)) - resumedAt;
  record(attack, 'from its return to the first success', back, 'ms', { atMost: 2_000 });
}
