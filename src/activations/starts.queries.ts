import type { QueryResultRow } from 'pg';
import { newId } from '../common/ids';
import type { Statement, Tx } from '../database/tx';
import type { KnownStart, StartChange } from './start-events';

/** Holds of a start `s` whose worker was told a checkpoint, unless a restore from it failed since. */
export const RESTORED = `((s.restore_checkpoint_path is not null or s.artifact_id is not null)
    and (s.restore_failed_at is null or s.restore_failed_at < s.told_at))`;

/** Of a row of `starts` aliased `s`. */
export const START_KIND = `case when ${RESTORED} then 'restore' else 'cold' end`;

/** Starts that an event may still be told of. */
const RECENT = 20;

// Who changes starts holds the row of the activation, whose version reports are decided on.
const LOCK = {
  name: 'starts-lock',
  text: 'select observed_generation, phase, ready, false as made from activations where org_id = $1 and profile_id = $2 for no key update',
};
const MAKE = {
  name: 'starts-make',
  text: `
    insert into activations (org_id, profile_id, desired_state, phase, ready, endpoint, observed_generation, start_id, version)
    values ($1, $2, $3, $4, false, null, 0, null, 1)
    on conflict (org_id, profile_id) do nothing returning observed_generation, phase, ready, true as made`,
};

export interface LockedActivation {
  observed_generation: number;
  phase: string;
  ready: boolean;
  /** It was made just now. */
  made: boolean;
}

/** One that was never reported, of which an event tells. */
const UNREPORTED = { comes: ['Active', 'Scheduling'], gone: ['Suspended', 'Suspended'] } as const;

/** @param make of what kind it is made where it was never reported: of a worker that comes up, or of one that is gone already */
export async function lockActivation(
  tx: Tx,
  profileId: string,
  make?: keyof typeof UNREPORTED,
): Promise<LockedActivation | undefined> {
  const lock = async (statement: Statement, ...more: string[]) =>
    (await tx.prepared<LockedActivation & QueryResultRow>(statement, [tx.orgId, profileId, ...more]))[0];
  // Where somebody else has just made it, it is there to be locked.
  return (await lock(LOCK)) ?? (make ? ((await lock(MAKE, ...UNREPORTED[make])) ?? (await lock(LOCK))) : undefined);
}

const RECENT_STARTS = {
  name: 'starts-recent',
  text: `
    select id, began_at as "beganAt", ready_at as "readyAt", failed_at as "failedAt", ended_at as "endedAt", told_at as "toldAt", pod_uid as "podUid"
    from (
      (select * from starts where org_id = $1 and profile_id = $2 order by began_at desc, id desc limit ${RECENT})
      union
      (select * from starts where org_id = $1 and profile_id = $2 and pod_uid = $3)
    ) s order by began_at desc, id desc`,
};

/** Those of the pod, and of the others the newest; the newest first. */
export const recentStarts = (tx: Tx, profileId: string, podUid: string | null): Promise<KnownStart[]> =>
  tx.prepared<KnownStart & QueryResultRow>(RECENT_STARTS, [tx.orgId, profileId, podUid]);

// A worker that has failed, or that was in the same pod, is followed by another one and holds nothing any more.
const END_BEFORE = {
  name: 'starts-end-before',
  text: `
    update starts set ended_at = greatest(failed_at, began_at, case when failed_at is null then $4::timestamptz end)
    where org_id = $1 and profile_id = $2 and ended_at is null and (failed_at is not null or pod_uid = $3::uuid)`,
};

const BEGIN = {
  name: 'start-begin',
  text: `
    insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, told_at, restore_checkpoint_path, artifact_id, pod_uid, ended_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11::timestamptz is not null then greatest($5, $11) end)`,
};

export async function beginStart(
  tx: Tx,
  profileId: string,
  id: string,
  generation: number,
  change: StartChange,
): Promise<void> {
  await tx.prepared(END_BEFORE, [tx.orgId, profileId, change.podUid ?? null, change.beganAt]);
  await tx.prepared(BEGIN, [
    tx.orgId,
    id,
    profileId,
    generation,
    change.beganAt,
    change.beginningSeen ?? false,
    change.toldAt ?? null,
    change.restoreCheckpointPath ?? null,
    change.artifactId ?? null,
    change.podUid ?? null,
    change.endedAt ?? null,
  ]);
}

// The first moment of each kind counts, whichever is told first. Of path and artefact an event may name one: the other stays where it is of the same checkpoint.
const CHANGE = {
  name: 'start-change',
  text: `
    update starts set began_at = coalesce($3, began_at), beginning_seen = beginning_seen or $4,
      ready_at = least(ready_at, case when $5::timestamptz is not null then greatest($5, coalesce($3, began_at)) end),
      failed_at = least(failed_at, case when $6::timestamptz is not null then greatest($6, coalesce($3, began_at)) end),
      ended_at = least(ended_at, case when $7::timestamptz is not null then greatest($7, coalesce($3, began_at)) end), pod_uid = coalesce(pod_uid, $8), told_at = coalesce($9, told_at),
      restore_checkpoint_path = case when $9 is null then restore_checkpoint_path when $10::text is not null then $10
        when artifact_id is null or artifact_id = $11::text then restore_checkpoint_path end,
      artifact_id = case when $9 is null then artifact_id when $11 is not null then $11
        when restore_checkpoint_path is null or restore_checkpoint_path = $10 then artifact_id end,
      restore_failed_at = greatest(restore_failed_at, $12)
    where org_id = $1 and id = $2`,
};

