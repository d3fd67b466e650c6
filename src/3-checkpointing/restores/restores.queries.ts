import type { QueryResultRow } from 'pg';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { RestoreEventKind, RestoreStatus } from './restore.states';

export type Members = Record<string, unknown>;

export interface StoredEvent {
  kind: RestoreEventKind;
  body: Members;
  received_at: Date;
}

// The update changes nothing but takes the lock: events of one restore take turns.
const OPEN = {
  name: 'restore-open',
  text: `
    insert into restores (org_id, id, restore_uuid, status, members, created_at, updated_at) values ($1, $2, $3, 'started', '{}', $4, $4)
    on conflict (org_id, restore_uuid) do update set updated_at = excluded.updated_at
    returning id, profile`,
};

/** Finds the restore of a uuid or makes it, and locks it. */
export async function openRestore(
  tx: Tx,
  id: string,
  restoreUuid: string,
  now: Date,
): Promise<{ id: string; profile: unknown }> {
  const [row] = await tx.prepared<{ id: string; profile: unknown }>(OPEN, [tx.orgId, id, restoreUuid, now]);
  return row ?? { id, profile: null };
}

const KEEP_EVENT = {
  name: 'restore-keep-event',
  text: `
    insert into restore_events (org_id, restore_id, kind, body) values ($1, $2, $3, $4)
    on conflict (org_id, restore_id, kind) do update set body = excluded.body`,
};

/** A repeated event takes the place of the first one, and keeps its place in the order of arrival. */
export async function keepEvent(tx: Tx, restoreId: string, kind: RestoreEventKind, body: Members): Promise<void> {
  await tx.prepared(KEEP_EVENT, [tx.orgId, restoreId, kind, JSON.stringify(body)]);
}

const EVENTS = {
  name: 'restore-events',
  text: 'select kind, body, received_at from restore_events where org_id = $1 and restore_id = $2 order by position',
};

/** As received, oldest first. */
export const eventsOf = (tx: Tx, restoreId: string): Promise<StoredEvent[]> =>
  tx.prepared<StoredEvent & QueryResultRow>(EVENTS, [tx.orgId, restoreId]);

export interface RestoreRow {
  id: string;
  restore_uuid: string;
  status: RestoreStatus;
  members: Members;
  created_at: Date;
  updated_at: Date;
  events: { kind: RestoreEventKind; received_at: string }[];
}

const COLUMNS = `
  r.id, r.restore_uuid, r.status, r.members, r.created_at, r.updated_at,
  (select coalesce(json_agg(json_build_object('kind', e.kind, 'received_at', e.received_at) order by e.position), '[]')
   from restore_events e where e.org_id = r.org_id and e.restore_id = r.id) as events`;
const LIST = boundedPage({
  as: 'r',
  found: `
    select r.* from restores r
    where r.org_id = $1 and ($2::uuid is null or r.restore_uuid = $2) and ($3::text is null or r.status = $3)
      and ($4::text is null or r.members->>'workload_type' = $4) and ($5::text is null or r.members->>'cluster_id' = $5 or r.cluster_id::text = $5)
      and ($6::text is null or r.members->>'action_scope' = $6) and ($7::uuid is null or r.checkpoint_id = $7) and ($8::uuid is null or r.action_id = $8)
    order by r.created_at desc, r.id desc limit $9 offset $10`,
  bytes: 'octet_length(r.members::text)',
  order: 'r.created_at desc, r.id desc',
  columns: COLUMNS,
});
const GET = `select ${COLUMNS} from restores r where r.org_id = $1 and r.id = $2`;

export interface RestoreFilter {
  restore_uuid?: string;
  status?: string;
  workload_type?: string;
  cluster_id?: string;
  action_scope?: string;
  checkpoint_id?: string;
  action_id?: string;
}

export function listRestores(tx: Tx, filter: RestoreFilter, slice: Slice): Promise<Page<RestoreRow>> {
  const { restore_uuid, status, workload_type, cluster_id, action_scope, checkpoint_id, action_id } = filter;
  const values = [restore_uuid, status, workload_type, cluster_id, action_scope, checkpoint_id, action_id].map(
    (value) => value ?? null,
  );
  return readPage(tx, LIST, [tx.orgId, ...values, slice.limit + 1, slice.offset], slice);
}

export async function getRestore(tx: Tx, id: string): Promise<RestoreRow | undefined> {
  const [row] = await tx.query<RestoreRow & QueryResultRow>(GET, [tx.orgId, id]);
  return row;
}
