import type { QueryResultRow } from 'pg';
import { CLUSTER_STATUS } from '../../../2-inventory/clusters/clusters.queries';
import { tryTurn } from '../../../1-platform/database/transactions/advisory-locks';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { PolicyResource, PolicyTrigger } from '../policy.states';
import { Policy } from '../policy.entity';
import { OF_POLICY } from './policy-actions.queries';

/** Maximal policies of one page. */
export const DUE_AT_ONCE = 500;

export interface DuePolicy {
  org_id: string;
  id: string;
  cluster_id: string;
  next_at: Date;
}

/**
 * A policy has to act, or to be disabled because its window is over, paused or not.
 * @param now a time of the database
 */
const IS_DUE = (now: string) => `
  next_at <= ${now}
  and (status = 'active' or status = 'paused' and trigger = 'maintenance' and ends_at <= ${now})`;

// The time of the statement: `clock_timestamp()` changes during the statement, so no index can use it.
const DUE = statement(
  'policies-due',
  `
    select org_id, id, cluster_id, next_at from policies
    where ${IS_DUE('statement_timestamp()')}
      and (retry_at is null or retry_at <= statement_timestamp())
      and ($after::timestamptz is null or (next_at, id) > ($after, $after_id::uuid))
      -- A policy of a silent cluster has nothing to request, unless its window is over.
      and ((org_id, cluster_id) in (select org_id, id from clusters where ${CLUSTER_STATUS} = 'active')
        or trigger = 'maintenance' and ends_at <= statement_timestamp())
    order by next_at, id limit ${DUE_AT_ONCE}`,
);

/**
 * A page of the due policies, the longest due first, after the given one: so policies that fail do not block
 * others. Over all organisations: only for the service's own transactions.
 */
export const duePolicies = (tx: Tx, behind: DuePolicy | undefined): Promise<DuePolicy[]> =>
  tx.prepared<DuePolicy & QueryResultRow>(DUE, { after: behind?.next_at ?? null, after_id: behind?.id ?? null });

const NEXT = statement(
  'policies-next',
  `
    select extract(epoch from min(next_at) - statement_timestamp())::float8 as seconds from policies
    where status = 'active' and next_at > statement_timestamp()`,
);

/** Seconds until the next policy is due; undefined if none will be. Over all organisations. */
export async function secondsToNext(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.prepared<{ seconds: number | null }>(NEXT, {});
  return row?.seconds ?? undefined;
}

/** A policy that is due, locked until the transaction ends. */
export interface Beat {
  id: string;
  trigger: PolicyTrigger;
  resource: PolicyResource;
  kind: string;
  runc_root: string | null;
  /** The time on its grid at which it was due. */
  beat_at: Date;
  /** It has requested workloads already. */
  begun: boolean;
  /** Its window is over: nothing is requested any more. */
  over: boolean;
}

const BEGUN_SINCE = "case policy.trigger when 'heartbeat' then policy.next_at else policy.starts_at end";

/*
 * Runs once over all replicas: a replica that does not get the turn, or finds that the next time is already
 * set, has nothing to do. With the turn, it waits for the row: others hold that too, such as reports of
 * checkpoints, for a moment.
 */
const LOCK_DUE = statement(
  'policy-lock-due',
  `
    select from policies
    where org_id = $org_id and id = $id and ${IS_DUE('clock_timestamp()')}
    for no key update`,
);
/*
 * A statement of its own, which sees what was committed until the policy was locked. Another replica may have
 * begun the beat just before, and the statement that locks may be older: it would find that no beat has
 * begun, because requests do not change the policy.
 *
 * A heartbeat stays on the grid of its first time, and missed beats are replaced by the latest one. One that
 * has begun goes on, however long it takes: otherwise the beat after it would begin with the same workloads,
 * and the last ones would never have theirs. Its actions show that it has begun: they have its time, and the
 * policy is due since that time or longer. A window is one beat from its start to its end, which looks
 * repeatedly for workloads on which it has not acted yet.
 */
const BEAT = statement(
  'policy-beat',
  `
    select id, trigger, resource, kind, runc_root,
      case trigger when 'heartbeat'
        then coalesce(begun_at, next_at + make_interval(secs => interval_seconds)
          * floor(extract(epoch from clock_timestamp() - next_at) / interval_seconds)::float8)
        else starts_at end as beat_at,
      begun_at is not null as begun,
      coalesce(ends_at <= clock_timestamp(), false) as over
    from policies policy, lateral (
      select max(beat_at) as begun_at from (
        select max(beat_at) as beat_at ${OF_POLICY.pods} and beat_at >= ${BEGUN_SINCE}
        union all select max(beat_at) ${OF_POLICY.slurmJobs} and beat_at >= ${BEGUN_SINCE}
      ) of_kind
    ) begun
    where org_id = $org_id and id = $id`,
);