export async function changeStart(tx: Tx, id: string, change: StartChange): Promise<void> {
  await tx.prepared(CHANGE, [
    tx.orgId,
    id,
    change.beganAt ?? null,
    change.beginningSeen ?? false,
    change.readyAt ?? null,
    change.failedAt ?? null,
    change.endedAt ?? null,
    change.podUid ?? null,
    change.toldAt ?? null,
    change.restoreCheckpointPath ?? null,
    change.artifactId ?? null,
    change.restoreFailedAt ?? null,
  ]);
}

// The one that serves is current: one of another pod beside it is a further replica, or waits to take its place. A profile whose
// worker is gone is not ready, whatever its controller reported before, unless another one serves.
const FOLLOW = {
  name: 'activation-follow-starts',
  text: `
    update activations a set version = a.version + 1, start_id = current.id,
      phase = case when a.phase = 'Suspended' and current.id is not null then 'Scheduling' else a.phase end,
      ready = a.ready and (a.start_id is null or a.start_id is not distinct from current.id or coalesce(current.serves, false)),
      endpoint = case when a.start_id is null or current.id is not null then a.endpoint end
    from (values (1)) one left join lateral (
        select s.id, s.ready_at is not null and s.failed_at is null as serves from starts s where s.org_id = $1 and s.profile_id = $2 and s.ended_at is null
        order by s.ready_at is not null and s.failed_at is null desc, s.failed_at is not null,
          (s.id = (select start_id from activations where org_id = $1 and profile_id = $2)) is true desc, s.began_at desc, s.id desc
        limit 1
    ) current on true
    where a.org_id = $1 and a.profile_id = $2 returning a.phase, a.ready`,
};

const LOG_PHASE = {
  name: 'activation-log-phase',
  text: `
    insert into activation_phases (org_id, id, profile_id, phase, ready, observed_generation, occurred_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
};

/**
 * Brings the activation to the start that is current, after starts of it changed.
 * @param before as it was locked
 * @param at when what changed them occurred
 */
export async function followStarts(tx: Tx, profileId: string, before: LockedActivation, at: Date): Promise<void> {
  const [after] = await tx.prepared<{ phase: string; ready: boolean }>(FOLLOW, [tx.orgId, profileId]);
  if (!after || (after.phase === before.phase && after.ready === before.ready && !before.made)) return;
  const { observed_generation: generation } = before;
  await tx.prepared(LOG_PHASE, [tx.orgId, newId(), profileId, after.phase, after.ready, generation, at]);
}

const POD_TELLS = {
  name: 'starts-of-pods-told',
  text: `
    update starts s set restore_checkpoint_path = told.path, artifact_id = told.artifact_id
    from json_to_recordset($2::json) as told(pod_uid uuid, profile_id text, path text, artifact_id text)
    where s.org_id = $1 and s.pod_uid = told.pod_uid and s.profile_id = told.profile_id and s.told_at is null and s.restore_checkpoint_path is distinct from told.path
    returning s.profile_id`,
};

export interface PodCheckpoint {
  readonly pod_uid: string;
  readonly profile_id: string;
  readonly path: string;
  readonly artifact_id: string | null;
}

/** What pods themselves name as their checkpoint, for starts of which no event told. @returns how many starts it changed */
export const tellPodCheckpoints = async (tx: Tx, pods: readonly PodCheckpoint[]): Promise<number> =>
  pods.length === 0 ? 0 : (await tx.prepared(POD_TELLS, [tx.orgId, JSON.stringify(pods)])).length;

const OF_PODS = {
  name: 'starts-of-pods',
  text: `
    select distinct pod_uid, profile_id from starts where org_id = $1 and pod_uid = any($2::uuid[]) and told_at is null`,
};

/** Starts of pods of which no event told a checkpoint. */
export const untoldStarts = (tx: Tx, podUids: readonly string[]): Promise<{ pod_uid: string; profile_id: string }[]> =>
  tx.prepared<{ pod_uid: string; profile_id: string }>(OF_PODS, [tx.orgId, podUids]);

const OPEN_OF_PODS = {
  name: 'starts-open-of-pods',
  text: 'select distinct profile_id from starts where org_id = $1 and pod_uid = any($2::uuid[]) and ended_at is null order by profile_id',
};

/** Profiles with starts under way of one of these pods, in an order in which they may be locked. */
export const profilesRunOn = async (tx: Tx, podUids: readonly string[]): Promise<string[]> =>
  (await tx.prepared<{ profile_id: string }>(OPEN_OF_PODS, [tx.orgId, podUids])).map(({ profile_id: id }) => id);

const END_OF_PODS = {
  name: 'starts-end-of-pods',
  text: `
    update starts set ended_at = greatest(began_at, clock_timestamp())
    where org_id = $1 and profile_id = $2 and pod_uid = any($3::uuid[]) and ended_at is null`,
};

export async function endStartsOfPods(tx: Tx, profileId: string, podUids: readonly string[]): Promise<void> {
  await tx.prepared(END_OF_PODS, [tx.orgId, profileId, podUids]);
}
