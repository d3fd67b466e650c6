import type { NestExpressApplication } from '@nestjs/platform-express';
import { SavingsRefreshes } from '../../../../src/6-insight/savings/savings-refreshes';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { age, checkpointAt, containerAt, failureAt, SAVINGS, savingsOf } from '../../../support/savings';
import { inForm } from '../../../support/form';
import { inParallel, seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, ok, putInfo, takeUp } from '../../../support/workloads';
import { MINUTE } from '../../../support/durations';

const START = Date.parse('2026-11-20T10:00:00Z');

let service: Service;
let second: { app: NestExpressApplication; url: string };
let replicas: [SavingsRefreshes, SavingsRefreshes];
/** The work of the sweep, which the tests start themselves. */
let rounds: (() => Promise<0 | undefined>)[];

beforeAll(async () => {
  service = await Service.start();
  second = await service.replica();
  replicas = [service.app.get(SavingsRefreshes), second.app.get(SavingsRefreshes)];
  rounds = replicas.map((one) => one.runAll.bind(one));
});
afterAll(() => service.close());

let org: Organisation;
let clusterId: string;
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await buildCluster(org);
});

const refreshedAt = async (of = org): Promise<Date | undefined> => {
  const { rows } = await service.db.query<{ refreshed_at: Date }>(
    'select refreshed_at from savings_refreshes where org_id = $1',
    [of.id],
  );
  return rows[0]?.refreshed_at;
};
const uncounted = async (of = org): Promise<number> =>
  (await service.db.query('select from uncounted_checkpoints where org_id = $1', [of.id])).rowCount ?? 0;
const total = async (): Promise<unknown> => (await org.viewer.get(`${SAVINGS}/summary`)).body.total_checkpoints;
const aPod = async (name = 'pod') => (await buildPod(org, clusterId, { name })).uid;

describe('savings are refreshed', () => {
  it('refreshes savings for a reader if no sweep has run, or its result is over five minutes old', async () => {
    const uid = await aPod();
    await checkpointAt(service, org, uid, START);
    expect(await refreshedAt()).toBeUndefined();
    expect(await total()).toBe(1);
    const first = await refreshedAt();

    await checkpointAt(service, org, uid, START + MINUTE);
    for (const path of ['', '/summary', '/estimate?hourly_rate=1'])
      expect((await org.viewer.get(SAVINGS + path)).status).toBe(200);
    expect([await total(), await refreshedAt(), await uncounted()]).toEqual([1, first, 1]);
    await age(service, org, 290);
    expect(await total()).toBe(1);

    for (const [path, count] of [
      ['', 2],
      ['/summary', 3],
      ['/estimate?hourly_rate=1', 4],
    ] as const) {
      await age(service, org, 301);
      const { body } = await org.viewer.get(SAVINGS + path);
      expect(path === '' ? body[0].checkpoint_count : body.total_checkpoints).toBe(count);
      expect(await uncounted()).toBe(0);
      await checkpointAt(service, org, uid, START + count * MINUTE);
    }
    const { body } = await org.viewer.get(SAVINGS);
    expect(body[0].refreshed_at).toBe((await refreshedAt())?.toISOString());
  });

  it('refreshes by a sweep every organisation whose savings would be too old by the next run', async () => {
    const young = await service.organisation();
    const fresh = await service.organisation();
    await checkpointAt(service, org, await aPod(), START);
    for (const one of [young, fresh]) await one.viewer.get(SAVINGS);
    await age(service, young, 200);
    const [youngBefore, freshBefore] = [await refreshedAt(young), await refreshedAt(fresh)];
    expect(await rounds[0]?.()).toBeUndefined();
    expect(await uncounted()).toBe(0);
    expect([await refreshedAt(young), await refreshedAt(fresh)]).toEqual([youngBefore, freshBefore]);
    await age(service, young, 241);
    await rounds[1]?.();
    expect((await refreshedAt(young))?.getTime()).toBeGreaterThan(youngBefore?.getTime() ?? Infinity);
    expect(await refreshedAt(fresh)).toEqual(freshBefore);
  });

  it('refreshes savings once, by one of two replicas', async () => {
    const uid = await aPod();
    for (let n = 0; n < 5; n++) await checkpointAt(service, org, uid, START + n * MINUTE);
    const done = await Promise.all(
      Array.from({ length: 10 }, (_, n) => replicas[n % 2 ? 0 : 1].run({ orgId: org.id }, 240)),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await total()).toBe(5);

    await age(service, org);
    await checkpointAt(service, org, uid, START + 5 * MINUTE);
    const ask = async (url: string): Promise<JsonObject> => {
      const headers = { authorization: `Bearer ${org.viewer.token}` };
      return (await (await fetch(`${url}${SAVINGS}/summary`, { headers })).json()) as JsonObject;
    };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n % 2 ? service.url : second.url)));
    expect(new Set(answers.map(({ refreshed_at }) => refreshed_at)).size).toBe(1);
    expect(answers.map(({ total_checkpoints }) => total_checkpoints)).toEqual(answers.map(() => 6));
  });

  it('refreshes a few pods at a time, with the same result', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const uid = await aPod(name);
      for (let n = 0; n < 3; n++) await checkpointAt(service, org, uid, START + n * MINUTE);
    }
    const limits = [
      { workloads: 2, checkpoints: 5_000 },
      { workloads: 100, checkpoints: 4 },
      { workloads: 1, checkpoints: 1 },
      { workloads: 5, checkpoints: 15 },
    ];
    for (const atOnce of limits) {
      await replicas[0].run({ orgId: org.id }, 0, atOnce);
      expect(await uncounted()).toBe(0);
      await age(service, org);
      expect(await total()).toBe(15);
      // All of it again.
      await service.db.query('delete from pod_savings where org_id = $1', [org.id]);
      await service.db.query(
        `insert into uncounted_checkpoints
         select org_id, gen_random_uuid(), cluster_id, pod_id::text, id, false from actions where org_id = $1`,
        [org.id],
      );
    }
  });

  it('refreshes savings without the pods of a cluster that is being deleted, and does not wait for it', async () => {
    const doomed = await buildCluster(org);
    for (const id of [doomed, clusterId]) await checkpointAt(service, org, (await buildPod(org, id)).uid, START);
    const client = await service.db.connect();
    try {
      await client.query('begin');
      // As a deletion does.
      await client.query('select pg_advisory_xact_lock(hashtextextended($1::text, 0))', [doomed]);
      expect(await total()).toBe(1);
      await client.query('rollback');
    } finally {
      client.release();
    }
    await age(service, org);
    expect(await total()).toBe(2);
  });
});

