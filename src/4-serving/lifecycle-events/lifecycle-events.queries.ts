import type { QueryResultRow } from 'pg';
import { START_KINDS, type Standing, type WorkerEvent } from '../activations/starts/start-events';
import type { Placement } from '../artifacts/artifacts.queries';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { toMilliseconds } from '../../1-platform/common/fields/fields';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { LifecycleEventView, RecordLifecycleEventBody } from './lifecycle-events.dto';
import { TELLING_KINDS, toldOf } from './lifecycle-kinds';

const INSERT = {
  name: 'lifecycle-event',
  text: `
    insert into lifecycle_events (org_id, event_id, kind, occurred_at, cluster_id, profile_id, payload, sequence, generation, action_id,
      activation_id, artifact_id, node_uid, boot_id, workload_uid, restore_artifact_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    on conflict (org_id, event_id) do nothing returning least(occurred_at, received_at) as occurred_at`,
};

/**
 * @param restoreArtifactId the artefact at the path that the event names
 * @returns when it occurred, at most the time of arrival; undefined if an event with this id is recorded
 */
export async function insertEvent(
  tx: Tx,
  event: RecordLifecycleEventBody,
  restoreArtifactId: string | null,
): Promise<Date | undefined> {
  const [inserted] = await tx.prepared<{ occurred_at: Date }>(INSERT, [
    tx.orgId,
    event.event_id,
    event.kind,
    toMilliseconds(event.occurred_at),
    event.cluster_id,
    event.profile_id,
    event.payload === undefined || event.payload === null ? null : JSON.stringify(event.payload),
    event.sequence ?? null,
    event.generation ?? null,
    event.action_id ?? null,
    event.activation_id ?? null,
    event.artifact_id ?? null,
    event.node_uid ?? null,
    event.boot_id ?? null,
    event.workload_uid ?? null,
    restoreArtifactId,
  ]);
  return inserted?.occurred_at;
}

const COLUMNS = 'e.event_id, e.kind, e.occurred_at, e.payload, e.generation, e.sequence, e.profile_id';

const LIST = boundedPage({
  as: 'e',
  found: `
    select * from lifecycle_events where org_id = $1 and occurred_at >= coalesce($2::timestamptz, '-infinity')
    order by occurred_at, event_id limit $3 offset $4`,
  bytes: 'coalesce(octet_length(e.payload::text), 0)',
  order: 'e.occurred_at, e.event_id',
  columns: COLUMNS,
});

/** In order of occurrence. */
export const listEvents = (tx: Tx, since: string | undefined, slice: Slice): Promise<Page<LifecycleEventView>> =>
  readPage(tx, LIST, [tx.orgId, since ?? null, slice.limit + 1, slice.offset], slice);

/** Events without a pod are searched among this many later ones. */
const MAX_LATER = 2_000;

const STANDING = {
  name: 'lifecycle-standing',
  text: `
    with later as materialized (
      select kind, least(occurred_at, received_at) as at, event_id, workload_uid from lifecycle_events
      where org_id = $1 and profile_id = $2 and occurred_at >= $3 order by occurred_at, event_id limit ${MAX_LATER}
    ), own as materialized (
      select kind, least(occurred_at, received_at) as at, event_id from lifecycle_events
      where org_id = $1 and profile_id = $2 and workload_uid = $5::uuid and kind = any($6::text[])
    )
    select exists (select from own where (at, event_id) > ($3::timestamptz, $4::uuid))
        or exists (select from later where workload_uid is null and kind = any($6) and (at, event_id) > ($3, $4)) as "ownLater",
      exists (select from later where kind = any($6) and (at, event_id) > ($3, $4)) as "anyLater",
      exists (select from own where kind = 'worker.stopped' and (at, event_id) < ($3, $4)) as "stoppedBefore",
      exists (select from own where kind = 'worker.stopped') as stopped`,
};

/** The other stored events of the profile, and of the pod, seen from one event. */
export async function standingOf(tx: Tx, profileId: string, event: WorkerEvent): Promise<Standing> {
  const { occurredAt, id, podUid } = event;
  const values = [tx.orgId, profileId, occurredAt, id, podUid, START_KINDS];
  const [standing] = await tx.prepared<Standing & QueryResultRow>(STANDING, values);
  return standing ?? { ownLater: false, anyLater: false, stoppedBefore: false, stopped: false };
}

/** Maximal events of a fold: late events are never that late. */
const MAX_FOLDED = 500;

