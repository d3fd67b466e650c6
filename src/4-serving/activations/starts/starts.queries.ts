import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../../1-platform/old-rows/old-rows.queries';
import { newId } from '../../../1-platform/common/ids';
import { statement, type Statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { StartKind } from '../activations.dto';
import type { KnownStart, StartDifference } from './start-events';

/** True for a start `s` whose worker named a checkpoint, unless a restore from it failed since. */
export const RESTORED = `((s.restore_checkpoint_path is not null or s.artifact_id is not null)
    and (s.restore_failed_at is null or s.restore_failed_at < s.told_at))`;

/** The kind of a start: a row of `starts` aliased `s`. */
export const START_KIND = `case when ${RESTORED} then 'restore' else 'cold' end`;

/** Condition on a row of `starts` aliased `s` of each kind, which an index of the measured ones has too. */
export const OF_KIND: Readonly<Record<StartKind, string>> = {
  cold: `${RESTORED} is not true`,
  restore: RESTORED,
};

/** Starts that an event may still change. */
const RECENT = 20;

/** Maximal starts that one replay of events covers. */
const MAX_FOLDED = 1_000;

// Every change of starts locks the row of the activation: reports are decided on the version of that row.
const LOCK = statement(
  'starts-lock',
  `
    select observed_generation, phase, ready, cluster_id, false as made from activations
    where org_id = $org_id and profile_id = $profile_id for no key update`,
);
const MAKE = statement(
  'starts-make',
  `
    insert into activations (org_id, profile_id, desired_state, phase, ready, endpoint, observed_generation,
      start_id, version)
    values ($org_id, $profile_id, $desired_state, $phase, false, null, 0, null, 1)
    on conflict (org_id, profile_id) do nothing returning observed_generation, phase, ready, cluster_id,
      true as made`,
);

export interface LockedActivation {
  observed_generation: number;
  phase: string;
  ready: boolean;
  cluster_id: string | null;
  /** It was created just now. */
  made: boolean;
}

/** A new activation that an event describes before any report. */
const UNREPORTED = {
  comes: { desired_state: 'Active', phase: 'Scheduling' },
  gone: { desired_state: 'Suspended', phase: 'Suspended' },
} as const;

/**
 * @param make which row to create if there is none: of a worker that starts, or of one that is already gone
 */
export async function lockActivation(
  tx: Tx,
  profileId: string,
  make?: keyof typeof UNREPORTED,
): Promise<LockedActivation | undefined> {
  const values = { org_id: tx.orgId, profile_id: profileId };
  const lock = async (how: Statement, unreported: object = {}): Promise<LockedActivation | undefined> =>
    (await tx.prepared<LockedActivation & QueryResultRow>(how, { ...values, ...unreported }))[0];
  // If another transaction has just created the row, it can be locked now.
  return (await lock(LOCK)) ?? (make ? ((await lock(MAKE, UNREPORTED[make])) ?? (await lock(LOCK))) : undefined);
}

const COLUMNS = `s.id, s.begun_by as "begunBy", s.generation, s.began_at as "beganAt",
  s.beginning_seen as "beginningSeen", s.ready_at as "readyAt", s.failed_at as "failedAt",
  s.ended_at as "endedAt", s.pod_uid as "podUid", s.cluster_id as "clusterId",
  s.pod_taken_at as "podTakenAt", s.told_at as "namedAt",
  s.restore_checkpoint_path as "restoreCheckpointPath", s.artifact_id as "artifactId",
  s.restore_failed_at as "restoreFailedAt", s.reported_began_at, s.beginning_reported, s.reported_ready_at,
  s.reported_failed_at, s.reported_ended_at`;

interface StartRow extends QueryResultRow, Omit<KnownStart, 'reported'> {
  reported_began_at: Date | null;
  beginning_reported: boolean;
  reported_ready_at: Date | null;
  reported_failed_at: Date | null;
  reported_ended_at: Date | null;
}

const startOf = ({
  reported_began_at: beganAt,
  beginning_reported: beginning,
  reported_ready_at: readyAt,
  reported_failed_at: failedAt,
  reported_ended_at: endedAt,
  ...start
}: StartRow): KnownStart => ({ ...start, reported: { beganAt, beginning, readyAt, failedAt, endedAt } });

// Any event may belong to a start without a pod. A failed start ends when another one begins.
const RECENT_STARTS = statement(
  'starts-recent',
  `
    select ${COLUMNS} from (
      (select * from starts where org_id = $org_id and profile_id = $profile_id
        order by began_at desc, id desc limit ${RECENT})
      union
      (select * from starts where org_id = $org_id and profile_id = $profile_id and pod_uid = $pod_uid
        order by began_at desc, id desc limit ${RECENT})
      union
      (select * from starts where org_id = $org_id and profile_id = $profile_id and ended_at is null
          and (pod_uid is null or failed_at is not null or ($pod_uid::uuid is null and ready_at is null))
        order by began_at desc, id desc limit ${MAX_FOLDED})
    ) s order by s.began_at desc, s.id desc`,
);

/** Starts that an event can change if it is the last one of its pod: newest first. */
export const recentStarts = async (tx: Tx, profileId: string, podUid: string | null): Promise<KnownStart[]> =>
  (await tx.prepared<StartRow>(RECENT_STARTS, { org_id: tx.orgId, profile_id: profileId, pod_uid: podUid })).map(
    startOf,
  );

// Of the starts that began before, only open ones, and the last ones of these pods, can change or have an
// effect.
const STARTS_SINCE = statement(
  'starts-since',
  `
    select ${COLUMNS} from (
      (select * from starts where org_id = $org_id and profile_id = $profile_id and began_at >= $since
        and ($of_pod::uuid is null or pod_uid = $of_pod)
        order by began_at desc, id desc limit ${MAX_FOLDED + 1})
      union
      (select * from starts where org_id = $org_id and profile_id = $profile_id and ended_at is null
        order by began_at desc, id desc limit ${MAX_FOLDED})
      union
      (select * from starts where org_id = $org_id and profile_id = $profile_id
        and pod_uid = any($pod_uids::uuid[]) order by began_at desc, id desc limit ${MAX_FOLDED})
      union
      (select * from starts where org_id = $org_id and profile_id = $profile_id and began_at < $since
        order by began_at desc, id desc limit ${RECENT})
    ) s order by s.began_at desc, s.id desc`,
);

/**
 * Starts that events since a time can change, newest first; of one pod alone, if the events are.
 * @param podUids of the events
 * @returns the time since when the result is complete: later than requested, if there are too many
 */
export async function startsSince(
  tx: Tx,
  profileId: string,
  since: Date,
  podUids: readonly string[],
  ofPod: string | null,
): Promise<{ starts: KnownStart[]; since: Date }> {
  const rows = await tx.prepared<StartRow>(STARTS_SINCE, {
    org_id: tx.orgId,
    profile_id: profileId,
    since,
    pod_uids: podUids,
    of_pod: ofPod,
  });
  const starts = rows.map(startOf);
  const all = starts.filter(({ beganAt, podUid }) => beganAt >= since && (ofPod === null || podUid === ofPod));
  const beyond = all[MAX_FOLDED];
  // Others of the same millisecond may be left out.
  return { starts, since: beyond ? new Date(beyond.beganAt.getTime() + 1) : since };
}

const SAVE = statement(
  'starts-save',
  `
    insert into starts (org_id, profile_id, id, begun_by, generation, began_at, beginning_seen, ready_at,
      failed_at, ended_at, pod_uid, cluster_id, pod_taken_at, told_at, restore_checkpoint_path, artifact_id,
      restore_failed_at, reported_began_at, beginning_reported, reported_ready_at, reported_failed_at,
      reported_ended_at)
    select $org_id, $profile_id, s.id, s."begunBy", coalesce(s.generation, $generation), s."beganAt",
      s."beginningSeen", s."readyAt", s."failedAt", s."endedAt", s."podUid", s."clusterId", s."podTakenAt",
      s."namedAt", s."restoreCheckpointPath", s."artifactId", s."restoreFailedAt", r."beganAt",
      r.beginning, r."readyAt", r."failedAt", r."endedAt"
    from json_to_recordset($starts::json) as s(id uuid, "begunBy" uuid, generation bigint,
        "beganAt" timestamptz, "beginningSeen" boolean, "readyAt" timestamptz, "failedAt" timestamptz,
        "endedAt" timestamptz, "podUid" uuid, "clusterId" uuid, "podTakenAt" timestamptz,
        "namedAt" timestamptz,
        "restoreCheckpointPath" text, "artifactId" text, "restoreFailedAt" timestamptz, reported json),
      json_to_record(s.reported) as r("beganAt" timestamptz, beginning boolean, "readyAt" timestamptz,
        "failedAt" timestamptz, "endedAt" timestamptz)
    on conflict (org_id, id) do update set begun_by = excluded.begun_by, generation = excluded.generation,
      began_at = excluded.began_at, beginning_seen = excluded.beginning_seen, ready_at = excluded.ready_at,
      failed_at = excluded.failed_at, ended_at = excluded.ended_at, pod_uid = excluded.pod_uid,
      cluster_id = excluded.cluster_id, pod_taken_at = excluded.pod_taken_at, told_at = excluded.told_at,
      restore_checkpoint_path = excluded.restore_checkpoint_path, artifact_id = excluded.artifact_id,
      restore_failed_at = excluded.restore_failed_at, reported_began_at = excluded.reported_began_at,
      beginning_reported = excluded.beginning_reported, reported_ready_at = excluded.reported_ready_at,
      reported_failed_at = excluded.reported_failed_at, reported_ended_at = excluded.reported_ended_at`,
);

const REMOVE = statement(
  'starts-remove',
  `
    delete from starts where org_id = $org_id and id = any($ids::uuid[])`,
);

/** @param generation of starts whose first event names none */
export async function writeStarts(
  tx: Tx,
  profileId: string,
  { saved, removed }: Pick<StartDifference, 'saved' | 'removed'>,
  generation: number,
): Promise<void> {
  if (removed.length > 0) await tx.prepared(REMOVE, { org_id: tx.orgId, ids: removed });
  if (saved.length > 0)
    await tx.prepared(SAVE, { org_id: tx.orgId, profile_id: profileId, starts: JSON.stringify(saved), generation });
}

// The start that serves is the current one. A start of another pod is a further replica, or will take its
// place later. A profile whose worker is gone is not ready, whatever its controller reported before, unless
// another start serves.
const FOLLOW = statement(
  'activation-follow-starts',
  `
    update activations a set version = a.version + 1, start_id = current.id,
      phase = case when a.phase = 'Suspended' and current.id is not null then 'Scheduling' else a.phase end,
      ready = a.ready and (
        a.start_id is null or a.start_id is not distinct from current.id or coalesce(current.serves, false)
      ),
      endpoint = case when a.start_id is null or current.id is not null then a.endpoint end
    from (values (1)) one left join lateral (
        select s.id, s.ready_at is not null and s.failed_at is null as serves from starts s
        where s.org_id = $org_id and s.profile_id = $profile_id and s.ended_at is null
        order by s.ready_at is not null and s.failed_at is null desc, s.failed_at is not null, (s.id = (
          select start_id from activations where org_id = $org_id and profile_id = $profile_id
        )) is true desc, s.began_at desc, s.id desc
        limit 1
    ) current on true
    where a.org_id = $org_id and a.profile_id = $profile_id returning a.phase, a.ready`,
);

const LOG_PHASE = statement(
  'activation-log-phase',
  `
    insert into activation_phases (org_id, id, profile_id, phase, ready, observed_generation, occurred_at)
    values ($org_id, $id, $profile_id, $phase, $ready, $observed_generation, $occurred_at)`,
);

/**
 * Updates the activation to the current start after its starts changed.
 * @param before the row as it was locked
 * @param at when the cause of the change occurred
 */
export async function followStarts(tx: Tx, profileId: string, before: LockedActivation, at: Date): Promise<void> {
  const [after] = await tx.prepared<{ phase: string; ready: boolean }>(FOLLOW, {
    org_id: tx.orgId,
    profile_id: profileId,
  });
  if (!after || (after.phase === before.phase && after.ready === before.ready && !before.made)) return;
  const { observed_generation: generation } = before;
  await tx.prepared(LOG_PHASE, {
    org_id: tx.orgId,
    id: newId(),
    profile_id: profileId,
    phase: after.phase,
    ready: after.ready,
    observed_generation: generation,
    occurred_at: at,
  });
}

const REPORTED_BY_POD = statement(
  'starts-of-pods-named',
  `
    update starts s set restore_checkpoint_path = named.path, artifact_id = named.artifact_id
    from json_to_recordset($pods::json) as named(pod_uid uuid, profile_id text, path text, artifact_id text)
    where s.org_id = $org_id and s.pod_uid = named.pod_uid and s.profile_id = named.profile_id
      and s.told_at is null and s.restore_checkpoint_path is distinct from named.path
    returning s.profile_id`,
);

export interface PodCheckpoint {
  readonly pod_uid: string;
  readonly profile_id: string;
  readonly path: string;
  readonly artifact_id: string | null;
}

/**
 * Applies the checkpoints that pods name, for starts without one from an event. @returns the number of
 * changed starts
 */
export const tellPodCheckpoints = async (tx: Tx, pods: readonly PodCheckpoint[]): Promise<number> =>
  pods.length === 0 ? 0 : (await tx.prepared(REPORTED_BY_POD, { org_id: tx.orgId, pods: JSON.stringify(pods) })).length;

const OF_PODS = statement(
  'starts-of-pods',
  `
    select distinct pod_uid, profile_id from starts
    where org_id = $org_id and pod_uid = any($pod_uids::uuid[]) and told_at is null`,
);

/** Starts of pods without a checkpoint from an event. */
export const startsWithoutCheckpoint = (
  tx: Tx,
  podUids: readonly string[],
): Promise<{ pod_uid: string; profile_id: string }[]> =>
  tx.prepared<{ pod_uid: string; profile_id: string }>(OF_PODS, { org_id: tx.orgId, pod_uids: podUids });

const OPEN_OF_PODS = statement(
  'starts-open-of-pods',
  `
    select distinct profile_id from starts
    where org_id = $org_id and pod_uid = any($pod_uids::uuid[]) and ended_at is null order by profile_id`,
);

/** Profiles with current starts of one of these pods, in the order in which they must be locked. */
export const profilesRunOn = async (tx: Tx, podUids: readonly string[]): Promise<string[]> =>
  (await tx.prepared<{ profile_id: string }>(OPEN_OF_PODS, { org_id: tx.orgId, pod_uids: podUids })).map(
    ({ profile_id: id }) => id,
  );

const END_OF_PODS = statement(
  'starts-end-of-pods',
  `
    update starts set ended_at = greatest(began_at, clock_timestamp()),
      reported_ended_at = greatest(began_at, clock_timestamp())
    where org_id = $org_id and profile_id = $profile_id and pod_uid = any($pod_uids::uuid[])
      and ended_at is null`,
);

export async function endStartsOfPods(tx: Tx, profileId: string, podUids: readonly string[]): Promise<void> {
  await tx.prepared(END_OF_PODS, { org_id: tx.orgId, profile_id: profileId, pod_uids: podUids });
}

const OPEN_IN_CLUSTER = statement(
  'starts-open-in-cluster',
  `
    select profile_id from activations where org_id = $org_id and cluster_id = $cluster_id
    union
    select profile_id from starts
    where org_id = $org_id and ended_at is null
      and (pod_uid = any($pod_uids::uuid[]) or cluster_id = $cluster_id)`,
);

/** Profiles that a cluster runs: by its reports, by these pods of it, or by events. */
export const profilesRunIn = async (tx: Tx, clusterId: string, podUids: readonly string[]): Promise<string[]> =>
  (
    await tx.prepared<{ profile_id: string }>(OPEN_IN_CLUSTER, {
      org_id: tx.orgId,
      cluster_id: clusterId,
      pod_uids: podUids,
    })
  ).map(({ profile_id: id }) => id);

// The workers that nobody but the reports of the cluster knows end with it. So do those whose pod is known
// nowhere else: an event that placed it may be deleted by now. A worker without a pod that another cluster
// reports is its own.
const END_IN_CLUSTER = statement(
  'starts-end-in-cluster',
  `
    update starts s set ended_at = greatest(s.began_at, clock_timestamp()),
      reported_ended_at = greatest(s.began_at, clock_timestamp())
    from activations a
    where a.org_id = $org_id and a.profile_id = $profile_id and s.org_id = $org_id
      and s.profile_id = $profile_id and s.ended_at is null
      and case
        when s.pod_uid = any($pod_uids::uuid[]) then true
        when a.cluster_id = $cluster_id then s.pod_uid is null or (s.cluster_id is null and not exists (
          select from pods p where p.org_id = $org_id and p.uid = s.pod_uid::text
        ))
        else a.cluster_id is null and s.pod_uid is null and s.cluster_id = $cluster_id
      end`,
);
const LEAVE_CLUSTER = statement(
  'activation-leave-cluster',
  `
    update activations set ready = false, endpoint = null, workers = null, cluster_id = null,
      version = version + 1
    where org_id = $org_id and profile_id = $profile_id and cluster_id = $cluster_id`,
);

/**
 * Ends the starts of a profile in a cluster that is gone, with these pods of it. No worker that the cluster
 * reported can be reached any more.
 */
export async function endStartsInCluster(
  tx: Tx,
  profileId: string,
  clusterId: string,
  podUids: readonly string[],
): Promise<void> {
  const values = { org_id: tx.orgId, profile_id: profileId, cluster_id: clusterId };
  await tx.prepared(END_IN_CLUSTER, { ...values, pod_uids: podUids });
  await tx.prepared(LEAVE_CLUSTER, values);
}

/** The newest starts of a profile stay: routes expect of its next start what these took. */
const KEPT_STARTS = 100;

/*
 * Starts that ended. The current one of an activation stays, and so do the newest ones. What an artifact was
 * restored from stays counted.
 */
export const OLD_STARTS: AgingRows = {
  table: 'starts',
  at: 'ended_at',
  key: { id: 'uuid' },
  unneeded: `not exists (
              select from activations a
              where a.org_id = $org_id and a.profile_id = r.profile_id and a.start_id = r.id
            )
            and r.began_at < (
              select n.began_at from starts n where n.org_id = $org_id and n.profile_id = r.profile_id
              order by n.began_at desc offset ${KEPT_STARTS - 1} limit 1
            )`,
  counted: `
          insert into past_starts as p (org_id, artifact_id, attempts, restores, last_restored_at)
          select $org_id, s.artifact_id, count(*), count(s.ready_at) filter (where ${RESTORED}),
            max(s.ready_at) filter (where ${RESTORED})
          from gone s where s.artifact_id is not null group by s.artifact_id order by s.artifact_id
          on conflict (org_id, artifact_id) do update set attempts = p.attempts + excluded.attempts,
            restores = p.restores + excluded.restores,
            last_restored_at = greatest(p.last_restored_at, excluded.last_restored_at)`,
};
