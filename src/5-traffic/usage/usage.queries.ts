import { DAYS_AGO } from '../../1-platform/database/rows/days-ago';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import { removalOfOldestOfEach } from '../../1-platform/database/rows/oldest-rows';
import type { Statement, Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';

/** The result of a request, as a statement takes it: see `UsageRecord` for its members. */
export interface UsageRow {
  readonly org_id: string;
  readonly request_id: string;
  /**
   * Milliseconds between the arrival and the sending of the statement; the database's clock gives the time.
   */
  readonly began_ms_ago: number;
  readonly key_id: string | null;
  readonly logical_model: string;
  readonly profile_id: string | null;
  readonly meant_for_profile_id: string | null;
  readonly experiment_id: string | null;
  readonly route_generation: number | null;
  readonly decision_source: string | null;
  readonly activation_path: string | null;
  readonly classifier_profile_id: string | null;
  readonly status_code: number | null;
  readonly upstream_attempts: number | null;
  readonly streamed: boolean;
  readonly fallback_used: boolean;
  readonly deadline_missed: boolean;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly queue_ms: number | null;
  readonly routing_ms: number | null;
  readonly classifier_ms: number | null;
  readonly ttft_ms: number | null;
  readonly backend_ms: number | null;
  readonly end_to_end_ms: number | null;
  readonly mean_inter_token_ms: number | null;
  readonly p95_inter_token_ms: number | null;
  readonly cold_start_avoided_ms: number;
  /**
   * The restored start whose saved time is credited to this request, unless another one was earlier. Not a
   * column.
   */
  readonly credited_start_id: string | null;
  /** Decimal text. */
  readonly cost_usd: string;
  /** Further requests that it stands for. */
  readonly repeated: number;
}

const MEMBERS = [
  'org_id',
  'request_id',
  'began_ms_ago',
  'key_id',
  'logical_model',
  'profile_id',
  'meant_for_profile_id',
  'experiment_id',
  'route_generation',
  'decision_source',
  'activation_path',
  'classifier_profile_id',
  'status_code',
  'upstream_attempts',
  'streamed',
  'fallback_used',
  'deadline_missed',
  'prompt_tokens',
  'completion_tokens',
  'queue_ms',
  'routing_ms',
  'classifier_ms',
  'ttft_ms',
  'backend_ms',
  'end_to_end_ms',
  'mean_inter_token_ms',
  'p95_inter_token_ms',
  'cold_start_avoided_ms',
  'cost_usd',
] as const satisfies (keyof UsageRow)[];

/**
 * Arguments of `settle_requests`, which takes an array for each member, by member. Their values are those
 * of `usageArrays`.
 */
export const USAGE_ARGUMENTS: ReadonlyMap<string, string> = new Map(
  MEMBERS.map((member) => [member, `reported_${member} => $each_${member}`]),
);

/**
 * `from` of a statement that calls `settle_requests`. A setting, because replicas of the release before call
 * the function too, with its parameters.
 */
export const USAGE_SETTINGS = `set_config('app.usage_repeated', $each_repeated, true)`;

/** Arrays, because the database would take as long to read JSON as it takes to write the rows. */
export function usageArrays(rows: readonly UsageRow[]): Values {
  const each = (member: (typeof MEMBERS)[number]) => arrayLiteral(rows.map((row) => row[member]));
  const values = Object.fromEntries(MEMBERS.map((member) => [`each_${member}`, each(member)]));
  return { ...values, each_repeated: arrayLiteral(rows.map((row) => row.repeated)) };
}

/** The length of a sum, and how much longer than its first request it stays, in seconds. */
const SUMS = '(values (60, 0), (900, 0), (3600, 0), (86400, 86400), (864000, 864000)) k(steps, seconds)';
const LONG_SUMS = '(values (86400, 86400), (864000, 864000)) k(steps, seconds)';

const sums = (table: string, kinds: string) => ({
  table,
  at: 'bucket',
  before: `${DAYS_AGO} - k.seconds * interval '1 second'`,
  among: 'step = k.steps',
  kinds,
});

// One table per statement; callers repeat it until nothing is left. Sums are deleted with the first of their
// records; those of a day, or of ten, with the last. Skip locked rows: a very late report may have locked its
// record, and some sums, in another order. The next round catches them.
const FORGET: readonly Statement[] = [
  { table: 'usage_records', at: 'occurred_at' },
  sums('usage_rollups', SUMS),
  { table: 'warm_waits', at: 'hour' },
  { table: 'busy_minutes', at: 'minute' },
  { table: 'busy_hours', at: 'hour' },
  sums('busy_spans', LONG_SUMS),
].map((old) => removalOfOldestOfEach(`${old.table}-forget`, old));

/**
 * For all organisations. @returns the number of deleted rows older than this many days; fewer than the limit
 * if there are no more
 */
export async function forgetUsage(tx: Tx, days: number, limit: number): Promise<number> {
  let most = 0;
  for (const forget of FORGET) most = Math.max(most, (await tx.prepared(forget, { days, limit })).length);
  return most;
}
