import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement, unscoped } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { eventsWrittenFrom } from '../../1-platform/outbox/outbox.queries';
import type { DesiredState } from './capacity-intent.states';
import type { CapacityIntentView } from './capacity-intents.dto';
import { INTENT_EVENTS } from './capacity-intents.events';

const COLUMNS = `i.id, i.profile_id, i.desired_state, i.desired_replicas, i.status, i.generation,
  i.created_at, i.updated_at, i.requested_at, i.deadline, i.reason`;

/**
 * Condition on an intent `i` and the activation `a` of its profile: the controller has observed it, and it
 * has come true.
 */
const SHOWN = `a.observed_generation >= i.generation and case
    when i.desired_state = 'Suspended' then a.phase = 'Suspended'
    when i.desired_replicas = 0 then not a.ready and a.start_id is null
    else a.ready end`;

// A failed worker does not prevent a release.
const GIVEN_UP = `a.observed_generation >= i.generation and a.phase = 'Failed' and not a.ready
    and i.desired_state = 'Active' and i.desired_replicas > 0`;

/**
 * The result of pending intents: one rule, applied after a report, in a request and by the sweep. The
 * deadline counts last: a state that was reached in time stays reached.
 */
const VERDICT = `case
    when ${SHOWN} then 'Fulfilled'
    when ${GIVEN_UP} then 'Failed'
    when i.deadline <= clock_timestamp() then 'Expired'
  end`;

const EVENT_TYPE = `case ended.status ${Object.entries(INTENT_EVENTS)
  .filter(([status]) => status !== 'requested')
  .map(([status, type]) => `when '${status}' then '${type}'`)
  .join(' ')} end`;

const payloadOf = (row: string): string => `json_build_object(
    'intent_id', ${row}.id, 'profile_id', ${row}.profile_id, 'generation', ${row}.generation
  )`;

const ENDED_EVENTS = `
  select ended.org_id, ${EVENT_TYPE} as type, ended.id::text as aggregate_id, null::uuid as cluster_id,
    ${payloadOf('ended')} as payload from ended`;

// Skip locked rows: they are being decided or requested. The next sweep catches them.
const judge = (which: string, limit: string): string => `
  with due as (
    select i.org_id, i.id, ${VERDICT} as verdict
    from capacity_intents i left join activations a on a.org_id = i.org_id and a.profile_id = i.profile_id
    where i.status = 'Pending' and ${which} and ${VERDICT} is not null
    order by i.org_id, i.profile_id ${limit} for update of i skip locked
  ), ended as (
    update capacity_intents i set status = due.verdict, updated_at = clock_timestamp() from due
    where i.org_id = due.org_id and i.id = due.id and i.status = 'Pending'
    returning i.org_id, i.id, i.profile_id, i.status, i.generation
  ), ${eventsWrittenFrom(ENDED_EVENTS)}
  select (select count(*) from ended) as ended, (select count(*) from events_notified) as notified`;

/** Intents that one statement ends. */
export const JUDGED_AT_ONCE = 1_000;

const OF_PROFILE = 'i.org_id = $org_id and i.profile_id = $profile_id';
const JUDGE_PROFILE = unscoped('intents-judge-profile', judge(OF_PROFILE, ''));

/** Ends the pending intent of the profile if it has come true, failed or expired. */
export async function judgeProfile(tx: Tx, profileId: string): Promise<void> {
  await tx.prepared(JUDGE_PROFILE, { org_id: tx.orgId, profile_id: profileId });
}

/** As `judgeProfile`, after a report: a hot path, so it does not open a transaction. */
export async function judgeReported(statements: StatementPool, orgId: string, profileId: string): Promise<void> {
  await statements.run(JUDGE_PROFILE, { org_id: orgId, profile_id: profileId });
}

const JUDGE_ALL = statement('intents-judge-all', judge('true', `limit ${JUDGED_AT_ONCE}`));

/** As `judgeProfile`, of every profile of every organisation. @returns how many it ended */
export async function judgeAll(tx: Tx): Promise<number> {
  const [row] = await tx.prepared<{ ended: number }>(JUDGE_ALL, {});
  return row?.ended ?? 0;
}

/**
 * True for an intent `i` that a repeated request leaves unchanged: it has the requested state, and is pending
 * or fulfilled.
 */
const STANDS = `i.id = (select newest_id from next)
    and (i.status = 'Pending' or i.status = 'Fulfilled' and exists (
      select from activations a where a.org_id = i.org_id and a.profile_id = i.profile_id and ${SHOWN}
    ))`;

const ASK_EVENTS = `
  select org_id, '${INTENT_EVENTS.Superseded}' as type, id::text as aggregate_id, null::uuid as cluster_id,
    ${payloadOf('replaced')} as payload
  from replaced
  union all
  select org_id, '${INTENT_EVENTS.requested}', id::text, null, ${payloadOf('asked')} from asked
  where generation = (select generation from next)`;

