import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { age, ARTIFACTS, profileFor, registered, type ProfileOf } from '../../../support/artifacts';
import { buildEvent, reportPhase, reportEvent } from '../../../support/profiles';
import {
  ask,
  asked,
  clusterOf,
  databaseNow,
  experimentOf,
  expectRefused,
  expectUnauthenticated,
  observed,
  REFUSED,
  startWorker,
  type Experiment,
  type Query,
  type Worker,
} from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { DAY, HOUR, MINUTE, SECOND } from '../../../support/durations';

const PATH = 'analytics';

const NOTHING = {
  evidence: 'none',
  sample_count: 0,
  window_hours: 24,
  experiment_id: null,
  profile_id: null,
  serving: {
    requests: 0,
    fallbacks: 0,
    deadline_misses: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    average_ttft_ms: null,
    ttft_count: 0,
    tokens_per_second: null,
    timed_count: null,
  },
  startup: { cold: null, restore: null, warm: null, saved_p50_ms: null, speedup_p50: null },
  storage: {
    logical_bytes: 0,
    physical_bytes: 0,
    reused_bytes: 0,
    written_bytes: 0,
    transferred_bytes: 0,
    dedup_ratio: null,
    incremental_ratio: null,
  },
};

/** Requests of an experiment are counted one by one. */
const NO_REQUEST = { ...NOTHING, serving: { ...NOTHING.serving, timed_count: 0 } };

