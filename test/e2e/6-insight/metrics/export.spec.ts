import { spawnSync } from 'node:child_process';
import { newId } from '../../../../src/1-platform/common/ids';
import { itWith } from '../../../support/components';
import { inForm } from '../../../support/form';
import { ack, eventsOf, read, write } from '../../../support/outbox';
import { buildPolicy, ofNamespace } from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { inParallel, seeded } from '../../../support/random';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  samplesOf,
  takeUp,
  reportRestore,
} from '../../../support/workloads';

const ATTEMPTS = inForm(60, 150);
const MAX_STAGE_LABELS = 64;
const MAX_FAILURE_LABELS = 128;

const label = (name: string, sample: string) => new RegExp(`[{,]${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(sample)?.[1];

describe('the export', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  const exportOf = async ({ viewer }: Organisation) => ok(await viewer.get('/v1/metrics/export')).text;
  const summaryOf = async ({ viewer }: Organisation) =>
    ok(await viewer.get('/v1/metrics/operations/summary?time=7776000')).body;

  /** All but what shows whether others do their work. */
  const countedIn = (text: string) =>
    new Map([...samplesOf(text)].filter(([name]) => !/^(cluster|outbox|checkpoint_polic)/.test(name)));
  /** Counters, with the counts and sums of histograms and summaries: all that may only grow. */
  const counters = (text: string) =>
    new Map([...countedIn(text)].filter(([name]) => !name.startsWith('checkpoint_operations_running')));
  const expectGrowth = (before: Map<string, number>, after: Map<string, number>) => {
    for (const [name, value] of before)
      expect([name, after.get(name) ?? -1]).toEqual([name, Math.max(value, after.get(name) ?? -1)]);
  };

  /** Attempts of every kind and result, reported in every order. */
  async function drive(org: Organisation, clusterId: string, seed: number, count: number): Promise<void> {
    const random = seeded(seed);
    const pod = await buildPod(org, clusterId);
    const pick = <T>(...values: T[]) => values[Math.floor(random() * values.length)] as T;
    const tree = () => ({
      components: Array.from({ length: pick(1, 2, 3) }, () => ({
        name: pick('criu dump', 'upload', 'cuda "x"', 'wake\nup', 'map'),
        duration: Math.round(10 ** (6 + random() * 6)),
        io: pick(0, Math.round(10 ** (3 + random() * 9)), 2 ** 20, 2 ** 30),
        parallel: pick(true, false, undefined),
      })),
    });
    const criu = () => ({
      freezing_time: pick(0, 50),
      frozen_time: Math.round(10 ** (2 + random() * 6)),
      pages_written: Math.round(random() * 1e6),
    });
    const reason = () => pick('OOMKilled', 'connection refused', '', 'something odd', 'no space left on device');
    const chance = (share: number) => random() < share;

    const plans = Array.from({ length: count }, () => {
      if (chance(0.5)) {
        const id = () => askCheckpoint(org, pod.uid).then((actionId) => takeUp(org, actionId));
        const info = pick<unknown>(tree(), criu(), { a: tree(), b: criu() }, null, undefined);
        const [again, fails, uploads, deprecates] = [
          chance(0.3),
          chance(0.2) ? reason() || 'broke' : undefined,
          chance(0.8),
          chance(0.2),
        ];
        const informs = chance(0.8);
        return async () => {
          const checkpoint = await id();
          if (informs) ok(await putInfo(org, checkpoint, info));
          if (again) ok(await putInfo(org, checkpoint, { ...criu(), failure_stage: 'memdump' }));
          if (fails) ok(await putInfo(org, checkpoint, info, { error: fails }));
          else if (uploads) ok(await putUploaded(org, checkpoint, '/p'));
          if (deprecates) ok(await org.operator.patch(`/v1/checkpoints/deprecate/${checkpoint}`));
        };
      }
      const uuid = newId();
      const reported = {
        restore_uuid: uuid,
        cluster_id: clusterId,
        error_message: reason(),
        status: pick('fallback', 'ok', ''),
        metadata: { storage_tier: pick('local', 'shared'), failure_stage: pick('map', 'fetch image', undefined) },
        runtime_metadata: pick<unknown>(
          tree(),
          { restore: { restore_time: 5_000_000, pages_restored: 77 } },
          undefined,
        ),
      };
      const events = Array.from(
        { length: pick(1, 2, 3, 5) },
        () => pick('restore_start', 'restore_success', 'restore_error') as 'restore_start',
      );
      const profile = chance(0.4) ? tree() : undefined;
      return async () => {
        for (const event of events) ok(await reportRestore(org, event, reported));
        if (profile) ok(await org.controller.put(`/v1/restores/${uuid}/profile`, profile));
      };
    });
    await inParallel(plans, 8, (plan) => plan());
  }

  /** Every number of the summary over all facts, as the export names it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- looks into the answer freely
  function asExport(summary: any): Map<string, number> {
    const samples = new Map<string, number>();
    const quoted = (text: string) =>
      `"${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`;
    for (const row of summary.operations) {
      const of = `operation="${row.operation}"`;
      const results = { succeeded: row.succeeded, failed: row.failed, fallback: row.fallbacks };
      for (const [result, value] of Object.entries(results))
        samples.set(`checkpoint_operations_total{${of},result="${result}"}`, value);
      samples.set(`checkpoint_operations_running{${of}}`, row.attempts - row.succeeded - row.failed - row.fallbacks);
      for (const { le, count } of row.duration_buckets)
        samples.set(`checkpoint_operation_duration_seconds_bucket{${of},le="${le ?? '+Inf'}"}`, count);
      samples.set(`checkpoint_operation_duration_seconds_count{${of}}`, row.duration_buckets.at(-1).count);
    }
    for (const { le, count } of summary.artifact_size_buckets)
      samples.set(`checkpoint_artifact_size_bytes_bucket{le="${le ?? '+Inf'}"}`, count);
    samples.set('checkpoint_artifact_size_bytes_count', summary.artifact_size_buckets.at(-1).count);
    samples.set('checkpoint_artifact_size_bytes_sum', summary.operations[0].bytes_total);
    for (const { operation, stage, count, total_ns: total } of summary.stages) {
      samples.set(
        `checkpoint_operation_stage_duration_seconds_sum{operation="${operation}",stage=${quoted(stage)}}`,
        total / 1e9,
      );
      samples.set(
        `checkpoint_operation_stage_duration_seconds_count{operation="${operation}",stage=${quoted(stage)}}`,
        count,
      );
    }
    for (const { operation, stage, reason, count } of summary.failures)
      samples.set(
        `checkpoint_operation_failures_total{operation="${operation}",stage=${quoted(stage)},reason=${quoted(reason)}}`,
        count,
      );
    return samples;
  }

  it('is text in the format of Prometheus, even without any fact', async () => {
    const answer = await (await service.organisation()).viewer.get('/v1/metrics/export');
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = samplesOf(answer.text);
    expect(samples.get('checkpoint_operations_total{operation="restore",result="fallback"}')).toBe(0);
    expect(samples.get('checkpoint_operation_duration_seconds_bucket{operation="checkpoint",le="+Inf"}')).toBe(0);
    expect([...samples.values()].every((value) => value === 0)).toBe(true);
    expect((await service.as(undefined).get('/v1/metrics/export')).status).toBe(401);
  });

  it('agrees with the summary, and never decreases', async () => {
    const org = await service.organisation();
    const [kept, doomed] = [await buildCluster(org), await buildCluster(org)];
    const outside = await service.organisation();
    await drive(outside, await buildCluster(outside), 5, 10);
    await drive(org, kept, 1, ATTEMPTS);

    const text = await exportOf(org);
    const samples = countedIn(text);
    const summary = await summaryOf(org);
    expect(Math.min(summary.succeeded, summary.failed, summary.fallbacks)).toBeGreaterThan(5);
    expect(summary.stages.length).toBeGreaterThan(5);
    // The summary does not contain the sum of durations; the facts do.
    const sums = await service.db.query(
      "select op_type, sum(duration_ns)::float8 / 1e9 as seconds from operation_facts where org_id = $1 and result = 'succeeded' group by op_type",
      [org.id],
    );
    const expected = asExport(summary);
    // Nobody has used a model.
    for (const name of ['inference_cost_usd_total', 'inference_reserved_usd']) expected.set(name, 0);
    for (const { op_type: type, seconds } of sums.rows)
      expected.set(`checkpoint_operation_duration_seconds_sum{operation="${type}"}`, seconds);
    const near = (numbers: Map<string, number>) =>
      Object.fromEntries([...numbers].sort().map(([name, value]) => [name, Number(value.toPrecision(12))]));
    expect(near(samples)).toEqual(near(expected));

    await drive(org, doomed, 2, 30);
    const grown = counters(await exportOf(org));
    expectGrowth(counters(text), grown);
    const ended = async (): Promise<number[]> => {
      const { succeeded, failed, fallbacks } = await summaryOf(org);
      return [succeeded, failed, fallbacks];
    };
    const before = await ended();
    // Facts of a deleted cluster stay once they have ended, so that summary and export continue to agree.
    ok(await org.operator.delete(`/v1/cluster/${doomed}`));
    expect(counters(await exportOf(org))).toEqual(grown);
    expect(await ended()).toEqual(before);
    await drive(org, kept, 3, 10);
    expectGrowth(grown, counters(await exportOf(org)));
  });

  it('says what model traffic cost, as the ledger of its keys does, and what is reserved', async () => {
    const org = await service.organisation();
    const costs = async () => {
      const samples = samplesOf(await exportOf(org));
      return [samples.get('inference_cost_usd_total'), samples.get('inference_reserved_usd')];
    };
    for (const [spent, reserved, overrun] of [
      [1.25, 0.5, 0.125],
      [2, 0, 0],
    ])
      await service.db.query(
        `insert into inference_keys (org_id, id, name, digest, models, spent_usd, reserved_usd, overrun_usd, revoked_at)
         values ($1, $2, 'k', $3, '{}', $4, $5, $6, now())`,
        [org.id, newId(), Buffer.from(newId()), spent, reserved, overrun],
      );
    expect(await costs()).toEqual([3.375, 0.5]);
  });

  const now = async (): Promise<number> => {
    const { rows } = await service.db.query<{ now: number }>(
      'select extract(epoch from clock_timestamp())::float8 as now',
    );
    return rows[0]?.now ?? NaN;
  };

  it('shows when each cluster last reported, of its organisation only', async () => {
    const [org, other] = [await service.organisation(), await service.organisation()];
    const before = await now();
    const name = 'a "quoted" name';
    const [id, gone] = [await buildCluster(org, name), await buildCluster(org)];
    await buildCluster(other);
    // It has not reported yet.
    ok(await org.operator.post('/v1/cluster', { cluster_name: 'new' }));
    ok(await org.operator.delete(`/v1/cluster/${gone}`));
    const found = [...samplesOf(await exportOf(org))].filter(([series]) => series.startsWith('cluster_last_report'));
    const labels = `cluster_id="${id}",cluster="a \\"quoted\\" name"`;
    expect(found).toEqual([[`cluster_last_report_timestamp_seconds{${labels}}`, expect.any(Number)]]);
    expect(found[0]?.[1]).toBeGreaterThanOrEqual(before);
    expect(found[0]?.[1]).toBeLessThanOrEqual(await now());
  });

  it('shows how far each consumer of the last day is behind, and when it was last seen', async () => {
    const org = await service.organisation();
    const before = await now();
    for (const consumer of ['steady', 'stuck', 'gone']) ok(await read(org.controller, { consumer_id: consumer }));
    await write(service.app, org.id, {}, {}, {});
    const [, second] = eventsOf(await read(org.controller, { consumer_id: 'steady' }));
    expect((await ack(org.controller, 'steady', second?.id ?? 0)).status).toBe(204);
    await service.db.query(
      "update outbox_consumers set seen_at = clock_timestamp() - interval '25 hours' where org_id = $1 and id = 'gone'",
      [org.id],
    );
    const samples = samplesOf(await exportOf(org));
    const lagOf = (consumer: string) => samples.get(`outbox_consumer_lag_events{consumer="${consumer}"}`);
    expect(['steady', 'stuck', 'gone'].map(lagOf)).toEqual([1, 3, undefined]);
    const seen = samples.get('outbox_consumer_last_seen_timestamp_seconds{consumer="stuck"}');
    expect(seen).toBeGreaterThanOrEqual(before);
    expect(seen).toBeLessThanOrEqual(await now());
  });

  it('counts policies whose beats are late, and says by how much', async () => {
    const [org, other] = [await service.organisation(), await service.organisation()];
    const late = async (of: Organisation) => {
      const samples = samplesOf(await exportOf(of));
      return [samples.get('checkpoint_policies_late'), samples.get('checkpoint_policy_lateness_seconds')];
    };
    const cluster = await buildCluster(org);
    const policies = [];
    for (let made = 0; made < 4; made++) policies.push(await buildPolicy(org, ofNamespace(cluster)));
    expect(await late(org)).toEqual([0, 0]);
    const delay = (id: string | undefined, seconds: number) =>
      service.db.query('update policies set next_at = clock_timestamp() - make_interval(secs => $2) where id = $1', [
        id,
        seconds,
      ]);
    await delay(policies[0], 30);
    await delay(policies[1], 90);
    await delay(policies[2], 3_600);
    const [count, seconds] = await late(org);
    expect(count).toBe(2);
    expect(seconds).toBeGreaterThanOrEqual(3_600);
    expect(seconds).toBeLessThan(3_700);
    expect(await late(other)).toEqual([0, 0]);
  });

  it('counts nothing twice: deprecations, late profiles, contradicting events', async () => {
    const org = await service.organisation();
    const pod = await buildPod(org, await buildCluster(org));
    const { checkpointId } = await readyCheckpoint(org, pod.uid, {
      info: { components: [{ name: 'x', duration: 5e9, io: 100 }] },
    });
    const uuid = newId();
    const end = { restore_uuid: uuid, runtime_metadata: { components: [{ name: 'y', duration: 7e9, io: 9 }] } };
    ok(await reportRestore(org, 'restore_success', end));
    const before = await exportOf(org);
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${checkpointId}`));
    ok(await org.controller.put(`/v1/restores/${uuid}/profile`, { components: [{ name: 'z', duration: 1e9 }] }));
    ok(await reportRestore(org, 'restore_error', { ...end, error_message: 'late' }));
    ok(await reportRestore(org, 'restore_success', end));
    ok(await reportRestore(org, 'restore_start', end));
    expect(await exportOf(org)).toBe(before);
  });

  it('has a bounded number of labels, whatever concurrent nodes report, and no pod names', async () => {
    const org = await service.organisation();
    const pod = await buildPod(org, await buildCluster(org), { name: 'secret-pod-7' });
    const names = Array.from({ length: 200 }, (_, i) => `name-${i}`);
    await inParallel(names, 10, async (name, i) => {
      if (i % 2 === 0) {
        const checkpoint = await takeUp(org, await askCheckpoint(org, pod.uid));
        ok(await putInfo(org, checkpoint, { components: [{ name, duration: 1 }] }));
        ok(await putUploaded(org, checkpoint));
      }
      // A late profile counts nothing but stages.
      const late = newId();
      ok(
        await reportRestore(org, 'restore_success', {
          restore_uuid: late,
          started_at: '2026-06-01T10:00:00Z',
          completed_at: '2026-06-01T10:00:01Z',
        }),
      );
      ok(
        await org.controller.put(`/v1/restores/${late}/profile`, {
          components: [
            { name, duration: 1 },
            { name: 'fixed', duration: 1 },
          ],
        }),
      );
      ok(
        await reportRestore(org, 'restore_error', {
          restore_uuid: newId(),
          error_message: `reason-${i}`,
          metadata: { failure_stage: name, pod_name: 'secret-pod-7' },
        }),
      );
      if (i % 4 > 0) return;
      ok(
        await reportRestore(org, 'restore_error', {
          restore_uuid: newId(),
          error_message: `pod secret-pod-7 broke at ${i}`,
        }),
      );
    });
    const text = await exportOf(org);
    const samples = [...samplesOf(text)];
    const stagesOf = (operation: string) =>
      samples.filter(([name]) =>
        name.startsWith(`checkpoint_operation_stage_duration_seconds_count{operation="${operation}"`),
      );
    for (const [operation, total] of [
      ['checkpoint', 100],
      ['restore', 400],
    ] as const) {
      const labels = stagesOf(operation).map(([name]) => label('stage', name));
      expect(labels.filter((stage) => stage !== 'other')).toHaveLength(MAX_STAGE_LABELS);
      expect(labels).toContain('other');
      expect(stagesOf(operation).reduce((sum, [, count]) => sum + count, 0)).toBe(total);
    }
    const failures = samples.filter(([name]) => name.startsWith('checkpoint_operation_failures_total'));
    const others = failures.filter(([name]) => label('reason', name) === 'other' && label('stage', name) === 'other');
    expect(failures.length - others.length).toBeLessThanOrEqual(MAX_FAILURE_LABELS);
    expect(others).toHaveLength(1);
    expect(failures.reduce((sum, [, count]) => sum + count, 0)).toBe(250);
    expect((await summaryOf(org)).failures).toHaveLength(failures.length);
    expect(text).not.toContain('secret-pod');
    expect(text).not.toContain(pod.uid);
  });

  itWith(['promtool'], 'passes promtool check metrics', async () => {
    const org = await service.organisation();
    const check = async () =>
      spawnSync('promtool', ['check', 'metrics'], { input: await exportOf(org), encoding: 'utf8' });
    const empty = await check();
    expect([empty.status, empty.stderr, empty.stdout]).toEqual([0, '', '']);
    await drive(org, await buildCluster(org), 9, 40);
    const full = await check();
    expect([full.status, full.stderr, full.stdout]).toEqual([0, '', '']);
  });
});
