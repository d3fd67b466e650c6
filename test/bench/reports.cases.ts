import { setTimeout as sleep } from 'node:timers/promises';
import { growthCase, REQUESTS, type Asked } from './growth.cases';
import { KINDS, profiles } from './rows';
import type { Workbench } from './workbench';

/** Usage records. There are a tenth as many starts, and a hundredth as many artifacts. */
const SIZES = [10_000, 100_000, 1_000_000];
const STARTS_SHARE = 10;
const ARTIFACTS_SHARE = 100;
/** Records that one statement writes; settlements write fewer. */
const AT_ONCE = 50_000;
/** The sweep of workers' times runs every minute. */
const SUMMED_WITHIN_MS = 300_000;
const POLL_MS = 500;

/** All but those that were 90 days old at the time of filling. */
const isAddedUp = (body: unknown, size: number): boolean =>
  (body as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0) > size * 0.99;

/**
 * The limit that P10 sets for a summary of a million rows, and for cost reports. A bucket has a row per
 * model, profile and target: there are more of them with more requests.
 */
const SUMMED_UP_MS = 300;

/** The limits for a day, which holds half of everything, and for 90 days. */
const ASKED: Asked[] = [
  { name: 'usage series, a day by the hour', path: 'inference/usage/series', rows: 25 },
  {
    name: 'usage series, 33 hours by the minute',
    path: 'inference/usage/series?hours=33&bucket=1m',
    rows: 1_981,
    atMostMs: SUMMED_UP_MS,
  },
  {
    name: 'usage series, 90 days by the day',
    path: 'inference/usage/series?hours=2160&bucket=1d',
    rows: 91,
    holds: isAddedUp,
  },
  { name: 'usage series, one profile', path: 'inference/usage/series?profile_id=reports-1', rows: 25 },
  { name: 'analytics, a day', path: 'inference/analytics', atMostMs: SUMMED_UP_MS },
  { name: 'analytics, 90 days', path: 'inference/analytics?hours=2160', atMostMs: SUMMED_UP_MS },
  { name: 'startup comparison', path: 'inference/startup-comparison', rows: KINDS, atMostMs: SUMMED_UP_MS },
  { name: 'storage summary', path: 'inference/storage/summary', atMostMs: SUMMED_UP_MS },
  { name: 'cost breakdown, a day', path: 'inference/costs/breakdown', rows: KINDS, atMostMs: SUMMED_UP_MS },
  {
    name: 'cost breakdown, 90 days',
    path: 'inference/costs/breakdown?hours=2160',
    rows: KINDS,
    atMostMs: SUMMED_UP_MS,
  },
  { name: 'cost report, a day', path: 'inference/costs/report', atMostMs: SUMMED_UP_MS },
  { name: 'cost report, 90 days', path: 'inference/costs/report?hours=2160', atMostMs: SUMMED_UP_MS },
];

/** Nothing was promised for them: each day is a breakdown. */
const DAYS: Asked[] = [7, 31].map((days) => ({
  name: `costs of ${days} days`,
  path: `inference/costs/daily?days=${days}`,
  grows: true,
  holds: (body) => {
    const shown = (body as { days: { tokens_served: number }[] }).days;
    return shown.length === days && shown.every(({ tokens_served: tokens }) => tokens > 0);
  },
}));

const hasCosts = (body: unknown): boolean => (body as { treatment: { cost_usd: number } }).treatment.cost_usd > 0;

const MANY_PROFILES = 2_000;
const LARGEST_PAGE = 1_000;

/** A sum has a row for each profile. */
const OF_MANY: Asked[] = [
  ...['', '&hours=2160'].map((hours): Asked => ({
    name: `cost breakdown, ${hours === '' ? 'a day' : '90 days'}`,
    path: `inference/costs/breakdown?limit=${LARGEST_PAGE}${hours}`,
    rows: LARGEST_PAGE,
    atMostMs: SUMMED_UP_MS,
  })),
  { name: 'cost report, a day', path: 'inference/costs/report', holds: hasCosts, atMostMs: SUMMED_UP_MS },
  { name: 'cost report, 90 days', path: 'inference/costs/report?hours=2160', holds: hasCosts, atMostMs: SUMMED_UP_MS },
  ...DAYS,
];

/** Reports over usage, starts, capacity requests and artifacts. */
export const reports = growthCase({
  name: 'reports',
  what:
    `P10: p95 of ${REQUESTS} requests at ${SIZES.join(', ')} usage records of ${KINDS} profiles in one organisation, and costs at ` +
    `the most records of ${MANY_PROFILES} profiles`,
  sizes: SIZES,
  asked: [...ASKED, ...DAYS],
  fill: (bench, size) => fill(bench, size, KINDS),
  beside: [
    {
      size: SIZES.at(-1) ?? 0,
      label: `${SIZES.at(-1)}, ${MANY_PROFILES} profiles`,
      asked: OF_MANY,
      fill: (bench, size) => fill(bench, size, MANY_PROFILES),
    },
  ],
});

