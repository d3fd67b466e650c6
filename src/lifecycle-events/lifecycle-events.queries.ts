import type { QueryResultRow } from 'pg';
import { LATER_KINDS, type WorkerEvent } from '../activations/start-events';
import type { Placement } from '../artifacts/artifacts.queries';
import type { Page, Slice } from '../common/paging';
import { toMilliseconds } from '../common/fields';
import { boundedPage, readPage } from '../database/bounded-page';
import type { Tx } from '../database/tx';
import type { LifecycleEventView, RecordLifecycleEventBody } from './lifecycle-events.dto';

const INSERT = {
  name: 'lifecycle-event',
  text: `
    insert into lifecycle_events (org_id, event_id, kind, occurred_at, cluster_id, profile_id, payload, sequence, generation, action_id,
      activation_id, artifact_id, node_uid, boot_id, workload_uid)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    on conflict (org_id, event_id) do nothing returning least(occurred_at, received_at) as occurred_at`,
};

/** @returns when it occurred, as far as the clocks agree that it has; undefined when an event of this id is recorded */
export async function insertEvent(tx: Tx, event: RecordLifecycleEventBody): Promise<Date | undefined> {
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

/** In the order in which they occurred. */
export const listEvents = (tx: Tx, since: string | undefined, slice: Slice): Promise<Page<LifecycleEventView>> =>
  readPage(tx, LIST, [tx.orgId, since ?? null, slice.limit + 1, slice.offset], slice);

const STOPPED = {
  name: 'lifecycle-stopped',
  text: `
    select max(least(occurred_at, received_at)) as at from lifecycle_events
    where org_id = $1 and profile_id = $2 and workload_uid = $3 and kind = 'worker.stopped'`,
};

/** When the worker of a pod was told to have stopped; null when it was not. */
export async function stoppedAt(tx: Tx, profileId: string, podUid: string): Promise<Date | null> {
  const [row] = await tx.prepared<{ at: Date | null }>(STOPPED, [tx.orgId, profileId, podUid]);
  return row?.at ?? null;
}

/** Events that are looked at again when a start begins: those of one worker are few. */
const MAX_LATER_EVENTS = 100;

const LATER = {
  name: 'lifecycle-later',
  text: `
    select kind, least(occurred_at, received_at) as "occurredAt", workload_uid as "podUid" from lifecycle_events
    where org_id = $1 and profile_id = $2 and occurred_at >= $3 and kind = any($4::text[])
      and (workload_uid is not distinct from $5::uuid or (kind = 'model.ready' and (workload_uid is null or $5::uuid is null)))
    order by occurred_at, event_id limit ${MAX_LATER_EVENTS}`,
};

/** What arrived of a worker of a pod, or of one whose pod nobody names, and did not begin its start. */
export async function laterEvents(
  tx: Tx,
  profileId: string,
  podUid: string | null,
  since: Date,
): Promise<readonly WorkerEvent[]> {
  type Row = Pick<WorkerEvent, 'kind' | 'occurredAt' | 'podUid'>;
  const rows = await tx.prepared<Row & QueryResultRow>(LATER, [tx.orgId, profileId, since, LATER_KINDS, podUid]);
  return rows.map((row) => ({ ...row, goneAt: null, told: null }));
}

const PODS_OF_CLUSTER = {
  name: 'lifecycle-pods-of-cluster',
  text: `
    select s.pod_uid from starts s where s.org_id = $1 and s.ended_at is null and s.pod_uid is not null
      and (exists (select from pods p where p.org_id = $1 and p.cluster_id = $2 and p.uid = s.pod_uid::text)
        or exists (select from lifecycle_events e where e.org_id = $1 and e.cluster_id = $2 and e.workload_uid = s.pod_uid))`,
};

/** Pods of a cluster that workers run in: as it told of them, or its agents of the workers. */
export const podUidsOf = async (tx: Tx, clusterId: string): Promise<string[]> =>
  (await tx.prepared<{ pod_uid: string }>(PODS_OF_CLUSTER, [tx.orgId, clusterId])).map(({ pod_uid: uid }) => uid);

// Of the node's row, because an artefact is found again by the name of its node.
const NODE_NAME = {
  name: 'lifecycle-node-name',
  text: 'select name from nodes where org_id = $1 and cluster_id = $2 and uid = $3 order by synced_at desc limit 1',
};

/** Where a checkpoint was taken, as its event says. */
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

/** Where the end of its checkpoint said that an artefact lies, before it was registered. */
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

/** Over all organisations. @returns how many events older than so many days it forgot */
export const forgetEvents = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, [days, limit])).length;