describe('GET /v1/inference/analytics', () => {
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
    now = await databaseNow(service);
  });
  afterAll(() => service.close());

  const analytics = (query: Query = {}, of = org) => asked(of.viewer, PATH, query);
  const write = (...requests: readonly Partial<Request>[]) =>
    writeRequests(service.db, org, ...requests.map(({ at = now - HOUR, ...members }) => buildRequest(at, members)));

  it('is zeros and nulls without activity', async () => {
    expect(await analytics()).toEqual(NOTHING);
    expect(await analytics({ profile_id: 'nobody' })).toEqual({ ...NOTHING, profile_id: 'nobody' });
    const experiment = newId();
    expect(await analytics({ experiment_id: experiment })).toEqual({ ...NO_REQUEST, experiment_id: experiment });
  });

  it.each([
    [{}, 24],
    [{ hours: 1 }, 1],
    [{ hours: 2_160 }, 2_160],
    [{ hours: 2_161 }, 2_160],
    [{ hours: '99999999999999999999999' }, 2_160],
  ] as [Query, number][])('covers with the query %j the last %i hours', async (query, hours) => {
    await write(
      { at: now - hours * HOUR + MINUTE, prompt_tokens: 10 },
      { at: now - hours * HOUR - SECOND, prompt_tokens: 1 },
    );
    expect(await analytics(query)).toMatchObject({ window_hours: hours, serving: { requests: 1, prompt_tokens: 10 } });
  });

  it.each(REFUSED)('refuses %j', (query, field) => expectRefused(org.viewer, PATH, query, field));

  it('needs a token', () => expectUnauthenticated(service, PATH));

  describe('of served requests', () => {
    it('adds up reported values, and averages only those', async () => {
      await write(
        { status_code: 200, fallback_used: true, prompt_tokens: 100, completion_tokens: 60, ttft_ms: 300, backend_ms: 2_000 },
        { status_code: 500, deadline_missed: true, prompt_tokens: 11, completion_tokens: 40, ttft_ms: 500, backend_ms: 500 },
        // A report of only one of the two says nothing about the pace.
        { status_code: 200, completion_tokens: 1_000, ttft_ms: 0 },
        { status_code: 200, completion_tokens: 1_000, backend_ms: 0 },
        { status_code: 200, fallback_used: true, backend_ms: 60_000 },
        {},
      ); // prettier-ignore
      expect(await analytics()).toEqual({
        ...NOTHING,
        evidence: 'measured',
        sample_count: 6,
        serving: {
          requests: 6,
          fallbacks: 2,
          deadline_misses: 1,
          prompt_tokens: 100 + 11,
          completion_tokens: 60 + 40 + 1_000 + 1_000,
          average_ttft_ms: (300 + 500 + 0) / 3,
          ttft_count: 3,
          tokens_per_second: (60 + 40) / ((2_000 + 500) / 1_000),
          timed_count: null,
        },
      });
    });

    it('says of how many requests of an experiment its means are', async () => {
      const experiment_id = newId();
      const timed = { completion_tokens: 10, backend_ms: 100, experiment_id };
      await write(
        timed,
        { ...timed, ttft_ms: 300 },
        { ...timed, backend_ms: undefined, ttft_ms: 100 },
        { ...timed, backend_ms: 0 },
        { experiment_id },
        { ...timed, experiment_id: newId(), ttft_ms: 9 },
      );
      expect((await analytics({ experiment_id })).serving).toMatchObject({
        requests: 5,
        average_ttft_ms: 200,
        ttft_count: 2,
        tokens_per_second: 100,
        timed_count: 2,
      });
    });

    it('has zero tokens per second if none was completed, and null if nobody was busy', async () => {
      await write({ completion_tokens: 0, backend_ms: 100 });
      expect((await analytics()).serving).toMatchObject({ tokens_per_second: 0, average_ttft_ms: null });
      const other = await service.organisation();
      await writeRequests(service.db, other, buildRequest(now - HOUR, { completion_tokens: 5, backend_ms: 0 }));
      expect((await analytics({}, other)).serving).toMatchObject({ completion_tokens: 5, tokens_per_second: null });
    });

    it('has every digit of its sums', async () => {
      const most = Number.MAX_SAFE_INTEGER;
      await write({ prompt_tokens: most, completion_tokens: most }, { prompt_tokens: most, completion_tokens: most });
      const { text } = await ask(org.viewer, PATH);
      const sum = (BigInt(most) * 2n).toString();
      expect(text).toContain(`"prompt_tokens":${sum},"completion_tokens":${sum},`);
    });
  });

  describe('of starts', () => {
    beforeEach(async () => {
      profile = await profileFor(org, { estimated_cold_start_ms: 77_000 });
      clusterId = await clusterOf(org);
    });

    const start = (worker: Partial<Worker> = {}, of = profile) =>
      startWorker(org, clusterId, of.profile_id, { readyAt: now - HOUR, tookMs: 1_000, ...worker });
    const startup = async (query: Query = {}) => (await analytics(query)).startup as JsonObject;
    /** In no particular order. */
    const starts = async (tookMs: readonly number[], worker: Partial<Worker> = {}) => {
      for (const ms of tookMs) await start({ ...worker, tookMs: ms });
    };
    const PATH_OF_CHECKPOINT = { path: 's3://checkpoints/one' };

    it.each([
      [[5_000], 5_000, 5_000],
      [[9_000, 1_000], 1_000, 9_000],
      [[9_000, 1_000, 4_000], 4_000, 9_000],
      [[3_000, 9_000, 1_000, 4_001], 3_000, 9_000],
    ])('shows for cold starts in %j ms the nearest-rank median %i and 95th percentile %i', async (tookMs, p50, p95) => {
      await starts(tookMs);
      expect(await analytics()).toMatchObject({
        evidence: 'measured',
        sample_count: tookMs.length,
        startup: {
          cold: { samples: tookMs.length, p50_ms: p50, p95_ms: p95 },
          restore: null,
          saved_p50_ms: null,
          speedup_p50: null,
        },
      });
    });

    it('takes the nineteenth of twenty starts as the 95th percentile', async () => {
      await starts(Array.from({ length: 20 }, (_, place) => ((place * 7) % 20) * 100 + 100));
      // 1 to 20 hundreds, mixed: 50 % of 20 is the 10th, 95 % the 19th.
      expect((await startup()).cold).toEqual({ samples: 20, p50_ms: 1_000, p95_ms: 1_900 });
      await start({ tookMs: 5_000 });
      // 50 % of 21 is the 11th, 95 % (19.95) the 20th.
      expect((await startup()).cold).toEqual({ samples: 21, p50_ms: 1_100, p95_ms: 2_000 });
    });

    it('compares cold starts with restores', async () => {
      await starts([30_000, 10_000, 20_000, 40_000]);
      await starts([4_000, 5_000, 6_000], PATH_OF_CHECKPOINT);
      expect(await analytics()).toMatchObject({
        sample_count: 4 + 3,
        startup: {
          cold: { samples: 4, p50_ms: 20_000, p95_ms: 40_000 },
          restore: { samples: 3, p50_ms: 5_000, p95_ms: 6_000 },
          saved_p50_ms: 20_000 - 5_000,
          speedup_p50: 20_000 / 5_000,
        },
      });
    });

    it('shows when a restore is slower, or takes no time', async () => {
      await starts([1_000]);
      await starts([3_000], PATH_OF_CHECKPOINT);
      expect(await startup()).toMatchObject({ saved_p50_ms: 1_000 - 3_000, speedup_p50: 1_000 / 3_000 });
      await starts([0, 0], PATH_OF_CHECKPOINT);
      expect(await startup()).toMatchObject({
        restore: { samples: 3, p50_ms: 0, p95_ms: 3_000 },
        saved_p50_ms: 1_000,
        speedup_p50: null,
      });
    });

    it('counts workers with a checkpoint as restores, except those that failed to restore', async () => {
      const artifactId = await registered(org, profile);
      await starts([2_000], PATH_OF_CHECKPOINT);
      await starts([3_000], { artifactId });
      const pod = await start({ ...PATH_OF_CHECKPOINT, tookMs: 50_000 });
      const failed = buildEvent(clusterId, profile.profile_id, {
        kind: 'restore.failed',
        workload_uid: pod,
        occurred_at: new Date(now - HOUR - 1_000).toISOString(),
      });
      expect((await reportEvent(org.controller, failed)).status).toBe(204);
      expect(await startup()).toMatchObject({
        cold: { samples: 1, p50_ms: 50_000 },
        restore: { samples: 2, p50_ms: 2_000, p95_ms: 3_000 },
      });
    });

    it('counts starts that became ready in the window, with a known beginning', async () => {
      // Began before it, and was ready in it.
      await start({ readyAt: now - DAY + HOUR, tookMs: 2 * HOUR });
      await start({ readyAt: now - DAY - SECOND, tookMs: 1 });
      // Ready when it was first reported; and not ready at all.
      await reportPhase(org.controller, (await profileFor(org)).profile_id, 'Ready');
      const scheduled = buildEvent(clusterId, profile.profile_id, { workload_uid: newId() });
      expect((await reportEvent(org.controller, scheduled)).status).toBe(204);
      expect(await analytics()).toMatchObject({
        sample_count: 1,
        startup: { cold: { samples: 1, p50_ms: 2 * HOUR } },
      });
      expect((await startup({ hours: 25 })).cold).toMatchObject({ samples: 2, p50_ms: 1 });
    });

    it('covers the requested profile', async () => {
      const other = await profileFor(org);
      await starts([1_000, 2_000, 3_000]);
      await start({ tookMs: 9_000 }, other);
      expect((await startup()).cold).toMatchObject({ samples: 4 });
      expect((await startup({ profile_id: profile.profile_id })).cold).toMatchObject({ samples: 3, p50_ms: 2_000 });
      expect((await startup({ profile_id: other.profile_id })).cold).toMatchObject({ samples: 1, p50_ms: 9_000 });
    });

    it('uses the estimates of profiles if nothing was measured', async () => {
      const estimated = { samples: 0, p50_ms: 77_000, p95_ms: null };
      expect(await analytics()).toEqual({
        ...NOTHING,
        evidence: 'estimated',
        startup: { ...NOTHING.startup, cold: estimated },
      });
      for (const estimate of [0, 90_000, 10_000]) await profileFor(org, { estimated_cold_start_ms: estimate });
      // 10, 77 and 90 seconds; a profile without an estimate does not count.
      expect((await startup()).cold).toEqual(estimated);
      const slowest = await profileFor(org, { estimated_cold_start_ms: 100_000 });
      // Of 10, 77, 90 and 100 the second.
      expect((await startup()).cold).toEqual(estimated);
      expect((await startup({ profile_id: slowest.profile_id })).cold).toEqual({ ...estimated, p50_ms: 100_000 });
      const unknown = newId();
      expect(await analytics({ experiment_id: unknown })).toEqual({ ...NO_REQUEST, experiment_id: unknown });
      const silent = await profileFor(org);
      expect(await analytics({ profile_id: silent.profile_id })).toEqual({
        ...NOTHING,
        profile_id: silent.profile_id,
      });
    });

    it('uses no estimate if anything was measured', async () => {
      await starts([2_000], PATH_OF_CHECKPOINT);
      expect(await analytics()).toMatchObject({ evidence: 'measured', sample_count: 1, startup: { cold: null } });
      const other = await profileFor(org, { estimated_cold_start_ms: 1 });
      expect(await analytics({ profile_id: other.profile_id })).toMatchObject({ evidence: 'estimated' });
      await write({ profile_id: other.profile_id });
      expect(await analytics({ profile_id: other.profile_id })).toMatchObject({
        evidence: 'measured',
        sample_count: 1,
        startup: { cold: null },
      });
    });
  });

  describe('of requests that a ready worker served', () => {
    const warm = async (waits: readonly (number | null)[], members: Partial<Request> = {}) =>
      write(...waits.map((queue_ms) => ({ profile_id: 'p', activation_path: 'warm', queue_ms, ...members })));
    const found = async (query: Query = {}) => (await analytics(query)).startup.warm as JsonObject;

    it.each([
      [[0], 0, 0],
      [[8, 2], 2, 8],
      [[8, 2, 5], 5, 8],
      [[7, 7, 1, 9], 7, 9],
      [[1, 1, 1, 2, 900], 1, 900],
    ])(
      'shows for requests that a ready worker served after %j ms the nearest-rank median %i and 95th percentile %i',
      async (waits, p50, p95) => {
        await warm(waits);
        expect(await found()).toEqual({ samples: waits.length, p50_ms: p50, p95_ms: p95 });
      },
    );

    it('counts each of several equal waits', async () => {
      await warm(Array.from({ length: 19 }, () => 3));
      await warm([100]);
      // 95 % of 20 is the 19th.
      expect(await found()).toEqual({ samples: 20, p50_ms: 3, p95_ms: 3 });
      await warm([100]);
      // 95 % of 21 is the 20th.
      expect(await found()).toEqual({ samples: 21, p50_ms: 3, p95_ms: 100 });
    });

    it('is the same over hours, and over the parts of hours at both ends', async () => {
      const oldest = now - DAY + MINUTE;
      await warm([10], { at: oldest });
      await warm([20, 20], { at: now - 12 * HOUR });
      await warm([30], { at: now - MINUTE });
      await warm([1_000], { at: now - DAY - SECOND });
      expect(await found()).toEqual({ samples: 4, p50_ms: 20, p95_ms: 30 });
      await warm([5, 5], { at: oldest });
      // 5, 5, 10, 20, 20, 30: the third.
      expect(await found()).toEqual({ samples: 6, p50_ms: 10, p95_ms: 30 });
    });

    it('leaves out cold requests, unknown waits, and requests that no worker served', async () => {
      await warm([null]);
      await warm([1], { activation_path: 'restore' });
      await warm([2], { activation_path: 'cold' });
      await warm([3], { activation_path: null });
      await warm([4], { profile_id: null });
      expect(await analytics()).toMatchObject({ sample_count: 5, startup: { warm: null } });
      await warm([5]);
      expect(await found()).toEqual({ samples: 1, p50_ms: 5, p95_ms: 5 });
    });

    it('covers the profile, the experiment, or both', async () => {
      const experiment_id = newId();
      await warm([1, 2, 3]);
      await warm([10, 20], { experiment_id });
      await warm([100], { experiment_id, profile_id: 'q' });
      expect(await found()).toMatchObject({ samples: 6, p50_ms: 3 });
      expect(await found({ profile_id: 'p' })).toEqual({ samples: 5, p50_ms: 3, p95_ms: 20 });
      expect(await found({ experiment_id })).toEqual({ samples: 3, p50_ms: 20, p95_ms: 100 });
      expect(await found({ experiment_id, profile_id: 'p' })).toEqual({ samples: 2, p50_ms: 10, p95_ms: 20 });
      expect(await found({ experiment_id: newId() })).toBeNull();
    });
  });

  describe('of storage', () => {
    beforeEach(async () => {
      profile = await profileFor(org);
    });
    const storage = async (query: Query = {}) => (await analytics(query)).storage as JsonObject;

    it('adds up bytes, and computes the ratio from artifacts that report both', async () => {
      for (const bytes of [
        { logical_bytes: 1_000, physical_bytes: 400, reused_bytes: 600, written_bytes: 200 },
        { logical_bytes: 500, physical_bytes: 200, reused_bytes: 0, written_bytes: 100 },
        // A report of only one of the two says nothing about the ratio.
        { logical_bytes: 7_000, reused_bytes: 50 },
        { physical_bytes: 30, written_bytes: 9 },
        {},
      ])
        await registered(org, profile, bytes);
      expect(await storage()).toEqual({
        logical_bytes: 1_000 + 500 + 7_000,
        physical_bytes: 400 + 200 + 30,
        reused_bytes: 600 + 0 + 50,
        written_bytes: 200 + 100 + 9,
        transferred_bytes: 0,
        dedup_ratio: (1_000 + 500) / (400 + 200),
        incremental_ratio: (600 + 0) / (600 + 200 + 0 + 100),
      });
      // Neither is a request, nor a start.
      expect(await analytics()).toMatchObject({ evidence: 'none', sample_count: 0 });
    });

    it('has no ratio without data', async () => {
      await registered(org, profile, { logical_bytes: 10, physical_bytes: 0, reused_bytes: 0, written_bytes: 0 });
      expect(await storage()).toMatchObject({ logical_bytes: 10, dedup_ratio: null, incremental_ratio: null });
      await registered(org, profile, { logical_bytes: 0, physical_bytes: 5, reused_bytes: 4, written_bytes: 0 });
      expect(await storage()).toMatchObject({ dedup_ratio: (10 + 0) / (0 + 5), incremental_ratio: 4 / 4 });
    });

    it('covers artifacts that were registered in the window, whatever their status', async () => {
      const gone = await registered(org, profile, { logical_bytes: 1 });
      await org.operator.delete(`${ARTIFACTS}/${gone}`);
      const expired = await registered(org, profile, { logical_bytes: 10 });
      await org.controller.patch(`${ARTIFACTS}/${expired}`, { status: 'expired' });
      const old = await registered(org, profile, { logical_bytes: 100 });
      await age(service, org, old, 2);
      expect(await storage()).toMatchObject({ logical_bytes: 1 + 10 });
      expect(await storage({ hours: 49 })).toMatchObject({ logical_bytes: 1 + 10 + 100 });
    });

    it('has the transferred bytes of observations', async () => {
      const at = (ms: number) => new Date(ms).toISOString();
      const experiment_id = newId();
      await observed(org, { transferred_bytes: 1, started_at: at(now - MINUTE) });
      await observed(org, { transferred_bytes: 10, started_at: at(now - HOUR), profile_id: profile.profile_id });
      await observed(org, { transferred_bytes: 100, started_at: at(now - HOUR), experiment_id });
      await observed(org, { transferred_bytes: 1_000, started_at: at(now - DAY - SECOND) });
      await observed(org, { written_bytes: 5, started_at: at(now - HOUR) });
      expect(await storage()).toMatchObject({ transferred_bytes: 1 + 10 + 100, written_bytes: 0 });
      expect(await storage({ hours: 25 })).toMatchObject({ transferred_bytes: 1 + 10 + 100 + 1_000 });
      expect(await storage({ profile_id: profile.profile_id })).toMatchObject({ transferred_bytes: 10 });
      expect(await storage({ experiment_id })).toMatchObject({ transferred_bytes: 100 });
      expect(await storage({ experiment_id, profile_id: profile.profile_id })).toMatchObject({ transferred_bytes: 0 });
    });

    it('has every digit of its sums', async () => {
      const most = Number.MAX_SAFE_INTEGER;
      const members = { logical_bytes: most, physical_bytes: most, reused_bytes: most, written_bytes: most };
      for (let times = 0; times < 3; times++) {
        await registered(org, profile, members);
        await observed(org, { transferred_bytes: most });
      }
      const sum = (BigInt(most) * 3n).toString();
      const { text } = await ask(org.viewer, PATH);
      for (const name of [...Object.keys(members), 'transferred_bytes'])
        expect(text).toMatch(new RegExp(`"${name}":${sum}[,}]`));
      expect(await storage()).toMatchObject({ dedup_ratio: 1, incremental_ratio: most / (most + most) });
    });
  });

  describe('of an experiment', () => {
    let other: ProfileOf;

    beforeEach(async () => {
      profile = await profileFor(org);
      other = await profileFor(org);
      clusterId = await clusterOf(org);
      // Of each profile, before the experiment, in its time and after it.
      for (const [place, { profile_id: id }] of [profile, other].entries())
        for (const [turn, hoursAgo] of [10, 6, 2].entries()) {
          const bytes = 10 ** (place * 3 + turn);
          const readyAt = now - hoursAgo * HOUR;
          await startWorker(org, clusterId, id, { readyAt, tookMs: bytes });
          const artifactId = await registered(org, [profile, other][place] as ProfileOf, { logical_bytes: bytes });
          await service.db.query('update artifacts set created_at = $3 where org_id = $1 and artifact_id = $2', [
            org.id,
            artifactId,
            new Date(readyAt),
          ]);
        }
    });

    const figures = async (query: Query) => {
      const { serving, startup, storage, sample_count: samples } = await analytics(query);
      return {
        requests: serving.requests,
        starts: startup.cold?.samples ?? 0,
        bytes: storage.logical_bytes,
        samples,
      };
    };
    const ran = (times: Partial<Experiment> = {}) =>
      experimentOf(service, org, { since: now - 8 * HOUR, until: now - 4 * HOUR, ...times });
    const withRequests = async (experimentId: string) => {
      // Requests name it, at any time.
      await write(
        { at: now - 9 * HOUR, experiment_id: experimentId, profile_id: profile.profile_id },
        { at: now - 6 * HOUR, experiment_id: experimentId, profile_id: other.profile_id },
        { at: now - 6 * HOUR, profile_id: profile.profile_id },
      );
    };

    it('has its requests, and the starts and artifacts of its time and of its profile', async () => {
      const experiment_id = await ran({ profileId: profile.profile_id });
      await withRequests(experiment_id);
      expect(await figures({})).toEqual({ requests: 3, starts: 6, bytes: 111_111, samples: 3 + 6 });
      expect(await figures({ experiment_id })).toEqual({ requests: 2, starts: 1, bytes: 10, samples: 2 + 1 });
      expect(await figures({ experiment_id, profile_id: profile.profile_id })).toEqual({
        requests: 1,
        starts: 1,
        bytes: 10,
        samples: 1 + 1,
      });
      // Those of another profile do not belong to it.
      expect(await figures({ experiment_id, profile_id: other.profile_id })).toEqual({
        requests: 1,
        starts: 0,
        bytes: 0,
        samples: 1,
      });
    });

    it('counts the requests of all profiles for an experiment without a profile', async () => {
      const experiment_id = await ran();
      await withRequests(experiment_id);
      expect(await figures({ experiment_id })).toMatchObject({ requests: 2, starts: 2, bytes: 10 + 10_000 });
      expect(await figures({ experiment_id, profile_id: other.profile_id })).toMatchObject({
        starts: 1,
        bytes: 10_000,
      });
    });

    it('covers the time until now for an experiment that runs', async () => {
      const experiment_id = await ran({ until: undefined });
      expect(await figures({ experiment_id })).toMatchObject({ starts: 4, bytes: 10 + 100 + 10_000 + 100_000 });
    });

    it('covers the part of its time in the window', async () => {
      const experiment_id = await ran({ since: now - 20 * DAY, until: undefined });
      expect(await figures({ experiment_id, hours: 7 })).toMatchObject({ starts: 4 });
      expect(await figures({ experiment_id, hours: 1 })).toMatchObject({ starts: 0, bytes: 0 });
      const over = await ran({ since: now - 20 * DAY, until: now - 3 * DAY });
      expect(await figures({ experiment_id: over })).toEqual({ requests: 0, starts: 0, bytes: 0, samples: 0 });
    });

    it('is empty if it is unknown or of another organisation', async () => {
      const stranger = await service.organisation();
      const theirs = await experimentOf(service, stranger, { since: now - DAY });
      for (const experiment_id of [newId(), theirs])
        expect(await analytics({ experiment_id })).toEqual({ ...NO_REQUEST, experiment_id });
    });
  });

  it('shows nothing of another organisation', async () => {
    profile = await profileFor(org, { estimated_cold_start_ms: 5 });
    await startWorker(org, await clusterOf(org), profile.profile_id, { readyAt: now - HOUR, tookMs: 1 });
    await registered(org, profile, { logical_bytes: 5 });
    await observed(org, { transferred_bytes: 5, profile_id: profile.profile_id });
    const experiment_id = await experimentOf(service, org, { profileId: profile.profile_id, since: now - HOUR });
    await write({ profile_id: profile.profile_id, experiment_id, activation_path: 'warm', queue_ms: 1 });
    const stranger = await service.organisation();
    expect(await analytics({}, stranger)).toEqual(NOTHING);
    const query = { profile_id: profile.profile_id, experiment_id };
    expect(await analytics(query, stranger)).toEqual({ ...NO_REQUEST, ...query });
  });
});