export async function lockDue(tx: Tx, id: string): Promise<Beat | undefined> {
  if (!(await tryTurn(tx, 'beats', id))) return undefined;
  const values = { org_id: tx.orgId, id };
  if ((await tx.prepared(LOCK_DUE, values)).length === 0) return undefined;
  const [row] = await tx.prepared<Beat & QueryResultRow>(BEAT, values);
  return row;
}

/**
 * When an open window looks again for workloads that have started since. A look compares each running pod
 * that it leaves alone with what was moved, which takes some 10 microseconds: a window that has moved very
 * many looks less often, so that its looks take no more than a small part of a processor. Its last look is 5
 * seconds before its end in any case.
 */
const NEXT_LOOK = `
  greatest(clock_timestamp() + interval '5 seconds', least(ends_at - interval '5 seconds',
    clock_timestamp() + least(interval '5 seconds' * ceil($moved::int / 20000.0), interval '1 minute')))`;

const ADVANCE = statement(
  'policy-advance',
  `
    update policies set
      last_beat_at = case when trigger = 'heartbeat' or $acted then $beat_at else last_beat_at end,
      matched_at = clock_timestamp(), retry_at = null,
      next_at = case trigger when 'heartbeat'
        then $beat_at::timestamptz + make_interval(secs => interval_seconds)
        else least(ends_at, ${NEXT_LOOK}) end
    where org_id = $org_id and id = $id`,
);

/**
 * The beat is done. A heartbeat is due at the next time of its grid; a window is due at its next look, or at
 * its end.
 * @param acted it found workloads to act on
 * @param moved pods that a look of a window left alone
 */
export async function advance(
  tx: Tx,
  { id, beat_at }: Pick<Beat, 'id' | 'beat_at'>,
  acted: boolean,
  moved: number,
): Promise<void> {
  await tx.prepared(ADVANCE, { org_id: tx.orgId, id, beat_at, acted, moved });
}

export async function disable(tx: Tx, id: string): Promise<void> {
  await tx.store(Policy).update({ id }, { status: 'disabled', nextAt: null, retryAt: null, pausedAt: null });
}

/** How long a beat that failed waits until it is tried again. */
const RETRY_AFTER = "interval '15 seconds'";
const POSTPONE = statement(
  'policy-postpone',
  `
    with free as materialized (
      select org_id, id from policies where org_id = $org_id and id = $id and status <> 'disabled'
      for no key update skip locked
    )
    update policies p set retry_at = clock_timestamp() + ${RETRY_AFTER}
    from free where p.org_id = free.org_id and p.id = free.id`,
);

/** The policy stays due, and is tried again later. */
export async function postpone(tx: Tx, id: string): Promise<void> {
  await tx.prepared(POSTPONE, { org_id: tx.orgId, id });
}

const MISSING = statement(
  'policy-missing-checkpoints',
  `
    select max_checkpoints - (
      select count(*) from actions where org_id = $org_id and policy_id = $id and status = 'ready'
    ) - coalesce((select ready from past_actions where org_id = $org_id and policy_id = $id), 0) as missing
    from policies
    where org_id = $org_id and id = $id and status <> 'disabled' and max_checkpoints is not null`,
);

/** Disables a policy that has made its maximal number of checkpoints. It is locked. */
export async function disableWhenDone(tx: Tx, id: string): Promise<void> {
  const [counted] = await tx.prepared<{ missing: number }>(MISSING, { org_id: tx.orgId, id });
  if (!counted) return;
  if (counted.missing <= 0) await disable(tx, id);
  else await tx.store(Policy).update({ id }, { countAfter: Math.ceil(counted.missing / 2) });
}

// It locks the policy. So of two checkpoints that succeed at the same time one sees the other: the statement
// that counts them sees what was committed while this one waited.
const NOTE_READY = statement(
  'policy-note-ready',
  `
    update policies set count_after = count_after - 1
    where org_id = $org_id and id = $id and status <> 'disabled' and max_checkpoints is not null
    returning coalesce(count_after <= 0, true) as due`,
);

/**
 * A checkpoint of a policy has become ready. To count all of them each time would take ever longer, so they
 * are counted once half of those that were missing have become ready. A count also shows what a replica of an
 * earlier release did not note, and what was opened again.
 */
export async function noteReady(tx: Tx, id: string): Promise<void> {
  const [noted] = await tx.prepared<{ due: boolean }>(NOTE_READY, { org_id: tx.orgId, id });
  if (noted?.due === true) await disableWhenDone(tx, id);
}
