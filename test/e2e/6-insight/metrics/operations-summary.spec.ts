import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import { inParallel, seeded } from '../../../support/random';
import { buildCluster, buildPod, ok, readyCheckpoint, reportRestore } from '../../../support/workloads';

const DAY_S = 86_400;
const FACTS = 200;

/** The smallest value that at least this share of all values does not exceed. */
function nearestRank(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] as number;
}
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

interface Made {
  uuid: string;
  result: 'succeeded' | 'failed' | 'fallback' | 'running';
  durationNs: number;
  pauseNs: number;
  bytes: number;
  tier: string;
  slurm: boolean;
  ageSeconds: number;
}

describe('the summary of operations', () => {
  let service: Service;
  let org: Organisation;
  const made: Made[] = [];

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const random = seeded(4711);
    const pick = <T>(...values: T[]) => values[Math.floor(random() * values.length)] as T;
    for (let i = 0; i < FACTS; i++) {
      made.push({
        uuid: newId(),
        result: pick('succeeded', 'succeeded', 'succeeded', 'failed', 'fallback', 'running'),
        durationNs: Math.round(10 ** (7 + random() * 5)),
        pauseNs: 0,
        bytes: Math.round(10 ** (4 + random() * 8)),
        tier: pick('local', 'shared', ''),
        slurm: random() < 0.3,
        // Nothing at the edges of the requested windows.
        ageSeconds: pick(60, 1_800, DAY_S, 3 * DAY_S, 6 * DAY_S, 20 * DAY_S, 60 * DAY_S, 89 * DAY_S, 100 * DAY_S),
      });
    }
    await inParallel(made, 8, async ({ uuid, result, durationNs, bytes, tier, slurm }) => {
      const kind = {
        succeeded: 'restore_success',
        fallback: 'restore_success',
        failed: 'restore_error',
        running: 'restore_start',
      } as const;
      const profile = {
        components: [
          { name: 'load', duration: durationNs - 1 },
          { name: 'wake', duration: 1 },
        ],
        io: bytes,
      };
      const reported = {
        status: result,
        workload_type: slurm ? 'slurm' : 'pod',
        error_message: 'OOMKilled',
        metadata: { storage_tier: tier },
      };
      ok(await reportRestore(org, kind[result], { restore_uuid: uuid, runtime_metadata: { profile }, ...reported }));
    });
    await service.db.query(
      `update operation_facts f set started_at = clock_timestamp() - make_interval(secs => reported.age)
       from unnest($1::uuid[], $2::float[]) as reported(id, age) where f.operation_id = reported.id`,
      [made.map(({ uuid }) => uuid), made.map(({ ageSeconds }) => ageSeconds)],
    );
  });
  afterAll(() => service.close());

  const summary = async (query = '', caller = org.viewer) =>
    ok(await caller.get(`/v1/metrics/operations/summary${query}`)).body;

  const expected = (facts: readonly Made[]) => {
    const of = (result: Made['result']) => facts.filter((fact) => fact.result === result);
    const times = of('succeeded').map(({ durationNs }) => durationNs);
    const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, null];
    return {
      operation: 'restore',
      attempts: facts.length,
      succeeded: of('succeeded').length,
      failed: of('failed').length,
      fallbacks: of('fallback').length,
      bytes_total: sum(of('succeeded').map(({ bytes }) => bytes)),
      p50_ns: nearestRank(times, 0.5),
      p95_ns: nearestRank(times, 0.95),
      pause_p50_ns: null,
      pause_p95_ns: null,
      to_ready_count: 0,
      to_ready_p50_ns: null,
      to_ready_p95_ns: null,
      duration_buckets: bounds.map((le) => ({ le, count: times.filter((ns) => le === null || ns <= le * 1e9).length })),
    };
  };

  it.each([
    ['an hour', 3_600, 60],
    ['a day and ten minutes', DAY_S + 600, 900],
    ['7 days', 7 * DAY_S, 3_600],
    ['30 days', 30 * DAY_S, 21_600],
    ['90 days', 90 * DAY_S, DAY_S],
  ])('equals the sum of the facts of %s, if it covers that window', async (_name, seconds, step) => {
    const inside = made.filter(({ ageSeconds }) => ageSeconds < seconds);
    const body = await summary(`?time=${seconds}`);
    const { attempts, succeeded, failed, fallbacks } = expected(inside);
    expect(body).toMatchObject({ attempts, succeeded, failed, fallbacks, window_seconds: seconds, step_seconds: step });
    expect(body.operations[1]).toEqual(expected(inside));
    expect(body.operations[0]).toMatchObject({ operation: 'checkpoint', attempts: 0, p50_ns: null, bytes_total: 0 });
    expect(body.failures).toEqual([{ operation: 'restore', stage: 'unknown', reason: 'OOMKilled', count: failed }]);

    const done = inside.filter(({ result }) => result === 'succeeded');
    const loads = done.map(({ durationNs }) => durationNs - 1);
    expect(body.stages).toEqual([
      {
        operation: 'restore',
        stage: 'load',
        count: done.length,
        p50_ns: nearestRank(loads, 0.5),
        p95_ns: nearestRank(loads, 0.95),
        total_ns: sum(loads),
      },
      { operation: 'restore', stage: 'wake', count: done.length, p50_ns: 1, p95_ns: 1, total_ns: done.length },
    ]);

    expect(body.tiers).toHaveLength(3);
    for (const tier of ['local', 'shared', '']) {
      const on = inside.filter((fact) => fact.tier === tier);
      const { attempts: tried, succeeded: ended, bytes_total: bytes, p50_ns: p50 } = expected(on);
      expect(body.tiers).toContainEqual({
        operation: 'restore',
        storage_tier: tier,
        attempts: tried,
        succeeded: ended,
        bytes_total: bytes,
        p50_ns: p50,
      });
    }

    const over = (name: string) => sum(body.timeline.map((row: Record<string, number>) => row[name]));
    expect([over('succeeded'), over('failed'), over('fallbacks')]).toEqual([succeeded, failed, fallbacks]);
    const buckets: number[] = body.timeline.map(({ bucket_ms: ms }: { bucket_ms: number }) => ms);
    expect(buckets).toEqual([...new Set(buckets)].sort((a, b) => a - b));
    expect(buckets.every((ms) => ms % (step * 1_000) === 0)).toBe(true);
  });

  it('covers 7 days by default, and 90 at most', async () => {
    expect(await summary()).toEqual({ ...(await summary(`?time=${7 * DAY_S}`)), window_seconds: 604_800 });
    for (const time of [90 * DAY_S + 1, 999_999_999_999]) {
      const body = await summary(`?time=${time}`);
      expect(body).toMatchObject({
        window_seconds: 90 * DAY_S,
        attempts: made.filter(({ ageSeconds }) => ageSeconds < 90 * DAY_S).length,
      });
    }
  });

  it('covers one kind of workload or operation on request', async () => {
    const inside = made.filter(({ ageSeconds }) => ageSeconds < 7 * DAY_S);
    expect((await summary('?workload=slurm')).operations[1]).toEqual(expected(inside.filter(({ slurm }) => slurm)));
    expect((await summary('?workload=kubernetes')).operations[1]).toEqual(
      expected(inside.filter(({ slurm }) => !slurm)),
    );
    const checkpoints = await summary('?operation=checkpoint');
    expect(checkpoints).toMatchObject({ attempts: 0, stages: [], tiers: [], failures: [], timeline: [] });
    expect(checkpoints.operations).toHaveLength(1);
    expect((await summary('?operation=restore&workload=slurm')).operations).toEqual([
      expected(inside.filter(({ slurm }) => slurm)),
    ]);
  });

  it.each(['time=0', 'time=-1', 'time=week', 'time=1.5', 'workload=nomad', 'operation=heartbeat', 'operation=Restore'])(
    'answers 400 for %s',
    async (query) => {
      expect((await org.viewer.get(`/v1/metrics/operations/summary?${query}`)).status).toBe(400);
    },
  );

  it('is separate per organisation', async () => {
    const other = await service.organisation();
    const body = await summary(`?time=${90 * DAY_S}`, other.viewer);
    expect(body).toMatchObject({ attempts: 0, stages: [], tiers: [], failures: [], timeline: [] });
    expect(body.artifact_size_buckets).toEqual(Array.from({ length: 10 }, () => expect.objectContaining({ count: 0 })));
  });

  it('has at most 168 time buckets, whatever the clocks say', async () => {
    const own = await service.organisation();
    const window = 7 * DAY_S;
    await service.db.query(
      `insert into operation_facts (org_id, operation_id, op_type, result, name, namespace, node_name, pod_uid, checkpoint_name, kind, platform,
         gpu_model, reason, source, storage_tier, workload_type, failure_reason, failure_stage, failure_reason_label, failure_stage_label,
         duration_ns, pause_ns, logical_bytes, physical_bytes, started_at)
       select $1::uuid, gen_random_uuid(), 'restore', (array['succeeded', 'failed', 'fallback'])[1 + i % 3], '', '', '', '', '', '', '',
         '', '', '', '', 'kubernetes', '', '', '', '', 1, 0, 0, 0, clock_timestamp() - make_interval(secs => i * 1801 - 90000)
       from generate_series(0, 385) as i where i * 1801 - 90000 < $2`,
      [own.id, window - 5],
    );
    const body = await summary('', own.viewer);
    const buckets = new Set(body.timeline.map(({ bucket_ms: ms }: { bucket_ms: number }) => ms));
    expect(buckets.size).toBe(168);
    expect(body.attempts).toBe(386);
    const over = (name: string) => sum(body.timeline.map((row: Record<string, number>) => row[name]));
    expect([over('succeeded'), over('failed'), over('fallbacks')]).toEqual([
      body.succeeded,
      body.failed,
      body.fallbacks,
    ]);
  });

  it('contains the downtime of workloads, and the sizes of checkpoints', async () => {
    const own = await service.organisation();
    const pod = await buildPod(own, await buildCluster(own));
    const pauses = [5, 1, 9, 3, 7];
    for (const pause of pauses)
      await readyCheckpoint(own, pod.uid, {
        info: { freezing_time: 1, frozen_time: pause, pages_written: pause * 256, storage_tier: 'local' },
      });
    const body = await summary('', own.viewer);
    expect(body.operations[0]).toMatchObject({
      pause_p50_ns: 5_000,
      pause_p95_ns: 9_000,
      p50_ns: 6_000,
      p95_ns: 10_000,
      bytes_total: 25 * 2 ** 20,
    });
    // 1 MiB is inclusive.
    expect(body.artifact_size_buckets.slice(0, 3)).toEqual([
      { le: 2 ** 20, count: 1 },
      { le: 2 ** 24, count: 5 },
      { le: 2 ** 26, count: 5 },
    ]);
    expect(body.artifact_size_buckets.at(-1)).toEqual({ le: null, count: 5 });
  });

  it('is exact beyond the precision of a double', async () => {
    const own = await service.organisation();
    const info = { components: [{ name: 'x', duration: Number.MAX_SAFE_INTEGER, io: Number.MAX_SAFE_INTEGER }] };
    for (let i = 0; i < 3; i++)
      ok(await reportRestore(own, 'restore_success', { restore_uuid: newId(), runtime_metadata: info }));
    const { text } = await own.viewer.get('/v1/metrics/operations/summary');
    expect(text).toContain('"bytes_total":27021597764222973');
    expect(text).toContain('"total_ns":27021597764222973');
    expect((await own.viewer.get('/v1/metrics/export')).status).toBe(200);
  });
});
