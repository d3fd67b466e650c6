import type { QueryResultRow } from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { COSTS, saveRates, transferred } from '../../../support/costs';
import { eventually } from '../../../support/eventually';
import { artifactAccounts } from '../../../support/fleet/accounts';
import { Fleet } from '../../../support/fleet/fleet';
import { saveRoute, targetsOf, sendTelemetry } from '../../../support/inference';
import { setState } from '../../../support/profiles';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';
import { HOUR } from '../../../support/durations';

interface Bucket {
  bucket: string;
  requests: number;
  successes: number;
  fallbacks: number;
  deadline_misses: number;
  prompt_tokens: number;
  completion_tokens: number;
  cold_start_avoided_ms: number;
  avg_backend_ms: number | null;
  avg_routing_ms: number | null;
  avg_ttft_ms: number | null;
}
interface Sample {
  samples: number;
  p50_ms: number;
  p95_ms: number | null;
}
interface Analytics {
  sample_count: number;
  serving: Record<string, number | null>;
  startup: { cold: Sample | null; restore: Sample | null; warm: Sample | null };
  storage: Record<string, number | null>;
}
interface Comparison {
  profile_id: string;
  cold: Sample | null;
  restored: Sample | null;
  saved_ms: number | null;
  speedup: number | null;
  starts: { checkpoint_path: string | null; start_time_ms: number; restored: boolean; ready_at: string }[];
}
interface CostRow {
  profile_id: string;
  activation_count: number;
  tokens_served: number;
  node_seconds: number;
  active_duration_s: number;
  idle_time_s: number;
  compute_usd: number;
  storage_usd: number;
  transfer_usd: number;
  total_usd: number;
  release_latency_ms: number | null;
}
interface Artifact {
  artifact_id: string;
  profile_id: string;
  status: string;
  storage_tier: string;
  uri: string;
  physical_bytes: number;
  logical_bytes: number;
  created_at: string;
  observed_restores: number;
  metadata: { promotion?: { state: string; from: string } };
}

const SPEED = 150;
const SEED = 7;
const NODE_USD = 3.6;
const STORAGE_USD = 0.5;
const TRANSFER_USD = 0.09;

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);
/** The smallest value that at least this share of all values does not exceed. */
const nearestRank = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN;
const sampleOf = (values: readonly number[]): Sample | null =>
  values.length === 0
    ? null
    : { samples: values.length, p50_ms: nearestRank(values, 0.5), p95_ms: nearestRank(values, 0.95) };

/**
 * A fleet runs while routers report requests, until everything has come to rest. Then all counts must agree.
 */