interface Seed {
  readonly pod: number;
  readonly at: number;
  readonly reason: 'heartbeat' | 'manual';
  readonly fails: boolean;
  readonly seconds: number;
  readonly bytes: number;
  /** When a further container is ready, or fails. */
  readonly further: { readonly at: number; readonly fails: boolean } | null;
}

const PODS = 3;

/** Some checkpoints of some pods, sometimes two at the same time. */
function history(seed: number, count: number): Seed[] {
  const random = seeded(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: count }, () => {
    const at = START + below(90) * MINUTE + below(2) * 500;
    return {
      pod: below(PODS),
      at,
      reason: below(3) === 0 ? 'manual' : 'heartbeat',
      fails: below(6) === 0,
      // Without a duration, the time from its request to its end would count.
      seconds: 1 + below(60),
      bytes: below(1e9),
      further: below(5) === 0 ? { at: at + below(60) * MINUTE, fails: below(3) === 0 } : null,
    };
  });
}

/** By plain arithmetic over everything. */
function expectedOf(seeds: readonly Seed[]): JsonObject[] {
  const made = seeds
    .filter(({ fails, further }) => !fails && !further?.fails)
    .map((seed) => ({ ...seed, at: Math.max(seed.at, seed.further?.at ?? 0), containers: seed.further ? 2 : 1 }));
  return Array.from({ length: PODS }, (_, pod) => {
    const own = made.filter((seed) => seed.pod === pod).sort((a, b) => a.at - b.at);
    if (own.length === 0) return undefined;
    const times = own.map(({ at }) => at);
    const gaps = times.slice(1).map((at, place) => (at - (times[place] ?? 0)) / 1_000);
    const sum = (of: (seed: (typeof own)[number]) => number) => own.reduce((all, seed) => all + of(seed), 0);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    return {
      pod_name: `pod-${pod}`,
      first_checkpoint: new Date(first).toISOString(),
      last_checkpoint: new Date(last).toISOString(),
      checkpoint_count: own.length,
      heartbeat_checkpoints: own.filter(({ reason }) => reason === 'heartbeat').length,
      manual_checkpoints: own.filter(({ reason }) => reason === 'manual').length,
      total_checkpoint_duration_ns: sum(({ seconds, containers }) => seconds * containers) * 1e9,
      total_checkpoint_size_bytes: sum(({ bytes, containers }) => bytes * containers),
      min_interval_seconds: gaps.length > 0 ? Math.min(...gaps) : null,
      max_recovery_point_seconds: gaps.length > 0 ? Math.max(...gaps) : null,
      time_protected_seconds: (last - first) / 1_000,
    };
  }).filter((one) => one !== undefined);
}

