import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { textBytes } from '../slurm/values/text-bytes';
import { FullSyncStore } from '../slurm/sync/full-sync-store';
import type { ReservationColumns } from './reservation-record';

export const WINDOW_STATUSES = ['scheduled', 'active', 'completed', 'cancelled', 'ended'] as const;
export type WindowStatus = (typeof WINDOW_STATUSES)[number];

export interface WindowRow {
  id: string;
  name: string | null;
  cluster_id: string | null;
  reason: string | null;
  status: WindowStatus;
  start_time: Date;
  end_time: Date;
  created_at: Date;
  nodes: string[] | null;
  partitions: string[] | null;
}

/**
 * What is stored says only that somebody cancelled it or that it is over; the rest the database's clock says.
 */
const STATUS = `case when cancelled then 'cancelled' when ended then 'ended' when clock_timestamp() < start_time then 'scheduled'
  when clock_timestamp() < end_time then 'active' else 'completed' end`;

const COLUMNS = `id, name, cluster_id, reason, ${STATUS} as status, start_time, end_time, created_at, nodes, partitions`;

const LIST = boundedPage({
  as: 'r',
  found: 'select * from maintenance_windows where org_id = $1 order by start_time, id limit $2 offset $3',
  bytes: textBytes('r', ['name', 'reason', 'nodes', 'partitions']),
  order: 'r.start_time, r.id',
  columns: COLUMNS,
});

/** By start. */
export const listWindows = (tx: Tx, slice: Slice): Promise<Page<WindowRow>> =>
  readPage(tx, LIST, [tx.orgId, slice.limit + 1, slice.offset], slice);

const ONE = {
  name: 'maintenance-window',
  text: `select ${COLUMNS} from maintenance_windows where org_id = $1 and id = $2`,
};

export async function findWindow(tx: Tx, id: string): Promise<WindowRow | undefined> {
  const [row] = await tx.prepared<WindowRow & Record<string, unknown>>(ONE, [tx.orgId, id]);
  return row;
}

/** What a person may set; undefined leaves what is stored. */
export interface WindowValues {
  start_time?: string;
  end_time?: string;
  reason?: string;
  nodes?: string[];
  partitions?: string[];
  status?: WindowStatus;
}

const json = (names: string[] | undefined): string | null => (names === undefined ? null : JSON.stringify(names));

export async function insertWindow(tx: Tx, id: string, values: WindowValues): Promise<void> {
  await tx.query(
    `insert into maintenance_windows (org_id, id, start_time, end_time, reason, nodes, partitions, cancelled, ended)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9)`,
    [
      tx.orgId,
      id,
      values.start_time,
      values.end_time,
      values.reason,
      json(values.nodes),
      json(values.partitions),
      values.status === 'cancelled',
      values.status === 'ended',
    ],
  );
}

/** @returns the window's times as they are now; undefined when there is none */
export async function updateWindow(
  tx: Tx,
  id: string,
  values: WindowValues,
): Promise<{ start_time: Date; end_time: Date } | undefined> {
  const [row] = await tx.query<{ start_time: Date; end_time: Date }>(
    `update maintenance_windows set
       start_time = coalesce($3, start_time), end_time = coalesce($4, end_time), reason = coalesce($5, reason),
       nodes = coalesce($6::jsonb, nodes), partitions = coalesce($7::jsonb, partitions),
       cancelled = case when $8::text is null then cancelled else $8 = 'cancelled' end,
       ended = case when $8::text is null then ended else $8 = 'ended' end
     where org_id = $1 and id = $2
     returning start_time, end_time`,
    [
      tx.orgId,
      id,
      values.start_time,
      values.end_time,
      values.reason,
      json(values.nodes),
      json(values.partitions),
      values.status,
    ],
  );
  return row;
}

/** @returns false when there is none */
export async function deleteWindow(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query('delete from maintenance_windows where org_id = $1 and id = $2 returning id', [
    tx.orgId,
    id,
  ]);
  return rows.length > 0;
}

/** Told with other times; where they move with the clock, nothing says so. */
const MOVED = `told.told_start_time is not null
        and (stored.told_start_time, stored.told_end_time) is distinct from (told.told_start_time, told.told_end_time)`;

export const reservationStore = new FullSyncStore<ReservationColumns>(
  'maintenance_windows',
  {
    name: 'text',
    reason: 'text',
    // As exact as the columns, or what is equal would look changed.
    start_time: 'timestamptz(3)',
    end_time: 'timestamptz(3)',
    told_start_time: 'timestamptz(3)',
    told_end_time: 'timestamptz(3)',
    nodes: 'jsonb',
    partitions: 'jsonb',
  },
  {
    present: 'not stored.ended and not stored.superseded',
    mark: 'ended = true',
    unmark: 'ended = false',
    names: {
      current: 'not superseded',
      // Cancelled was the window that is known: neither another one of its name, nor one that comes when it
      // had ended. And what is over stays on record when its name comes with other times.
      isOther: `(stored.cancelled and stored.ended)
        or (${MOVED} and (stored.cancelled or stored.ended or stored.told_end_time <= clock_timestamp()))`,
      retire: 'superseded = true',
    },
  },
);
