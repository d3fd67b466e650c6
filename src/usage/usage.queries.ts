import { arrayLiteral } from '../database/array-literal';
import type { Statement, Tx } from '../database/tx';

/** What became of one request, as a statement takes it: see `UsageRecord` for what its members are. */
export interface UsageRow {
  readonly org_id: string;
  readonly request_id: string;
  /** Milliseconds since then, when the statement is sent; the database's clock says when that was. */
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
  /** Decimal text. */
  readonly cost_usd: string;
}

const COLUMNS = {
  org_id: 'uuid',
  request_id: 'text',
  key_id: 'uuid',
  logical_model: 'text',
  profile_id: 'text',
  meant_for_profile_id: 'text',
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

const TOLD = { began_ms_ago: 'float8', ...COLUMNS } as const satisfies Record<keyof UsageRow, string>;
const MEMBERS = Object.keys(TOLD) as (keyof UsageRow)[];

/** Parameter of a statement that holds a member of all rows, of those that `usageArrays` makes. */
export const usageArray = (member: keyof UsageRow): string =>
  `$${MEMBERS.indexOf(member) + 1}::${TOLD[member].replace(/\(.*/, '')}[]`;

/** Rows of `UsageRow` from these parameters: from objects of JSON they would take the database as long as it takes to write them. */
export const USAGE_ROWS = `unnest(${MEMBERS.map(usageArray).join(', ')}) as u(${MEMBERS.join(', ')})`;

/** The first parameters of a statement that takes rows, of which there are so many. */
export const usageArrays = (rows: readonly UsageRow[]): string[] =>
  MEMBERS.map((member) => arrayLiteral(rows.map((row) => row[member])));
export const USAGE_ARRAYS = MEMBERS.length;

/**
 * Writes rows once: a request that was told of before stays as it was. In the order of their keys: two that are told of the same requests
 * wait for each other in one direction only.
 * @param source of rows `u`
 * @param keyId whose key asked, where the rows do not tell
 */
export const usageWrittenFrom = (source: string, keyId: string): string => `
  insert into usage_records (occurred_at, ${NAMES.join(', ')})
  select statement_timestamp() - make_interval(secs => u.began_ms_ago / 1000),
    ${NAMES.map((name) => (name === 'key_id' ? `coalesce(u.key_id, ${keyId})` : `u.${name}`)).join(', ')} from ${source}
  order by u.org_id, u.request_id on conflict (org_id, request_id) do nothing`;

// One table a statement: who calls it goes on until none has any left. What was added up goes with the records it was added up from.
const FORGET: readonly Statement[] = [
  { table: 'usage_records', at: 'occurred_at', key: 'request_id', among: '' },
  { table: 'usage_rollups', at: 'bucket', key: 'bucket, step, series', among: 'and step in (60, 900, 3600)' },
  { table: 'warm_waits', at: 'hour', key: 'hour, profile_id, queue_ms', among: '' },
  { table: 'busy_minutes', at: 'minute', key: 'minute, profile_id', among: '' },
  { table: 'busy_hours', at: 'hour', key: 'hour, profile_id', among: '' },
].map(({ table, at, key, among }) => ({
  name: `${table}-forget`,
  text: `
    with old as (
      select o.id as org_id, page.* from organisations o cross join lateral (
        select ${key} from ${table}
        where org_id = o.id and ${at} < (select clock_timestamp()) - make_interval(days => $1) ${among} order by ${at} limit $2
      ) page limit $2
    )
    delete from ${table} t using old where t.org_id = old.org_id
      and (${key.replaceAll(/\w+/g, 't.$&')}) = (${key.replaceAll(/\w+/g, 'old.$&')}) returning t.org_id`,
}));

/** Over all organisations. @returns how many rows older than so many days it forgot; fewer than the limit when there are no more */
export async function forgetUsage(tx: Tx, days: number, limit: number): Promise<number> {
  let most = 0;
  for (const statement of FORGET) most = Math.max(most, (await tx.prepared(statement, [days, limit])).length);
  return most;
}
