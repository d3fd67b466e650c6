import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { RestoreEventKind, RestoreStatus } from './restore.states';
import type { ReportedAttempt } from './restored-action';

export type Members = Record<string, unknown>;

export interface StoredEvent {
  kind: RestoreEventKind;
  body: Members;
  received_at: Date;
}

// The update changes nothing and only takes the lock: events of one restore are processed one by one.
const OPEN = statement(
  'restore-open',
  `
    insert into restores (org_id, id, restore_uuid, status, members, created_at, updated_at)
    values ($org_id, $id, $restore_uuid, 'started', '{}', $now, $now)
    on conflict (org_id, restore_uuid) do update set updated_at = excluded.updated_at
    returning id, status, profile, action_id`,
);

export interface OpenedRestore {
  readonly id: string;
  /** By the events so far. */
  readonly status: RestoreStatus;
  readonly profile: unknown;
  /** The action of its events so far; null before its first one. */
  readonly action_id: string | null;
}

/** Finds the restore with a uuid or creates it, and locks it. */
export async function openRestore(tx: Tx, id: string, restoreUuid: string, now: Date): Promise<OpenedRestore> {
  const values = { org_id: tx.orgId, id, restore_uuid: restoreUuid, now };
  const [row] = await tx.prepared<OpenedRestore & QueryResultRow>(OPEN, values);
  return row ?? { id, status: 'started', profile: null, action_id: null };
}

const KEEP_EVENT = statement(
  'restore-keep-event',
  `
    insert into restore_events (org_id, restore_id, kind, body) values ($org_id, $restore_id, $kind, $body)
    on conflict (org_id, restore_id, kind) do update set body = excluded.body`,
);

/** A repeated event replaces the first one, and keeps its position in the order of arrival. */
export async function keepEvent(tx: Tx, restoreId: string, kind: RestoreEventKind, body: Members): Promise<void> {
  await tx.prepared(KEEP_EVENT, { org_id: tx.orgId, restore_id: restoreId, kind, body: JSON.stringify(body) });
}

const EVENTS = statement(
  'restore-events',
  `
    select kind, body, received_at from restore_events
    where org_id = $org_id and restore_id = $restore_id order by position`,
);

/** As received, oldest first. */
export const eventsOf = (tx: Tx, restoreId: string): Promise<StoredEvent[]> =>
  tx.prepared<StoredEvent & QueryResultRow>(EVENTS, { org_id: tx.orgId, restore_id: restoreId });

/** Newest attempts of an action that decide on it. Each may have some 100 KB, and each report reads all. */
const MAX_ATTEMPTS = 200;

const named = (member: string): string =>
  ['runtime_metadata', 'metadata', 'request_metadata']
    .map((place) => `nullif(members -> '${place}' ->> '${member}', '')`)
    .join(', ');
const ATTEMPTS = statement(
  'restore-attempts-of-action',
  `
    select status, lower(nullif(members ->> 'checkpoint_id', '')) as "checkpointId",
      coalesce(${named('container_name')}) as container
    from restores where org_id = $org_id and action_id = $action_id
    order by created_at desc, id desc limit ${MAX_ATTEMPTS}`,
);

/** What nodes reported about an action, newest first. */
export const attemptsOf = (tx: Tx, actionId: string): Promise<ReportedAttempt[]> =>
  tx.prepared<ReportedAttempt & QueryResultRow>(ATTEMPTS, { org_id: tx.orgId, action_id: actionId });

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
  (
    select coalesce(
      json_agg(json_build_object('kind', e.kind, 'received_at', e.received_at) order by e.position), '[]'
    )
    from restore_events e where e.org_id = r.org_id and e.restore_id = r.id
  ) as events`;
const LIST = boundedPage({
  as: 'r',
  found: `
    select r.* from restores r
    where r.org_id = $org_id
      and ($restore_uuid::uuid is null or r.restore_uuid = $restore_uuid)
      and ($status::text is null or r.status = $status)
      and ($workload_type::text is null or r.members->>'workload_type' = $workload_type)
      and ($cluster_id::uuid is null or r.cluster_id = $cluster_id)
      and ($unknown_cluster_id::text is null
        or lower(nullif(r.members ->> 'cluster_id', '')) <> coalesce(r.cluster_id::text, '')
          and r.members ->> 'cluster_id' = $unknown_cluster_id)
      and ($action_scope::text is null or r.members->>'action_scope' = $action_scope)
      and ($checkpoint_id::uuid is null or r.checkpoint_id = $checkpoint_id)
      and ($action_id::uuid is null or r.action_id = $action_id)
    order by r.created_at desc, r.id desc limit $limit offset $offset`,
  bytes: 'octet_length(r.members::text)',
  order: 'r.created_at desc, r.id desc',
  columns: COLUMNS,
});
const GET = `select ${COLUMNS} from restores r where r.org_id = $org_id and r.id = $id`;

export interface RestoreFilter {
  restore_uuid?: string;
  status?: string;
  workload_type?: string;
  /** A known cluster. */
  cluster_id?: string;
  /** As the events name a cluster that is not known. */
  unknown_cluster_id?: string;
  action_scope?: string;
  checkpoint_id?: string;
  action_id?: string;
}

/** A missing filter is null, and does not filter. */
const NO_FILTER: Readonly<Record<keyof RestoreFilter, null>> = {
  restore_uuid: null,
  status: null,
  workload_type: null,
  cluster_id: null,
  unknown_cluster_id: null,
  action_scope: null,
  checkpoint_id: null,
  action_id: null,
};

export const listRestores = (tx: Tx, filter: RestoreFilter, slice: Slice): Promise<Page<RestoreRow>> =>
  readPage(tx, LIST, { ...NO_FILTER, ...filter, org_id: tx.orgId, ...rowsOf(slice) }, slice);

export async function getRestore(tx: Tx, id: string): Promise<RestoreRow | undefined> {
  const [row] = await tx.query<RestoreRow & QueryResultRow>(GET, { org_id: tx.orgId, id });
  return row;
}

/** Restores, with their events. */
export const OLD_RESTORES: AgingRows = {
  table: 'restores',
  at: 'created_at',
  key: { id: 'uuid' },
  unneeded: 'r.updated_at < $before',
};
