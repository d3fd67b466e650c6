import type { Tx } from '../database/tx';

/** What became of one request, as a statement takes it: see `UsageRecord` for what its members are. */
export interface UsageRow {
  readonly org_id: string;
  readonly request_id: string;
  /** Milliseconds since then; the database's clock says when that was. */
  readonly began_ms_ago: number;
  readonly key_id: string | null;
  readonly logical_model: string;
  readonly profile_id: string | null;
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
  /** Decimal text. */
  readonly cost_usd: string;
}

const COLUMNS = {
  org_id: 'uuid',
  request_id: 'text',
  key_id: 'uuid',
  logical_model: 'text',
  profile_id: 'text',
  experiment_id: 'uuid',
  route_generation: 'bigint',
  decision_source: 'text',
  activation_path: 'text',
  classifier_profile_id: 'text',
  status_code: 'int',
  upstream_attempts: 'int',
  streamed: 'boolean',
  fallback_used: 'boolean',
  deadline_missed: 'boolean',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  queue_ms: 'bigint',
  routing_ms: 'bigint',
  classifier_ms: 'bigint',
  ttft_ms: 'bigint',
  backend_ms: 'bigint',
  end_to_end_ms: 'bigint',
  mean_inter_token_ms: 'float8',
  p95_inter_token_ms: 'float8',
  cold_start_avoided_ms: 'bigint',
  cost_usd: 'numeric(24, 12)',
} as const satisfies Partial<Record<keyof UsageRow, string>>;

const NAMES = Object.keys(COLUMNS);

/** What `json_to_recordset` makes of an array of `UsageRow`. */
export const USAGE_ROW = `began_ms_ago float8, ${Object.entries(COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')}`;

/**
 * Writes rows once: a request that was told of before stays as it was.
 * @param source of rows `u`
 * @param keyId whose key asked, where the rows do not tell
 */
export const usageWrittenFrom = (source: string, keyId: string): string => `
  insert into usage_records (occurred_at, ${NAMES.join(', ')})
  select clock_timestamp() - make_interval(secs => u.began_ms_ago / 1000),
    ${NAMES.map((name) => (name === 'key_id' ? `coalesce(u.key_id, ${keyId})` : `u.${name}`)).join(', ')} from ${source}
  on conflict (org_id, request_id) do nothing`;

const FORGET = {
  name: 'usage-forget',
  text: `
    with old as (
      select o.id as org_id, page.request_id from organisations o cross join lateral (
        select request_id from usage_records
        where org_id = o.id and occurred_at < (select clock_timestamp()) - make_interval(days => $1) order by occurred_at limit $2
      ) page limit $2
    )
    delete from usage_records u using old where u.org_id = old.org_id and u.request_id = old.request_id returning u.request_id`,
};

/** Over all organisations. @returns how many records older than so many days it forgot */
export const forgetUsage = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, [days, limit])).length;