/** Every second row belongs to the last day, the others to the last 90 days. */
const ago = (n: string, of: string): string =>
  `clock_timestamp() - (case when ${n} % 2 = 0 then interval '1 day' else interval '90 days' end) * ((${n} + 0.5) / ${of}::float8)`;

async function fill(bench: Workbench, size: number, kinds: number): Promise<void> {
  // Neighbours in time belong to different profiles, so that workers of one profile do not overlap.
  const profileOf = (n: string): string => `'reports-' || (${n}) / 2 % ${kinds}`;
  const orgId = await bench.orgId();
  await bench.fill(profiles(orgId, 'reports-', 0, kinds - 1));
  for (let first = 1; first <= size; first += AT_ONCE) {
    // The triggers that maintain the rollups are needed here.
    await bench.fill(
      { text: 'set session_replication_role = origin' },
      {
        text: `
        insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, meant_for_profile_id, activation_path, status_code, streamed,
          fallback_used, deadline_missed, prompt_tokens, completion_tokens, queue_ms, routing_ms, ttft_ms, backend_ms, end_to_end_ms, cold_start_avoided_ms, cost_usd)
        select $1, 'reports-' || n, ${ago('n', '$4')}, 'model-' || n % 5, ${profileOf('n')}, ${profileOf('n - n % 7 / 6 * 2')}, 'warm',
          case when n % 50 = 0 then 503 else 200 end, true, n % 7 = 6, false, n % 900, n % 300, n % 13, n % 5, n % 400, n % 4000, n % 4000 + n % 13, 0, 0.001
        from generate_series($2::int, $3::int) n`,
        values: [orgId, first, Math.min(first + AT_ONCE - 1, size), size],
      },
    );
  }
  const starts = size / STARTS_SHARE;
  // Here too: reports find out by them which starts are not summed yet.
  await bench.fill(
    { text: 'set session_replication_role = origin' },
    {
      text: `
        insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, restore_checkpoint_path, told_at)
        select $1, gen_random_uuid(), ${profileOf('n')}, n, at, true, at + (n % 20000) * interval '1 millisecond', at + interval '25 seconds',
          case when n % 3 = 0 then '/checkpoints/' || n end, case when n % 3 = 0 then at end
        from (select n, ${ago('n', '$2')} - interval '1 minute' as at from generate_series(1, $2::int) n) numbered`,
      values: [orgId, starts],
    },
    {
      text: `
        insert into capacity_asks (org_id, profile_id, generation, desired_state, desired_replicas, requested_at)
        select $1, profile_id, 2 * row_number() over (partition by profile_id order by at) - wanted, case wanted when 1 then 'Active' else 'Suspended' end, 3 * wanted,
          at + (1 - wanted) * interval '23 seconds' - interval '1 second'
        from (select ${profileOf('n')} as profile_id, ${ago('n', '$2')} - interval '1 minute' as at from generate_series(1, $2::int) n) asked
        cross join (values (1), (0)) w(wanted) on conflict do nothing`,
      values: [orgId, starts],
    },
    {
      text: `
        insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status, metadata, physical_bytes, logical_bytes, created_at)
        select $1, 'reports-' || n, ${profileOf('n')}, 'key', 'full', 'object', 's3://checkpoints/' || n, 'controller',
          case when n % 2 = 0 then 'ready' else 'deleted' end, '{}', 1000000::bigint * n, 2000000::bigint * n, ${ago('n', '$2')}
        from generate_series(1, $2::int) n`,
      values: [orgId, size / ARTIFACTS_SHARE],
    },
    {
      text: `insert into cost_rates (org_id, profile_id, node_hourly_usd, storage_gb_hour_usd) select org_id, profile_id, 2.5, 0.0001 from profiles where org_id = $1`,
      values: [orgId],
    },
    {
      text: 'vacuum analyze usage_records, usage_rollups, warm_waits, busy_minutes, busy_hours, busy_spans, worker_changes, starts, capacity_asks, artifacts, artifact_stays',
    },
    { text: 'checkpoint' },
  );
  await summed(bench, kinds);
}

/** Waits for the sweep of the service: until the times of all workers are summed. */
async function summed(bench: Workbench, kinds: number): Promise<void> {
  const IS_BEHIND = `
    select exists (select from worker_changes) or (select count(*) < ${kinds} from worker_sum_spans)
      or exists (select from worker_sum_spans where until < clock_timestamp() - interval '30 minutes') as behind`;
  for (let waited = 0; waited < SUMMED_WITHIN_MS; waited += POLL_MS) {
    const { rows } = await bench.db.query<{ behind: boolean }>(IS_BEHIND);
    if (rows[0]?.behind === false)
      return bench.fill({ text: 'vacuum analyze worker_sums, worker_sum_spans, worker_changes' });
    await sleep(POLL_MS);
  }
  throw new Error('the times of workers are not summed');
}
