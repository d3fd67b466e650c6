import type { QueryResultRow } from 'pg';
import { START_KINDS, type Standing, type WorkerEvent } from '../activations/starts/start-events';
import type { Placement } from '../artifacts/artifacts.queries';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { toMilliseconds } from '../../1-platform/common/fields/fields';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { removalOfOldestOfEach } from '../../1-platform/database/rows/oldest-rows';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { LifecycleEventView, RecordLifecycleEventBody } from './lifecycle-events.dto';
import { TELLING_KINDS, namedCheckpoint } from './lifecycle-kinds';

const INSERT = statement(
  'lifecycle-event',
  `
    insert into lifecycle_events (org_id, event_id, kind, occurred_at, cluster_id, profile_id, payload,
      sequence, generation, action_id, activation_id, artifact_id, node_uid, boot_id, workload_uid,
      restore_artifact_id)
    values ($org_id, $event_id, $kind, $occurred_at, $cluster_id, $profile_id, $payload, $sequence,
      $generation, $action_id, $activation_id, $artifact_id, $node_uid, $boot_id, $workload_uid,
      $restore_artifact_id)
    on conflict (org_id, event_id) do nothing returning least(occurred_at, received_at) as occurred_at`,
);

/**
 * @param restoreArtifactId the artifact at the path that the event names
 * @returns when it occurred, at most the time of arrival; undefined if an event with this id is recorded
 */
export async function insertEvent(
  tx: Tx,
  event: RecordLifecycleEventBody,
  restoreArtifactId: string | null,
): Promise<Date | undefined> {
  const [inserted] = await tx.prepared<{ occurred_at: Date }>(INSERT, {
    org_id: tx.orgId,
    event_id: event.event_id,
    kind: event.kind,
    occurred_at: toMilliseconds(event.occurred_at),
    cluster_id: event.cluster_id,
    profile_id: event.profile_id,
    payload: event.payload === undefined || event.payload === null ? null : JSON.stringify(event.payload),
    sequence: event.sequence ?? null,
    generation: event.generation ?? null,
    action_id: event.action_id ?? null,
    activation_id: event.activation_id ?? null,
    artifact_id: event.artifact_id ?? null,
    node_uid: event.node_uid ?? null,
    boot_id: event.boot_id ?? null,
    workload_uid: event.workload_uid ?? null,
    restore_artifact_id: restoreArtifactId,
  });
  return inserted?.occurred_at;
}

// By the index of times: a failure is usually reported at once, and later than an hour it does not count.
const RESTORED_SINCE = statement(
  'lifecycle-restored-since',
  `
    select from lifecycle_events
    where org_id = $org_id and occurred_at > greatest($at, statement_timestamp() - interval '1 hour')
      and kind = 'restore.completed' and artifact_id = $artifact_id
      and least(occurred_at, received_at) > $at
    limit 1`,
);

/** Whether a restore of an artifact succeeded after that time. */
export const isRestoredSince = async (tx: Tx, artifactId: string, at: Date): Promise<boolean> =>
  (await tx.prepared(RESTORED_SINCE, { org_id: tx.orgId, artifact_id: artifactId, at })).length > 0;

const COLUMNS = 'e.event_id, e.kind, e.occurred_at, e.payload, e.generation, e.sequence, e.profile_id';

const LIST = boundedPage({
  as: 'e',
  found: `
    select * from lifecycle_events
    where org_id = $org_id and occurred_at >= coalesce($since::timestamptz, '-infinity')
    order by occurred_at, event_id limit $limit offset $offset`,
  bytes: 'coalesce(octet_length(e.payload::text), 0)',
  order: 'e.occurred_at, e.event_id',
  columns: COLUMNS,
});

/** In order of occurrence. */
export const listEvents = (tx: Tx, since: string | undefined, slice: Slice): Promise<Page<LifecycleEventView>> =>
  readPage(tx, LIST, { org_id: tx.orgId, since: since ?? null, ...rowsOf(slice) }, slice);

/** Maximal later events that are searched for an event without a pod. */
const MAX_LATER = 2_000;

const STANDING = statement(
  'lifecycle-standing',
  `
    with later as materialized (
      select kind, least(occurred_at, received_at) as at, event_id, workload_uid from lifecycle_events
      where org_id = $org_id and profile_id = $profile_id and occurred_at >= $occurred_at
      order by occurred_at, event_id limit ${MAX_LATER}
    ), own as materialized (
      select kind, least(occurred_at, received_at) as at, event_id from lifecycle_events
      where org_id = $org_id and profile_id = $profile_id and workload_uid = $pod_uid::uuid
        and kind = any($start_kinds::text[])
    )
    select exists (
        select from own where (at, event_id) > ($occurred_at::timestamptz, $id::uuid)
      ) or exists (
        select from later
        where workload_uid is null and kind = any($start_kinds) and (at, event_id) > ($occurred_at, $id)
      ) as "ownLater",
      exists (
        select from later where kind = any($start_kinds) and (at, event_id) > ($occurred_at, $id)
      ) as "anyLater",
      exists (
        select from own where kind = 'worker.stopped' and (at, event_id) < ($occurred_at, $id)
      ) as "stoppedBefore",
      exists (select from own where kind = 'worker.stopped') as stopped`,
);

/** The other stored events of the profile and of the pod, as far as they matter for one event. */
export async function standingOf(tx: Tx, profileId: string, event: WorkerEvent): Promise<Standing> {
  const { occurredAt, id, podUid } = event;
  const values = {
    org_id: tx.orgId,
    profile_id: profileId,
    occurred_at: occurredAt,
    id,
    pod_uid: podUid,
    start_kinds: START_KINDS,
  };
  const [standing] = await tx.prepared<Standing & QueryResultRow>(STANDING, values);
  return standing ?? { ownLater: false, anyLater: false, stoppedBefore: false, stopped: false };
}

