import type { QueryResultRow } from 'pg';
import { REQUESTS_OF_RECORD } from '../../5-traffic/usage/usage-window.queries';
import type { Tx } from '../../1-platform/database/transactions/tx';

/** Maximal artifacts in a reply. */
const MAX_ARTIFACTS = 1_000;
/** Maximal names of one kind in a reply, those with the highest counts. */
const MAX_NAMES = 500;

interface NamedCount {
  name: string;
  count: number;
}

export interface CorrelationRow extends QueryResultRow {
  experiment_id: string;
  name: string;
  scenario: string;
  status: string;
  requests: number;
  fallbacks: number;
  successful_requests: number;
  cold_start_avoided_ms: string;
  policy_decisions: NamedCount[];
  observations: NamedCount[];
  intents: NamedCount[];
  activations: NamedCount[];
  artifacts: { artifact_id: string; checkpoint_mode: string; status: string }[];
}

/** @param names a query of `name`, and of `count` if a row stands for several */
const counted = (names: string, count = 'count(*)'): string => `(
      select coalesce(json_agg(json_build_object('name', name, 'count', count) order by name), '[]') from (
        select name, ${count} as count from (${names}) named
        group by name order by ${count} desc, name limit ${MAX_NAMES}
      ) counted
    )`;

/** @param condition of records `u` */
const requestsWhere = (condition: string): string =>
  `coalesce(sum(${REQUESTS_OF_RECORD}) filter (where ${condition}), 0)::bigint`;

/** Rows that name the experiment. */
const carrying = (table: string): string => `${table} where org_id = $org_id and experiment_id = e.id`;

/** Rows that name no experiment: those of its time and, if it has a profile, of its profile. */
const during = (table: string, time: string): string => `${table} x
          where x.org_id = $org_id and x.${time} >= e.started_at and x.${time} < e.until
            and (e.profile_id is null or x.profile_id = e.profile_id)`;

/*
 * Requests and observations that name the experiment, at any time; capacity requests, phases of activations
 * and artifacts of its time, and of its profile if it has one. Policy decisions are those of routes: why each
 * request was sent to its target. The index of starts by their beginning serves only statements that compare
 * the profile.
 */
const CORRELATION = `
  with e as materialized (
    select *, coalesce(completed_at, 'infinity') as until from experiments
    where org_id = $org_id and id = $experiment_id
  )
  select e.id as experiment_id, e.name, e.scenario, e.status, u.requests, u.fallbacks, u.successful_requests,
    u.cold_start_avoided_ms::text as cold_start_avoided_ms,
    ${counted(
      `select coalesce(u.decision_source, 'unknown') as name, ${REQUESTS_OF_RECORD} as requests
        from ${carrying('usage_records u')}`,
      'sum(requests)',
    )} as policy_decisions,
    ${counted(`select event_type as name from ${carrying('observations')}`)} as observations,
    ${counted(`select desired_state as name from ${during('capacity_asks', 'requested_at')}`)} as intents,
    ${counted(`select phase as name from ${during('activation_phases', 'occurred_at')}`)} as activations,
    (
      select coalesce(json_agg(json_build_object('artifact_id', artifact_id, 'checkpoint_mode',
        checkpoint_mode,
        'status', status) order by created_at, artifact_id), '[]')
      from (
        select * from artifacts where org_id = $org_id and artifact_id in (
          select artifact_id from ${during('artifacts', 'created_at')}
          union
          select artifact_id from ${during('starts', 'began_at')} and x.artifact_id is not null
            and x.profile_id >= ''
        ) order by created_at, artifact_id limit ${MAX_ARTIFACTS}
      ) linked
    ) as artifacts
  from e cross join lateral (
    select ${requestsWhere('true')} as requests, ${requestsWhere('u.fallback_used')} as fallbacks,
      ${requestsWhere('coalesce(u.status_code, 200) between 200 and 299')} as successful_requests,
      coalesce(sum(u.cold_start_avoided_ms), 0) as cold_start_avoided_ms
    from ${carrying('usage_records u')}
  ) u`;

/** @returns undefined if there is no such experiment */
export async function correlationOf(tx: Tx, experimentId: string): Promise<CorrelationRow | undefined> {
  const [row] = await tx.query<CorrelationRow>(CORRELATION, { org_id: tx.orgId, experiment_id: experimentId });
  return row;
}
