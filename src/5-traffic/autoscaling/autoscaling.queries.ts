import type { QueryResultRow } from 'pg';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { IntentStatus } from '../../4-serving/capacity-intents/capacity-intent.states';

export interface ScaledProfileRow extends QueryResultRow {
  org_id: string;
  profile_id: string;
  min_replicas: number;
  max_replicas: number;
  target_concurrency: number;
  scale_down_idle_seconds: number;
  /** Of the newest intent, which requests it to be active. */
  desired_replicas: number;
  generation: number;
  status: IntentStatus;
  enabled: boolean;
  requested_at: Date;
  requested_ms_ago: number;
  /** Since its current worker was first ready; null without one. */
  ready_ms_ago: number | null;
  updated_ms_ago: number;
  /** Since its last recorded request; null if none is recorded since the intent was requested. */
  used_ms_ago: number | null;
  /** Requests of keys that were sent to it lately, and whose results are not reported yet. */
  unreported: number;
}

/**
 * A request that is not reported counts as in progress for as long as a worker may take to begin its answer.
 * Reports get lost: for as long as its authorization is open, many that have ended would count too.
 */
const IN_PROGRESS_MINUTES = 10;

// A profile whose newest intent suspends it is woken by a request. The look for its last request uses the
// index by profile. Requests in progress are few, and counted at once, by the index of open authorizations.
const SCALED = statement(
  'autoscaling-profiles',
  `
    select p.org_id, p.profile_id, p.min_replicas, p.max_replicas, p.target_concurrency,
      p.scale_down_idle_seconds, p.enabled, i.desired_replicas, i.generation, i.status, i.requested_at,
      (extract(epoch from clock_timestamp() - s.ready_at) * 1000)::float8 as ready_ms_ago,
      (extract(epoch from clock_timestamp() - i.requested_at) * 1000)::float8 as requested_ms_ago,
      (extract(epoch from clock_timestamp() - i.updated_at) * 1000)::float8 as updated_ms_ago,
      (extract(epoch from clock_timestamp() - u.occurred_at) * 1000)::float8 as used_ms_ago,
      coalesce(z.count, 0)::int as unreported
    from profiles p
    cross join lateral (
      select i.desired_state, i.desired_replicas, i.generation, i.status, i.requested_at, i.updated_at
      from capacity_intents i
      where i.org_id = p.org_id and i.profile_id = p.profile_id order by i.generation desc limit 1
    ) i
    left join activations a on a.org_id = p.org_id and a.profile_id = p.profile_id
    left join starts s on s.org_id = p.org_id and s.id = a.start_id
    left join lateral (
      select u.occurred_at from usage_records u
      where u.org_id = p.org_id and u.profile_id = p.profile_id and u.occurred_at > i.requested_at
      order by u.occurred_at desc limit 1
    ) u on true
    left join (
      select z.org_id, z.profile_id, count(*) as count from authorizations z
      where z.settled_at is null
        and z.held_until > (select clock_timestamp())
        and z.resolved_at > (select clock_timestamp()) - interval '${IN_PROGRESS_MINUTES} minutes'
      group by z.org_id, z.profile_id
    ) z on z.org_id = p.org_id and z.profile_id = p.profile_id
    where p.autoscale and i.desired_state = 'Active' and i.desired_replicas > 0
    limit $limit`,
);

/** More are not looked at. */
const MAX_SCALED = 20_000;

/** Of all organisations: profiles that the service scales, and that are requested to be active. */
export const readScaledProfiles = (tx: Tx): Promise<ScaledProfileRow[]> =>
  tx.prepared<ScaledProfileRow>(SCALED, { limit: MAX_SCALED });