/** Maximal events of a replay: enough for late events. */
const MAX_FOLDED = 500;

const NEWEST = statement(
  'lifecycle-newest',
  `
    select event_id as id, kind, least(occurred_at, received_at) as "occurredAt", workload_uid as "podUid",
      cluster_id as "clusterId", generation,
      case
        when kind = any($telling_kinds::text[])
          and json_typeof(payload -> 'restore_checkpoint_path') = 'string'
        then payload ->> 'restore_checkpoint_path'
      end as path,
      case when kind = any($telling_kinds) then coalesce(artifact_id, restore_artifact_id) end as artifact_id
    from lifecycle_events
    where org_id = $org_id and profile_id = $profile_id and kind = any($kinds::text[])
      and (not $of_pod::boolean or workload_uid = $pod_uid::uuid)
    order by occurred_at desc, event_id desc limit ${MAX_FOLDED + 1}`,
);

interface EventRow extends QueryResultRow, Omit<WorkerEvent, 'checkpoint'> {
  path: string | null;
  artifact_id: string | null;
}

/**
 * The newest events of a profile that concern starts; of its pod alone, if the event is older than those of
 * the profile.
 * @returns the time since when they are complete
 */
export async function newestEvents(
  tx: Tx,
  profileId: string,
  event: WorkerEvent,
): Promise<{ events: WorkerEvent[]; since: Date; ofPod: string | null }> {
  const ofProfile = await newest(tx, profileId, null);
  if (ofProfile.since <= event.occurredAt || event.podUid === null) return { ...ofProfile, ofPod: null };
  return { ...(await newest(tx, profileId, event.podUid)), ofPod: event.podUid };
}

async function newest(
  tx: Tx,
  profileId: string,
  podUid: string | null,
): Promise<{ events: WorkerEvent[]; since: Date }> {
  const values = {
    org_id: tx.orgId,
    profile_id: profileId,
    kinds: START_KINDS,
    of_pod: podUid !== null,
    pod_uid: podUid,
    telling_kinds: TELLING_KINDS,
  };
  const rows = await tx.prepared<EventRow>(NEWEST, values);
  const events = rows.map(({ path, artifact_id: artifactId, ...event }) => ({
    ...event,
    checkpoint: namedCheckpoint(path, artifactId),
  }));
  const times = events.map(({ occurredAt }) => occurredAt.getTime());
  if (events.length <= MAX_FOLDED) return { events, since: new Date(Math.min(...times)) };
  // Others of the same millisecond as the oldest may be left out.
  const since = new Date((times.at(-1) ?? 0) + 1);
  return { events: events.filter(({ occurredAt }) => occurredAt >= since), since };
}

// A start of an earlier release has no cluster: an event may still place its pod.
const PODS_OF_CLUSTER = statement(
  'lifecycle-pods-of-cluster',
  `
    select s.pod_uid from starts s
    where s.org_id = $org_id and s.ended_at is null and s.pod_uid is not null and (
      s.cluster_id = $cluster_id
      or exists (
        select from pods p where p.org_id = $org_id and p.cluster_id = $cluster_id and p.uid = s.pod_uid::text
      )
      or (s.cluster_id is null and exists (
        select from lifecycle_events e
        where e.org_id = $org_id and e.cluster_id = $cluster_id and e.workload_uid = s.pod_uid
      ))
    )`,
);

/** Pods of a cluster that run workers: as synced, or as named by events of the workers. */
export const podUidsOf = async (tx: Tx, clusterId: string): Promise<string[]> =>
  (await tx.prepared<{ pod_uid: string }>(PODS_OF_CLUSTER, { org_id: tx.orgId, cluster_id: clusterId })).map(
    ({ pod_uid: uid }) => uid,
  );

// From the row of the node, because an artifact is found later by the name of its node.
const NODE_NAME = statement(
  'lifecycle-node-name',
  `
    select name from nodes where org_id = $org_id and cluster_id = $cluster_id and uid = $node_uid
    order by synced_at desc limit 1`,
);

/** Where a checkpoint was taken, according to its event. */
export async function placementOf(tx: Tx, clusterId: string, nodeUid: string, bootId: string): Promise<Placement> {
  const rows = await tx.prepared<{ name: string }>(NODE_NAME, {
    org_id: tx.orgId,
    cluster_id: clusterId,
    node_uid: nodeUid,
  });
  const nodeName = rows[0]?.name ?? null;
  return { clusterId, nodeName, nodeUid: nodeName === null ? nodeUid : null, bootId };
}

const CHECKPOINT_OF = statement(
  'lifecycle-checkpoint-of',
  `
    select cluster_id, node_uid, boot_id from lifecycle_events
    where org_id = $org_id and artifact_id = $artifact_id and profile_id = $profile_id
      and kind = 'checkpoint.completed' and boot_id is not null and node_uid is not null
    order by received_at desc limit 1`,
);

/** The location of an unregistered artifact, according to the end of its checkpoint. */
export async function reportedPlacement(tx: Tx, artifactId: string, profileId: string): Promise<Placement | undefined> {
  type Row = { cluster_id: string; node_uid: string; boot_id: string };
  const [row] = await tx.prepared<Row>(CHECKPOINT_OF, {
    org_id: tx.orgId,
    artifact_id: artifactId,
    profile_id: profileId,
  });
  return row && placementOf(tx, row.cluster_id, row.node_uid, row.boot_id);
}

const FORGET = removalOfOldestOfEach('lifecycle-forget', { table: 'lifecycle_events', at: 'occurred_at' });

/** For all organisations. @returns the number of deleted events older than this many days */
export const forgetEvents = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, { days, limit })).length;