// The profile is locked, so requests for one profile run one after the other. `VERDICT` does not take this
// lock: therefore each row is changed according to its state at the time of the write. The new generation is
// above every generation that a controller reports as seen.
const ASK = statement(
  'intent-ask',
  `
    with next as materialized (
      select newest.id as newest_id, 1 + greatest(newest.generation, (
          select observed_generation from activations where org_id = $org_id and profile_id = $profile_id
        ), 0) as generation,
        greatest((
          select max(requested_at) from capacity_intents where org_id = $org_id and profile_id = $profile_id
        ), clock_timestamp()) as at
      from (values (1)) one left join lateral (
        select id, generation from capacity_intents where org_id = $org_id and profile_id = $profile_id
        order by generation desc limit 1
      ) newest on true
    ), replaced as (
      update capacity_intents set status = 'Superseded', updated_at = clock_timestamp()
      where org_id = $org_id and profile_id = $profile_id and status = 'Pending'
        and (desired_state, desired_replicas) <> ($desired_state, $desired_replicas)
      returning org_id, id, profile_id, generation
    ), asked as (
      insert into capacity_intents as i (org_id, id, profile_id, desired_state, desired_replicas, status,
        generation, requested_at, deadline, reason)
      select $org_id::uuid, $new_id::uuid, $profile_id::text, $desired_state::text, $desired_replicas::int,
        'Pending', next.generation, next.at,
        clock_timestamp() + make_interval(secs => $deadline_ms::double precision / 1000), $reason::text
      from next, (select count(*) from replaced) before
      on conflict (org_id, profile_id, desired_state, desired_replicas) do update
        set requested_at = excluded.requested_at, updated_at = clock_timestamp(),
          deadline = excluded.deadline, reason = excluded.reason,
          status = case when ${STANDS} then i.status else 'Pending' end,
          generation = case when ${STANDS} then i.generation else excluded.generation end
      returning i.*
    ), kept as (
      insert into capacity_asks (org_id, profile_id, generation, desired_state, desired_replicas,
        requested_at, reason)
      select org_id, profile_id, generation, desired_state, desired_replicas, requested_at, reason from asked
      where generation = (select generation from next)
    ), ${eventsWrittenFrom(ASK_EVENTS)}
    select ${COLUMNS}, (select count(*) from events_notified) as notified from asked i`,
);

export interface Ask {
  readonly profileId: string;
  /** The id of the row, if there is none yet. */
  readonly newId: string;
  readonly desiredState: DesiredState;
  readonly desiredReplicas: number;
  readonly deadlineMs: number | null;
  /** Why the service requests it; null for a request of anybody else. */
  readonly reason: string | null;
}

type IntentRow = Omit<CapacityIntentView, 'reason'> & { reason: string | null } & QueryResultRow;

const intentView = ({ reason, ...view }: IntentRow): CapacityIntentView => ({
  ...view,
  ...(reason === null ? {} : { reason }),
});

/** The profile must be locked. */
export async function ask(tx: Tx, wanted: Ask): Promise<CapacityIntentView> {
  const { profileId, newId, desiredState, desiredReplicas, deadlineMs, reason } = wanted;
  const values = {
    org_id: tx.orgId,
    profile_id: profileId,
    new_id: newId,
    desired_state: desiredState,
    desired_replicas: desiredReplicas,
    deadline_ms: deadlineMs,
    reason,
  };
  const [row] = await tx.prepared<IntentRow & { notified: number }>(ASK, values);
  invariant(row, 'an ask leaves a row');
  const { notified: _notified, ...intent } = row;
  return intentView(intent);
}

const NEWEST = statement(
  'intent-newest',
  `
    select generation, desired_replicas, status, requested_at from capacity_intents
    where org_id = $org_id and profile_id = $profile_id order by generation desc limit 1`,
);

export type NewestIntent = Pick<CapacityIntentView, 'generation' | 'desired_replicas' | 'status' | 'requested_at'>;

/** The intent that counts, whatever became of it. */
export async function newestIntent(tx: Tx, profileId: string): Promise<NewestIntent | undefined> {
  const [row] = await tx.prepared<IntentRow>(NEWEST, { org_id: tx.orgId, profile_id: profileId });
  return row;
}

const LATEST = `
  select ${COLUMNS} from capacity_intents i
  where i.org_id = $org_id and ($profile_id::text is null or i.profile_id = $profile_id) and i.id = (
    select o.id from capacity_intents o where o.org_id = $org_id and o.profile_id = i.profile_id
    order by o.requested_at desc, o.generation desc limit 1
  )
  order by i.updated_at desc, i.id desc limit $limit offset $offset`;

/** The last requested intent of each profile. @param profileId undefined: of all profiles */
export async function listLatestIntents(
  tx: Tx,
  slice: Slice,
  profileId: string | undefined,
): Promise<Page<CapacityIntentView>> {
  const values = { org_id: tx.orgId, profile_id: profileId ?? null, ...rowsOf(slice) };
  return Page.of(await tx.query<IntentRow>(LATEST, values), slice).map(intentView);
}

/**
 * Requests that another one has replaced before that moment, so that none is missing of what was requested
 * since, or while a start that is kept was running.
 */
export const OLD_ASKS: AgingRows = {
  table: 'capacity_asks',
  at: 'requested_at',
  key: { profile_id: 'text', generation: 'bigint' },
  unneeded: `exists (
              select from capacity_asks n
              where n.org_id = $org_id and n.profile_id = r.profile_id and n.requested_at < $before
                and (n.requested_at, n.generation) > (r.requested_at, r.generation)
            )
            and not exists (
              select from starts s
              where s.org_id = $org_id and s.profile_id = r.profile_id and s.began_at < $before
                and (s.ended_at is null or s.ended_at >= $before)
            )`,
};