const NEWEST = {
  name: 'lifecycle-newest',
  text: `
    select event_id as id, kind, least(occurred_at, received_at) as "occurredAt", workload_uid as "podUid", generation,
      case when kind = any($6::text[]) and json_typeof(payload -> 'restore_checkpoint_path') = 'string' then payload ->> 'restore_checkpoint_path' end as path,
      case when kind = any($6) then coalesce(artifact_id, restore_artifact_id) end as artifact_id
    from lifecycle_events
    where org_id = $1 and profile_id = $2 and kind = any($3::text[]) and (not $4::boolean or workload_uid = $5::uuid)
    order by occurred_at desc, event_id desc limit ${MAX_FOLDED + 1}`,
};

interface EventRow extends QueryResultRow, Omit<WorkerEvent, 'told'> {
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
  const values = [tx.orgId, profileId, START_KINDS, podUid !== null, podUid, TELLING_KINDS];
  const rows = await tx.prepared<EventRow>(NEWEST, values);
  const events = rows.map(({ path, artifact_id: artifactId, ...event }) => ({
    ...event,
    told: toldOf(path, artifactId),
  }));
  const times = events.map(({ occurredAt }) => occurredAt.getTime());
  if (events.length <= MAX_FOLDED) return { events, since: new Date(Math.min(...times)) };
  // Others of the same millisecond as the oldest may be left out.
  const since = new Date((times.at(-1) ?? 0) + 1);
  return { events: events.filter(({ occurredAt }) => occurredAt >= since), since };
}

const PODS_OF_CLUSTER = {
  name: 'lifecycle-pods-of-cluster',
  text: `
    select s.pod_uid from starts s where s.org_id = $1 and s.ended_at is null and s.pod_uid is not null
      and (exists (select from pods p where p.org_id = $1 and p.cluster_id = $2 and p.uid = s.pod_uid::text)
        or exists (select from lifecycle_events e where e.org_id = $1 and e.cluster_id = $2 and e.workload_uid = s.pod_uid))`,
};

/** Pods of a cluster that run workers: as synced, or as named by events of the workers. */
export const podUidsOf = async (tx: Tx, clusterId: string): Promise<string[]> =>
  (await tx.prepared<{ pod_uid: string }>(PODS_OF_CLUSTER, [tx.orgId, clusterId])).map(({ pod_uid: uid }) => uid);

// Of the node's row, because an artefact is found again by the name of its node.
const NODE_NAME = {
  name: 'lifecycle-node-name',
  text: 'select name from nodes where org_id = $1 and cluster_id = $2 and uid = $3 order by synced_at desc limit 1',
};

/** Where a checkpoint was taken, according to its event. */
export async function placementOf(tx: Tx, clusterId: string, nodeUid: string, bootId: string): Promise<Placement> {
  const rows = await tx.prepared<{ name: string }>(NODE_NAME, [tx.orgId, clusterId, nodeUid]);
  const nodeName = rows[0]?.name ?? null;
  return { clusterId, nodeName, nodeUid: nodeName === null ? nodeUid : null, bootId };
}

const CHECKPOINT_OF = {
  name: 'lifecycle-checkpoint-of',
  text: `
    select cluster_id, node_uid, boot_id from lifecycle_events
    where org_id = $1 and artifact_id = $2 and profile_id = $3 and kind = 'checkpoint.completed' and boot_id is not null and node_uid is not null
    order by received_at desc limit 1`,
};

/** The location of an unregistered artefact, according to the end of its checkpoint. */
export async function toldPlacement(tx: Tx, artifactId: string, profileId: string): Promise<Placement | undefined> {
  type Row = { cluster_id: string; node_uid: string; boot_id: string };
  const [row] = await tx.prepared<Row>(CHECKPOINT_OF, [tx.orgId, artifactId, profileId]);
  return row && placementOf(tx, row.cluster_id, row.node_uid, row.boot_id);
}

const FORGET = {
  name: 'lifecycle-forget',
  text: `
    with old as (
      select o.id as org_id, page.event_id from organisations o cross join lateral (
        select event_id from lifecycle_events
        where org_id = o.id and occurred_at < clock_timestamp() - make_interval(days => $1) order by occurred_at limit $2
      ) page limit $2
    )
    delete from lifecycle_events e using old where e.org_id = old.org_id and e.event_id = old.event_id returning e.event_id`,
};

/** For all organisations. @returns the number of deleted events older than this many days */
export const forgetEvents = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, [days, limit])).length;