const byName = (rows: readonly JsonObject[]) =>
  [...rows].sort((a, b) => String(a.pod_name).localeCompare(String(b.pod_name)));

describe('the order of reports makes no difference', () => {
  /** Reports one checkpoint, from the request to its end. */
  async function report(of: Organisation, uids: readonly string[], seed: Seed): Promise<void> {
    const uid = uids[seed.pod] ?? '';
    if (seed.fails) return failureAt(service, of, uid, seed.at);
    const container = { seconds: seed.seconds, bytes: seed.bytes };
    const actionId = await checkpointAt(service, of, uid, seed.at, { reason: seed.reason, containers: [container] });
    if (seed.further?.fails) ok(await putInfo(of, await takeUp(of, actionId), undefined, { error: 'lost' }));
    else if (seed.further) await containerAt(service, of, actionId, seed.further.at, container);
  }
  const pods = async (of: Organisation): Promise<string[]> => {
    const cluster = await buildCluster(of);
    return Promise.all(
      Array.from({ length: PODS }, async (_, n) => (await buildPod(of, cluster, { name: `pod-${n}` })).uid),
    );
  };

  it.each(inForm([7], [7, 20_261_121, 4_711]))(
    'the time of the refresh makes no difference (seed %d)',
    async (seed) => {
      const random = seeded(seed);
      const seeds = history(seed, 24);
      const expected = expectedOf(seeds);
      expect(expected.length).toBeGreaterThan(1);
      const orders: Seed[][] = [
        [...seeds].sort((a, b) => a.at - b.at),
        [...seeds].sort((a, b) => b.at - a.at),
        seeds
          .map((one) => [random(), one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one),
      ];
      for (const order of orders) {
        const own = await service.organisation();
        const uids = await pods(own);
        for (const one of order) {
          await report(own, uids, one);
          if (random() < 0.4) await replicas[random() < 0.5 ? 0 : 1].run({ orgId: own.id }, 0);
        }
        expect(byName(await savingsOf(service, own))).toMatchObject(expected);
      }
    },
  );

  it('replicas that refresh while checkpoints are reported make no difference', async () => {
    const uids = await pods(org);
    // The clock of the tests is shared, and stands still here.
    service.clock.set(new Date(START));
    let reporting = true;
    const adding = replicas.map(async (replica) => {
      let did = 0;
      while (reporting) if (await replica.run({ orgId: org.id }, 0)) did++;
      return did;
    });
    const asks = Array.from({ length: 60 }, (_, n) => n);
    await inParallel(asks, 6, async (n) => {
      const container = { seconds: 1, bytes: n };
      const actionId = await checkpointAt(service, org, uids[n % PODS] ?? '', START, { containers: [container] });
      // Some continue, and some of those fail.
      if (n % 4 === 0) await containerAt(service, org, actionId, START, container);
      if (n % 12 === 1) ok(await putInfo(org, await takeUp(org, actionId), undefined, { error: 'lost' }));
    });
    reporting = false;
    const did = await Promise.all(adding);
    expect(did.reduce((all, one) => all + one, 0)).toBeGreaterThan(5);
    const kept = asks.filter((n) => n % 12 !== 1);
    const rows = byName(await savingsOf(service, org));
    expect(rows).toMatchObject(
      uids.map((_, pod) => {
        const own = kept.filter((n) => n % PODS === pod);
        return {
          pod_name: `pod-${pod}`,
          checkpoint_count: own.length,
          total_checkpoint_size_bytes: own.reduce((all, n) => all + n * (n % 4 === 0 ? 2 : 1), 0),
          total_checkpoint_duration_ns: own.reduce((all, n) => all + (n % 4 === 0 ? 2 : 1) * 1e9, 0),
          time_protected_seconds: 0,
        };
      }),
    );
  });
});
