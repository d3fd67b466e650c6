import type { Page, Slice } from '../../1-platform/common/answers/paging';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement, type Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { textBytes } from '../slurm/values/text-bytes';
import { FullSyncStore } from '../slurm/sync/full-sync-store.queries';
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

/** Stored is only that a window was cancelled or has ended. The database's clock decides everything else. */
const STATUS = `
  case when cancelled then 'cancelled' when ended then 'ended'
  when clock_timestamp() < start_time then 'scheduled'
  when clock_timestamp() < end_time then 'active' else 'completed' end`;

const COLUMNS = `
  id, name, cluster_id, reason, ${STATUS} as status, start_time, end_time, created_at, nodes, partitions`;

export const WINDOW_ORDERS = ['start_time', '-start_time'] as const;

/** Undefined: any. */
export interface WindowFilter {
  readonly cluster_id?: string;
  readonly status?: WindowStatus;
  /** Windows that are not over at this time. */
  readonly ends_after?: string;
  /** Windows that begin before this time. */
  readonly starts_before?: string;
  /** Earliest start first, or latest. */
  readonly sort?: (typeof WINDOW_ORDERS)[number];
}

const list = (order: string): string =>
  boundedPage({
    as: 'r',
    found: `
      select * from maintenance_windows where org_id = $org_id
        and ($cluster_id::uuid is null or cluster_id = $cluster_id)
        and ($ends_after::timestamptz is null or end_time > $ends_after)
        and ($starts_before::timestamptz is null or start_time < $starts_before)
        and ($status::text is null or $status = ${STATUS})
      order by ${order} limit $limit offset $offset`,
    bytes: textBytes('r', ['name', 'reason', 'nodes', 'partitions']),
    order,
    columns: COLUMNS,
  });
const LISTS = { start_time: list('start_time, id'), '-start_time': list('start_time desc, id desc') };

/** By start. */
export function listWindows(tx: Tx, filter: WindowFilter, slice: Slice): Promise<Page<WindowRow>> {
  const { cluster_id = null, status = null, ends_after = null, starts_before = null, sort = 'start_time' } = filter;
  const values = { org_id: tx.orgId, cluster_id, status, ends_after, starts_before, ...rowsOf(slice) };
  return readPage(tx, LISTS[sort], values, slice);
}

const ONE = statement(
  'maintenance-window',
  `select ${COLUMNS} from maintenance_windows where org_id = $org_id and id = $id`,
);

export async function findWindow(tx: Tx, id: string): Promise<WindowRow | undefined> {
  const [row] = await tx.prepared<WindowRow & Record<string, unknown>>(ONE, { org_id: tx.orgId, id });
  return row;
}

/** What a person may set; undefined keeps the stored value. */
export interface WindowValues {
  start_time?: string;
  end_time?: string;
  reason?: string;
  nodes?: string[];
  partitions?: string[];
  status?: WindowStatus;
}

const json = (names: string[] | undefined): string | null => (names === undefined ? null : JSON.stringify(names));

// PostgreSQL parses the times and rounds them to its milliseconds, as in an update.
const INSERT = `
  insert into maintenance_windows
    (org_id, id, start_time, end_time, reason, nodes, partitions, cancelled, ended)
  values
    ($org_id, $id, $start_time, $end_time, $reason, $nodes::jsonb, $partitions::jsonb,
      $status::text is not distinct from 'cancelled', $status is not distinct from 'ended')`;

const parameters = ({ orgId }: Tx, id: string, { nodes, partitions, ...values }: WindowValues): Values => ({
  org_id: orgId,
  id,
  start_time: values.start_time,
  end_time: values.end_time,
  reason: values.reason,
  nodes: json(nodes),
  partitions: json(partitions),
  status: values.status,
});

export async function insertWindow(tx: Tx, id: string, values: WindowValues): Promise<void> {
  await tx.query(INSERT, parameters(tx, id, values));
}

const UPDATE = `
  update maintenance_windows set
    start_time = coalesce($start_time, start_time), end_time = coalesce($end_time, end_time),
    reason = coalesce($reason, reason),
    nodes = coalesce($nodes::jsonb, nodes), partitions = coalesce($partitions::jsonb, partitions),
    cancelled = case when $status::text is null then cancelled else $status = 'cancelled' end,
    ended = case when $status::text is null then ended else $status = 'ended' end
  where org_id = $org_id and id = $id
  returning start_time, end_time`;

/** @returns the window's times after the update; undefined if there is no such window */
export async function updateWindow(
  tx: Tx,
  id: string,
  values: WindowValues,
): Promise<{ start_time: Date; end_time: Date } | undefined> {
  const [row] = await tx.query<{ start_time: Date; end_time: Date }>(UPDATE, parameters(tx, id, values));
  return row;
}

/** Reported with other times. If the times move with the clock, they count as unchanged. */
const MOVED = `reported.told_start_time is not null
        and (stored.told_start_time, stored.told_end_time)
          is distinct from (reported.told_start_time, reported.told_end_time)`;

export const reservationStore = new FullSyncStore<ReservationColumns>(
  'maintenance_windows',
  {
    name: 'text',
    reason: 'text',
    // As exact as the columns; otherwise equal times would look changed.
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
      // A cancellation applies to the known window only: not to another one of its name, and not to one that
      // is reported after its end. A window that is over stays on record when its name is used with other
      // times.
      isOther: `(stored.cancelled and stored.ended)
        or (${MOVED} and (stored.cancelled or stored.ended or stored.told_end_time <= clock_timestamp()))`,
      retire: 'superseded = true',
    },
  },
);

/** Windows that are over. One that its cluster still reports would be stored again. */
export const OLD_WINDOWS: AgingRows = {
  table: 'maintenance_windows',
  at: 'start_time',
  key: { id: 'uuid' },
  unneeded: `r.end_time < $before and r.created_at < $before
            and (r.cluster_id is null or r.ended or r.superseded)`,
};
