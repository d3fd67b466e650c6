import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { profileFor, registered, type ProfileOf } from '../../../support/artifacts';
import { buildEvent, buildProfile, reportPhase, reportEvent } from '../../../support/profiles';
import {
  ask,
  asked,
  clusterOf,
  databaseNow,
  expectUnauthenticated,
  experimentOf,
  startWorker,
  type Worker,
} from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import { nodeResource, podResource, syncAll } from '../../../support/workloads';
import { DAY, HOUR, MINUTE } from '../../../support/durations';

const PATH = 'startup-comparison';
const CHECKPOINT = 's3://checkpoints/one';

interface Comparison {
  profile_id: string;
  starts: JsonObject[];
}

describe('GET /v1/inference/startup-comparison', () => {
  let service: Service;
  let org: Organisation;
  let profile: ProfileOf;
  let clusterId: string;
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    profile = await profileFor(org, { logical_model: 'the model' });
    clusterId = await clusterOf(org);
    now = await databaseNow(service);
  });
  afterAll(() => service.close());

  const compared = async (of = org) => (await asked(of.viewer, PATH)) as Comparison[];
  const comparison = async ({ profile_id: id } = profile) =>
    (await compared()).find(({ profile_id: one }) => one === id);
  const start = (worker: Partial<Worker> = {}, of = profile) =>
    startWorker(org, clusterId, of.profile_id, { readyAt: now - HOUR, tookMs: 1_000, ...worker });
  const starts = async (tookMs: readonly number[], worker: Partial<Worker> = {}) => {
    for (const ms of tookMs) await start({ ...worker, tookMs: ms });
  };

  const nothing = () => ({
    profile_id: profile.profile_id,
    logical_model: 'the model',
    cold: null,
    restored: null,
    saved_ms: null,
    speedup: null,
    starts: [],
  });

  it('is empty without profiles, and shows profiles without measurements', async () => {
    expect(await compared()).toEqual([nothing()]);
    expect(await compared(await service.organisation())).toEqual([]);
  });

  it('uses real starts only: an estimate is no sample', async () => {
    const estimating = await profileFor(org, { estimated_cold_start_ms: 30_000 });
    expect(await comparison(estimating)).toMatchObject({ cold: null, starts: [] });
  });

  it('has medians by nearest rank, the time that a restore saves, and its speed-up', async () => {
    await starts([40_000, 10_000, 30_000, 20_000]);
    await starts([6_000, 4_000, 5_000], { path: CHECKPOINT });
    expect(await comparison()).toMatchObject({
      // Of four the second, and the fourth (3.8) for 95 %.
      cold: { samples: 4, p50_ms: 20_000, p95_ms: 40_000 },
      restored: { samples: 3, p50_ms: 5_000, p95_ms: 6_000 },
      saved_ms: 20_000 - 5_000,
      speedup: 20_000 / 5_000,
    });
  });

  it.each([
    [[1_000], [4_000], 1_000 - 4_000, 1_000 / 4_000],
    [[3_000, 1_000], [0, 9_000], 1_000 - 0, null],
    [[0], [2_000], 0 - 2_000, 0],
    [[2_500], [], null, null],
    [[], [2_500], null, null],
  ])('compares cold starts in %j ms with restores in %j', async (cold, restored, saved_ms, speedup) => {
    await starts(cold);
    await starts(restored, { path: CHECKPOINT });
    expect(await comparison()).toMatchObject({ saved_ms, speedup });
    expect(await comparison()).toMatchObject({
      cold: cold.length > 0 ? { samples: cold.length } : null,
      restored: restored.length > 0 ? { samples: restored.length } : null,
    });
  });

  it('lists the starts, newest first, each with its pod and its checkpoint', async () => {
    const artifactId = await registered(org, profile, { uri: 's3://checkpoints/registered' });
    const pod = podResource({ name: 'worker-7' });
    await syncAll(org.controller, clusterId, [nodeResource('node-1'), pod]);
    const at = (hours: number) => now - hours * HOUR;
    await start({ readyAt: at(3), tookMs: 2_001, pod: pod.metadata.uid });
    await start({ readyAt: at(1), tookMs: 1_234, path: CHECKPOINT });
    await start({ readyAt: at(2), tookMs: 5, artifactId });
    const time = (hours: number) => new Date(at(hours)).toISOString();
    expect((await comparison())?.starts).toEqual([
      { checkpoint_path: CHECKPOINT, pod_name: '', ready_at: time(1), restored: true, start_time_ms: 1_234 },
      {
        checkpoint_path: 's3://checkpoints/registered',
        pod_name: '',
        ready_at: time(2),
        restored: true,
        start_time_ms: 5,
      },
      { checkpoint_path: null, pod_name: 'worker-7', ready_at: time(3), restored: false, start_time_ms: 2_001 },
    ]);
  });

  it('counts a worker with a failed restore as cold', async () => {
    const pod = await start({ path: CHECKPOINT, tookMs: 9_000 });
    const failed = buildEvent(clusterId, profile.profile_id, {
      kind: 'restore.failed',
      workload_uid: pod,
      occurred_at: new Date(now - HOUR - 500).toISOString(),
    });
    expect((await reportEvent(org.controller, failed)).status).toBe(204);
    expect(await comparison()).toMatchObject({
      cold: { samples: 1, p50_ms: 9_000 },
      restored: null,
      starts: [{ checkpoint_path: null, restored: false }],
    });
  });

  it('leaves out starts that are not ready or whose beginning was missed', async () => {
    await reportPhase(org.controller, profile.profile_id, 'Ready');
    const scheduled = buildEvent(clusterId, profile.profile_id, { workload_uid: newId() });
    expect((await reportEvent(org.controller, scheduled)).status).toBe(204);
    expect(await compared()).toEqual([nothing()]);
  });

  it('covers all time: there is no window', async () => {
    await start({ readyAt: now - 200 * DAY });
    expect(await comparison()).toMatchObject({ cold: { samples: 1, p50_ms: 1_000, p95_ms: 1_000 } });
  });

  it('compares cold starts with restores, however many of these followed', async () => {
    await starts([30_000], { readyAt: now - DAY });
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, restore_checkpoint_path)
       select $1, gen_random_uuid(), $2, 0, at, true, at + interval '3 seconds', at + interval '4 seconds', 'path'
       from (select clock_timestamp() - n * interval '1 second' as at from generate_series(1, 1100) n) started`,
      [org.id, profile.profile_id],
    );
    expect(await comparison()).toMatchObject({
      cold: { samples: 1, p50_ms: 30_000 },
      restored: { samples: 500, p50_ms: 3_000 },
      speedup: 10,
    });
  });

  it('compares the newest 500 starts of each kind of a profile, and lists 50 of all', async () => {
    // More than a test reports one by one: the newest took 1 ms, the one before 2 ms, and so on; every second
    // one is a restore.
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, restore_checkpoint_path)
       select $1, gen_random_uuid(), $2, 0, at, true, at + n * interval '1 millisecond', at + interval '1 minute', case when n % 2 = 0 then 'path' end
       from (select n, timestamptz '2026-01-01 00:00:00Z' - n * interval '1 minute' as at from generate_series(1, 1100) n) started`,
      [org.id, profile.profile_id],
    );
    const found = await comparison();
    // Cold ones took 1, 3, 5 to 999 ms: the 250th and the 475th of 500. Restores 2, 4, 6 to 1,000.
    expect(found).toMatchObject({
      cold: { samples: 500, p50_ms: 2 * 250 - 1, p95_ms: 2 * 475 - 1 },
      restored: { samples: 500, p50_ms: 2 * 250, p95_ms: 2 * 475 },
      saved_ms: -1,
      speedup: 499 / 500,
    });
    expect(found?.starts.map(({ start_time_ms: ms }) => ms)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  });

  it('treats each profile separately, sorted by name', async () => {
    const names = ['b', 'a', 'c'].map((name) => `zz-${name}`);
    for (const name of names)
      expect((await org.operator.post('/v1/inference/profiles', buildProfile(name))).status).toBe(201);
    await start({ tookMs: 5 }, { ...profile, profile_id: 'zz-b' });
    await start({ tookMs: 7, path: CHECKPOINT }, { ...profile, profile_id: 'zz-c' });
    expect((await compared()).map(({ profile_id: id }) => id)).toEqual([profile.profile_id, 'zz-a', 'zz-b', 'zz-c']);
    expect(await compared()).toMatchObject([
      nothing(),
      { cold: null, restored: null },
      { cold: { p50_ms: 5 }, restored: null },
      { cold: null, restored: { p50_ms: 7 } },
    ]);
  });

  it('continues over pages', async () => {
    for (const place of [1, 2, 3, 4])
      expect((await org.operator.post('/v1/inference/profiles', buildProfile(`zz-${place}`))).status).toBe(201);
    const page = async (query: Record<string, number>) => {
      const { body, headers } = await ask(org.viewer, PATH, query);
      return [(body as Comparison[]).map(({ profile_id: id }) => id), headers.link !== undefined];
    };
    expect(await page({ limit: 2 })).toEqual([[profile.profile_id, 'zz-1'], true]);
    expect(await page({ limit: 2, offset: 2 })).toEqual([['zz-2', 'zz-3'], true]);
    expect(await page({ limit: 2, offset: 4 })).toEqual([['zz-4'], false]);
    expect(await page({ offset: 9 })).toEqual([[], false]);
    expect((await ask(org.viewer, PATH, { limit: 0 })).status).toBe(400);
  });

  it('has the starts of an experiment: those that ended while it ran, of its profile if it has one', async () => {
    const other = await profileFor(org);
    const times = { since: now - 3 * HOUR, until: now - HOUR };
    const ended = await experimentOf(service, org, { ...times, profileId: profile.profile_id });
    const ofAll = await experimentOf(service, org, times);
    const running = await experimentOf(service, org, { since: now - 90 * MINUTE });
    await start({ readyAt: now - 3 * HOUR - 1, tookMs: 1 });
    // It began before the experiment.
    await start({ readyAt: now - 3 * HOUR, tookMs: 2 });
    await start({ readyAt: now - HOUR - 1, tookMs: 3, path: CHECKPOINT });
    await start({ readyAt: now - HOUR, tookMs: 4 });
    await start({ readyAt: now - 2 * HOUR, tookMs: 5 }, other);
    const found = async (experiment_id: string, of = org) =>
      ((await ask(of.viewer, PATH, { experiment_id })).body as Comparison[]).map(({ profile_id: id, starts: some }) => [
        id,
        some.map(({ start_time_ms: ms }) => ms),
      ]);
    const both = [
      [profile.profile_id, [3, 2]],
      [other.profile_id, [5]],
    ].sort();
    expect(await found(ended)).toEqual([[profile.profile_id, [3, 2]]]);
    expect((await found(ofAll)).sort()).toEqual(both);
    expect((await found(running)).sort()).toEqual(
      [
        [profile.profile_id, [4, 3]],
        [other.profile_id, []],
      ].sort(),
    );
    expect(await found(newId())).toEqual([]);
    expect(await found(ended, await service.organisation())).toEqual([]);
    expect((await ask(org.viewer, PATH, { experiment_id: 'none' })).status).toBe(400);
  });

  it('needs a token', () => expectUnauthenticated(service, PATH));

  it('shows nothing of another organisation', async () => {
    await start();
    const stranger = await service.organisation();
    expect(await compared(stranger)).toEqual([]);
    // Of the same name, too.
    const same = await stranger.operator.post('/v1/inference/profiles', buildProfile(profile.profile_id));
    expect(same.status).toBe(201);
    expect(await compared(stranger)).toEqual([{ ...nothing(), logical_model: 'llama-8b' }]);
  });
});
