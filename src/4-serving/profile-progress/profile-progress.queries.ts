import type { QueryResultRow } from 'pg';
import { START_KIND } from '../activations/starts/starts.queries';
import { MAX_PAGE_BYTES } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { MAX_STEPS } from './profile-progress.dto';

export interface LastStart {
  ready: boolean | null;
  phase: string | null;
  began_at: Date | null;
  beginning_seen: boolean | null;
  ready_at: Date | null;
  restore_checkpoint_path: string | null;
  start_kind: string | null;
}

// Not `coalesce`, because with row level security the planner would read all rows. It takes the current
// start, else the last one, so that readers see how it went.
const LAST_START = `
  select a.ready, a.phase, s.began_at, s.beginning_seen, s.ready_at, s.restore_checkpoint_path,
    case when s.id is not null then ${START_KIND} end as start_kind
  from profiles p
  left join activations a on a.org_id = p.org_id and a.profile_id = p.profile_id
  left join starts s on s.org_id = $org_id and s.id = case
    when a.start_id is not null then a.start_id
    else (
      select id from starts where org_id = $org_id and profile_id = $profile_id
      order by began_at desc, id desc limit 1
    )
  end
  where p.org_id = $org_id and p.profile_id = $profile_id`;

/** @returns undefined if there is no such profile */
export async function lastStart(tx: Tx, profileId: string): Promise<LastStart | undefined> {
  const [row] = await tx.query<LastStart & QueryResultRow>(LAST_START, { org_id: tx.orgId, profile_id: profileId });
  return row;
}

export interface StepRow {
  kind: string;
  occurred_at: Date;
  payload: unknown;
}

const FIRST = `order by occurred_at limit ${MAX_STEPS}`;

// One time line from three sources: the first steps of each. A step is never later than its arrival, even if
// a sender's clock is fast.
const STEPS = `
  with steps as materialized (
    (
      select kind, least(e.occurred_at, received_at) as occurred_at, payload, coalesce(sequence, 0) as nth
      from lifecycle_events e
      where org_id = $org_id and profile_id = $profile_id and e.occurred_at >= $since
        and received_at >= $since
      order by e.occurred_at limit ${MAX_STEPS}
    )
    union all
    (
      select 'phase.' || phase, occurred_at,
        json_build_object('ready', ready, 'observed_generation', observed_generation), 0
      from activation_phases
      where org_id = $org_id and profile_id = $profile_id and occurred_at >= $since ${FIRST}
    )
    union all
    (
      select 'checkpoint_request.' || moment.state, moment.occurred_at, json_strip_nulls(json_build_object(
          'request_id', request_id, 'kind', kind,
          'reason', case moment.state when 'pending' then reason end,
          'artifact_id', case moment.state when 'succeeded' then artifact_id end,
          'error', case moment.state when 'failed' then error end
        )), moment.nth
      from checkpoint_requests r cross join lateral (
        values ('pending', requested_at, 0), ('running', started_at, 1), (status, completed_at, 2)
      ) moment(state, occurred_at, nth)
      where org_id = $org_id and profile_id = $profile_id and coalesce(completed_at, 'infinity') >= $since
        and moment.occurred_at >= $since ${FIRST}
    )
  ), sized as (
    select *, row_number() over line as place,
      sum(coalesce(octet_length(payload::text), 0)) over line as bytes
    from steps window line as (order by occurred_at, nth, kind rows unbounded preceding)
  )
  select kind, occurred_at, payload from sized
  where place <= ${MAX_STEPS} and (place = 1 or bytes <= ${MAX_PAGE_BYTES}) order by place`;

/** The steps of a profile since a time, in order of occurrence: the first ones that fit into a reply. */
export const stepsSince = (tx: Tx, profileId: string, since: Date): Promise<StepRow[]> =>
  tx.query<StepRow & QueryResultRow>(STEPS, { org_id: tx.orgId, profile_id: profileId, since });