describe('the figures of a fleet', () => {
  let service: Service;
  let org: Organisation;
  let fleet: Fleet;

  beforeAll(async () => {
    service = await Service.start({}, { sweeping: true });
    org = await service.organisation();
    fleet = new Fleet({
      url: service.url,
      operatorToken: org.operator.token ?? '',
      controllerToken: org.controller.token ?? '',
      seed: SEED,
      speed: SPEED,
      slowsDown: true,
    });
    await fleet.start();
    for (const { id } of fleet.profiles)
      await saveRates(org, id, { node: NODE_USD, storage: STORAGE_USD, transfer: TRANSFER_USD });
    await saveRoute(org.operator, 'assist', { targets: targetsOf('chat-1', 'chat-2', 'embed-1') });
    await saveRoute(org.operator, 'write', { targets: targetsOf('chat-2', 'chat-3') });
    const lives = fleet.run({ seconds: 4 });
    await traffic();
    await lives;
    await eventually(async () => {
      const { journal } = fleet;
      const happened = [
        // A restore counts only if its beginning was seen too.
        (await comparisons()).filter(({ restored }) => restored),
        journal.all('confirmed'),
        journal.all('reported', { phase: 'Suspended' }),
        journal.all('sent', { kind: 'worker.failed' }),
      ];
      expect(happened.filter((entries) => entries.length === 0)).toEqual([]);
    }, 120_000);
    await fleet.settle();
    // Only stored bytes depend on the time of the query.
    for (const { id } of fleet.profiles)
      expect((await setState(org.operator, id, { desired_state: 'Suspended' })).status).toBe(202);
    await fleet.settle();
    await eventually(async () => {
      const { rows } = await service.db.query(
        'select from starts where org_id = $1 and ended_at is null and failed_at is null',
        [org.id],
      );
      expect(rows).toHaveLength(0);
    }, 120_000);
    await fleet.stop();
    expect(fleet.faults).toEqual([]);
  });
  afterAll(async () => {
    await fleet.stop();
    await service.close();
  });

  /** Requests as a router reports them, some of which took hours. */
  async function traffic(): Promise<void> {
    const random = seeded(SEED);
    const below = (limit: number) => Math.floor(random() * limit);
    const reported = (value: unknown) => (random() < 0.85 ? value : undefined);
    for (let nth = 0; nth < 250; nth++) {
      const profile_id = random() < 0.9 ? fleet.profiles[below(fleet.profiles.length)]?.id : undefined;
      const queue_ms = below(2_000);
      const stream_duration_ms = random() < 0.05 ? below(2 * HOUR) : below(8_000);
      const request = { request_id: newId(), logical_model: ['assist', 'write', 'unknown'][below(3)] ?? '' };
      const { status } = await sendTelemetry(org.controller, request, {
        profile_id,
        queue_ms: reported(queue_ms),
        stream_duration_ms: reported(stream_duration_ms),
        end_to_end_latency_ms: reported(queue_ms + stream_duration_ms + below(100)),
        ttft_ms: reported(queue_ms + below(500)),
        prompt_tokens: reported(below(4_000)),
        completion_tokens: reported(below(1_000)),
        activation_path: reported(['warm', 'warm', 'cold', 'restore'][below(4)]),
        status_code: reported([200, 200, 200, 200, 429, 499, 503][below(7)]),
        fallback_used: random() < 0.2,
      });
      expect(status).toBe(200);
      if (profile_id !== undefined && nth % 10 === 0)
        await transferred(org, profile_id, Date.now() - below(HOUR), below(9e9));
    }
  }

  const read = async <T>(path: string): Promise<T> => ok(await org.viewer.get(path)).body as T;
  const analytics = (query = '') => read<Analytics>(`/v1/inference/analytics${query}`);
  const series = (query: string) => read<Bucket[]>(`/v1/inference/usage/series${query}`);
  const breakdown = () => read<CostRow[]>(`${COSTS}/breakdown`);
  const comparisons = () => read<Comparison[]>('/v1/inference/startup-comparison');
  const artifacts = () => read<Artifact[]>('/v1/inference/artifacts?limit=1000');
  const rowsOf = async <Row extends QueryResultRow>(statement: string): Promise<Row[]> =>
    (await service.db.query<Row>(statement, [org.id])).rows;

  const usage = async (profileId: string | null = null) =>
    (
      await service.db.query<Record<string, number | null>>(
        `select count(*)::int as requests, count(*) filter (where status_code is null or status_code / 100 = 2)::int as successes,
           count(*) filter (where fallback_used)::int as fallbacks, count(*) filter (where deadline_missed)::int as deadline_misses,
           coalesce(sum(prompt_tokens), 0)::int as prompt_tokens, coalesce(sum(completion_tokens), 0)::int as completion_tokens,
           coalesce(sum(cold_start_avoided_ms), 0)::int as cold_start_avoided_ms, avg(ttft_ms)::float8 as average_ttft_ms,
           avg(backend_ms)::float8 as average_backend_ms, count(backend_ms)::int as timed,
           (1000 * sum(completion_tokens) filter (where backend_ms is not null) / sum(backend_ms) filter (where completion_tokens is not null))::float8 as tokens_per_second
         from usage_records where org_id = $1 and ($2::text is null or profile_id = $2)`,
        [org.id, profileId],
      )
    ).rows[0] ?? {};

  it.each([
    ['1m', 24],
    ['5m', 24],
    ['15m', 24],
    ['1h', 24],
    ['1h', 2_000],
    ['6h', 2_160],
    ['1d', 2_160],
    ['1d', 24],
  ])(
    'the figures of a fleet in buckets of %s over %d hours add up to the whole window, and to the requests',
    async (bucket, hours) => {
      for (const profileId of [null, 'chat-1']) {
        const query = `?hours=${hours}${profileId === null ? '' : `&profile_id=${profileId}`}`;
        const buckets = await series(`${query}&bucket=${bucket}`);
        const { serving } = await analytics(query);
        const direct = await usage(profileId);
        expect(direct.requests).toBeGreaterThan(10);
        for (const name of [
          'requests',
          'fallbacks',
          'deadline_misses',
          'prompt_tokens',
          'completion_tokens',
        ] as const) {
          expect([name, sum(buckets, (row) => row[name])]).toEqual([name, direct[name]]);
          expect([name, serving[name]]).toEqual([name, direct[name]]);
        }
        for (const name of ['successes', 'cold_start_avoided_ms'] as const)
          expect([name, sum(buckets, (row) => row[name])]).toEqual([name, direct[name]]);
        expect(serving.average_ttft_ms).toBeCloseTo(direct.average_ttft_ms ?? NaN, 6);
        expect(serving.tokens_per_second).toBeCloseTo(direct.tokens_per_second ?? NaN, 6);
      }
    },
  );

  it('give a total cost that equals the sum of its profiles', async () => {
    const before = await breakdown();
    const report = await read<JsonObject & { treatment: JsonObject; treatment_quality: JsonObject }>(`${COSTS}/report`);
    const after = await breakdown();
    // Stored bytes cost more with every moment.
    expect(report.treatment.cost_usd).toBeGreaterThanOrEqual(sum(before, (row) => row.total_usd) - 1e-9);
    expect(report.treatment.cost_usd).toBeLessThanOrEqual(sum(after, (row) => row.total_usd) + 1e-9);
    expect(sum(after, (row) => row.storage_usd)).toBeGreaterThan(0);
    expect(report.treatment.node_seconds).toBeCloseTo(
      sum(before, (row) => row.node_seconds),
      6,
    );
    expect(report.treatment_idle_time_s).toBeCloseTo(
      sum(before, (row) => row.idle_time_s),
      6,
    );
    const heavy = before.filter(({ profile_id: id }) => ['chat-1', 'chat-2'].includes(id));
    expect(report.treatment.heavy_activation_count).toBe(sum(heavy, (row) => row.activation_count));
    expect(report.treatment.heavy_active_duration_s).toBeCloseTo(
      sum(heavy, (row) => row.active_duration_s),
      6,
    );
    const [quality = { refused: NaN, escalated: NaN, requests: NaN }] = await rowsOf<{
      refused: number;
      escalated: number;
      requests: number;
    }>(
      `select count(*)::int as requests, count(*) filter (where status_code >= 400 and status_code <> 499)::int as refused,
         count(*) filter (where (logical_model, profile_id) in (('assist', 'chat-1'), ('write', 'chat-2')))::int as escalated
       from usage_records where org_id = $1`,
    );
    expect(quality.refused).toBeGreaterThan(0);
    expect(report.treatment_quality.refusal_rate).toBe(quality.refused / quality.requests);
    expect(report.treatment_escalation_rate).toBe(quality.escalated / quality.requests);
  });

  it('show nodes held for as long as workers were there', async () => {
    const direct = await rowsOf<{ profile_id: string; starts: number; ms: number; released: number | null }>(
      // Between a request for no replicas and the end of a worker, nothing else was requested.
      `select s.profile_id, count(*)::int as starts, sum(extract(epoch from coalesce(ended_at, failed_at) - began_at) * 1000)::float8 as ms,
         avg(extract(epoch from coalesce(ended_at, failed_at) - asked.at) * 1000)::float8 as released
       from starts s cross join lateral (
         select min(requested_at) as at from capacity_asks a
         where a.org_id = s.org_id and a.profile_id = s.profile_id and a.desired_replicas = 0 and a.requested_at between s.began_at and coalesce(ended_at, failed_at)
           and not exists (
             select from capacity_asks b where b.org_id = s.org_id and b.profile_id = s.profile_id and b.desired_replicas > 0
               and b.generation > a.generation and b.requested_at <= coalesce(ended_at, failed_at))
       ) asked where org_id = $1 group by s.profile_id order by s.profile_id`,
    );
    const rows = (await breakdown()).filter(({ activation_count: starts }) => starts > 0);
    expect(rows.map((row) => [row.profile_id, row.activation_count, row.node_seconds])).toEqual(
      direct.map((row) => [row.profile_id, row.starts, row.ms / 1_000]),
    );
    expect(direct.some(({ released }) => released !== null)).toBe(true);
    for (const [place, { released }] of direct.entries()) {
      if (released === null) expect(rows[place]?.release_latency_ms).toBeNull();
      else expect(rows[place]?.release_latency_ms).toBeCloseTo(released, 6);
    }
    for (const row of rows) {
      expect(row.compute_usd).toBeCloseTo((row.node_seconds * NODE_USD) / 3_600, 9);
      expect(row.idle_time_s).toBeCloseTo(Math.max(row.node_seconds - row.active_duration_s, 0), 9);
    }
    // Every pod that the fleet made is a start that began.
    expect(sum(rows, (row) => row.activation_count)).toBe(fleet.journal.all('pod made').length);
  });

  it('contain the reported tokens and transferred bytes', async () => {
    for (const row of await breakdown()) {
      const direct = await usage(row.profile_id);
      expect([row.profile_id, row.tokens_served]).toEqual([
        row.profile_id,
        (direct.prompt_tokens ?? 0) + (direct.completion_tokens ?? 0),
      ]);
    }
    const [moved] = await rowsOf<{ bytes: number }>(
      'select sum(transferred_bytes)::float8 as bytes from observations where org_id = $1',
    );
    expect((await analytics()).storage.transferred_bytes).toBe(moved?.bytes);
    expect(sum(await breakdown(), (row) => row.transfer_usd)).toBeCloseTo(
      ((moved?.bytes ?? NaN) * TRANSFER_USD) / 1e9,
      9,
    );
  });

  it('contain the starts that were reported', async () => {
    const starts = await rowsOf<{ profile_id: string; took_ms: number; restored: boolean }>(
      `select profile_id, (extract(epoch from ready_at - began_at) * 1000)::float8 as took_ms,
         (restore_checkpoint_path is not null or artifact_id is not null) and (restore_failed_at is null or restore_failed_at < told_at) as restored
       from starts where org_id = $1 and ready_at is not null and beginning_seen`,
    );
    const samples = (of: string | null, restored: boolean) =>
      sampleOf(
        starts
          .filter((start) => (of === null || start.profile_id === of) && start.restored === restored)
          .map(({ took_ms: ms }) => ms),
      );
    const compared = await comparisons();
    expect(compared.map(({ profile_id: id }) => id)).toEqual(fleet.profiles.map(({ id }) => id).sort());
    for (const { profile_id: id, cold, restored, saved_ms, speedup, starts: listed } of compared) {
      expect([id, cold, restored]).toEqual([id, samples(id, false), samples(id, true)]);
      const saves = cold !== null && restored !== null;
      expect([id, saved_ms]).toEqual([id, saves ? cold.p50_ms - restored.p50_ms : null]);
      expect([id, speedup]).toEqual([id, saves ? cold.p50_ms / restored.p50_ms : null]);
      expect(listed).toHaveLength(Math.min((cold?.samples ?? 0) + (restored?.samples ?? 0), 50));
      expect(listed.filter((start) => start.restored)).toHaveLength(restored?.samples ?? 0);
      expect(listed.every((start) => (start.checkpoint_path === null) === !start.restored)).toBe(true);
    }
    const { startup, sample_count: count } = await analytics();
    expect([startup.cold, startup.restore]).toEqual([samples(null, false), samples(null, true)]);
    expect(count).toBe(starts.length + Number((await usage()).requests));
    // The fleet saw as many workers serve, and as many restores succeed.
    expect(starts.length).toBe(fleet.journal.all('sent', { kind: 'model.ready' }).length);
    const restores = sum(compared, ({ restored }) => restored?.samples ?? 0);
    expect(restores).toBeGreaterThan(0);
    expect(restores).toBe(sum(await artifacts(), (artifact) => artifact.observed_restores));
    expect(restores).toBe(sum([...artifactAccounts(fleet.journal).values()], (account) => account.restores));
  });

  it('contain the queue times of requests that a ready worker served', async () => {
    const rows = await rowsOf<{ queue_ms: number }>(
      "select queue_ms::int as queue_ms from usage_records where org_id = $1 and activation_path = 'warm' and profile_id is not null and queue_ms is not null",
    );
    expect((await analytics()).startup.warm).toEqual(sampleOf(rows.map(({ queue_ms: ms }) => ms)));
  });

  it('contain the stored bytes of its artifacts', async () => {
    type Tier = { tier: string; artifacts: number; bytes: number; residency_hours: number; transfers: number };
    const all = await artifacts();
    const kept = all.filter(({ status }) => !['deleted', 'expired'].includes(status));
    const before = Date.now();
    const { tiers, total_artifacts, total_bytes } = await read<{
      tiers: Tier[];
      total_artifacts: number;
      total_bytes: number;
    }>('/v1/inference/storage/summary');
    const after = Date.now();
    const lies = ({ storage_tier: tier, metadata: { promotion } }: Artifact) =>
      promotion?.state === 'pending' ? promotion.from : tier;
    for (const { tier, artifacts: count, bytes } of tiers) {
      const there = kept.filter((artifact) => lies(artifact) === tier);
      expect([tier, count, bytes]).toEqual([tier, there.length, sum(there, (artifact) => artifact.physical_bytes)]);
    }
    expect([total_artifacts, total_bytes]).toEqual([kept.length, sum(kept, (artifact) => artifact.physical_bytes)]);
    expect(sum(tiers, (tier) => tier.transfers)).toBe(fleet.journal.all('confirmed').length);
    // Each was stored from its registration on: none was deleted.
    expect(kept).toHaveLength(all.length);
    const hours = (now: number) => sum(all, (artifact) => now - Date.parse(artifact.created_at)) / HOUR;
    const reported = sum(tiers, (tier) => tier.residency_hours);
    // The clocks of one machine agree within some milliseconds.
    expect(reported).toBeGreaterThanOrEqual(hours(before - 20));
    expect(reported).toBeLessThanOrEqual(hours(after + 20));
    const { storage } = await analytics();
    expect([storage.physical_bytes, storage.logical_bytes]).toEqual([
      sum(all, (artifact) => artifact.physical_bytes),
      sum(all, (artifact) => artifact.logical_bytes),
    ]);
    // Gigabytes times the time of storage.
    const cost = (now: number) =>
      sum(all, (artifact) => (artifact.physical_bytes / 1e9) * STORAGE_USD * (now - Date.parse(artifact.created_at))) /
      HOUR;
    const early = Date.now();
    const paid = sum(await breakdown(), (row) => row.storage_usd);
    expect(paid).toBeGreaterThanOrEqual(cost(early - 20));
    expect(paid).toBeLessThanOrEqual(cost(Date.now() + 20));
  });
});
