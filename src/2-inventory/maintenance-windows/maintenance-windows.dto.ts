import { ApiProperty } from '../../1-platform/common/described';
import { OneOf, Str, Strings, Time, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { recordSchema, Records, SlurmSyncBody } from '../slurm/sync/slurm-sync.dto';
import {
  WINDOW_ORDERS,
  WINDOW_STATUSES,
  type WindowFilter,
  type WindowRow,
  type WindowStatus,
} from './maintenance-windows.queries';
import { MAX_NAME, MAX_NAMES, MAX_REASON } from './reservation-record';

const MAYBE = { optional: true, nullable: true } as const;
const NAMES = { ...MAYBE, maxItems: MAX_NAMES, maxLength: MAX_NAME } as const;
const STATUS =
  'cancelled and ended are stored until another status is sent; scheduled, active and completed follow from the times, whichever is sent';

export class ListWindowsQuery extends PageQuery implements WindowFilter {
  @Uuid({ optional: true, description: 'Reservations of this cluster; windows created by hand belong to none' })
  cluster_id?: string;

  @OneOf(WINDOW_STATUSES, { optional: true })
  status?: WindowStatus;

  @Time({ optional: true, description: 'Only windows that end after this time' })
  ends_after?: string;

  @Time({ optional: true, description: 'Only windows that start before this time' })
  starts_before?: string;

  @OneOf(WINDOW_ORDERS, { optional: true, description: 'Earliest start first, the default, or latest' })
  sort?: (typeof WINDOW_ORDERS)[number];
}

export class CreateWindowBody {
  @Time()
  start_time!: string;

  @Time({ description: 'After start_time' })
  end_time!: string;

  @Str({ min: 1, max: MAX_REASON })
  reason!: string;

  @Strings(NAMES)
  nodes?: string[] | null;

  @Strings(NAMES)
  partitions?: string[] | null;

  @OneOf(WINDOW_STATUSES, { ...MAYBE, description: STATUS })
  status?: WindowStatus | null;
}

/** A member that is missing or null stays unchanged; an empty list clears one. */
export class UpdateWindowBody {
  @Time(MAYBE)
  start_time?: string | null;

  @Time({ ...MAYBE, description: 'After start_time' })
  end_time?: string | null;

  @Str({ ...MAYBE, min: 1, max: MAX_REASON })
  reason?: string | null;

  @Strings(NAMES)
  nodes?: string[] | null;

  @Strings(NAMES)
  partitions?: string[] | null;

  @OneOf(WINDOW_STATUSES, { ...MAYBE, description: STATUS })
  status?: WindowStatus | null;
}

/** Maximum number of reservations in one set. */
const MAX_RESERVATIONS = 5_000;

const RECORD = recordSchema(
  ['name', 'start_time', 'end_time'],
  ['flags', 'nodes', 'partitions', 'metadata', 'reason', 'status'],
);

export class SyncWindowsBody extends SlurmSyncBody {
  // Described under the name that callers of this API know; Slurm itself prints the other one.
  @ApiProperty({ required: true })
  @Records(MAX_RESERVATIONS, RECORD, 'All reservations, flat or as Slurm prints them', { optional: true })
  maintenance_windows?: unknown[];

  @Records(MAX_RESERVATIONS, RECORD, 'The same under the name that Slurm prints', { optional: true })
  reservations?: unknown[];
}

export class WindowView implements WindowRow {
  @Uuid({ nullable: true })
  id!: string;

  @Str({ nullable: true, description: 'Name of the reservation, for synced ones only' })
  name!: string | null;

  @Uuid({ nullable: true, description: 'Null if it was created by hand' })
  cluster_id!: string | null;

  @Str({ nullable: true, description: 'For a reservation its comment, else its flags' })
  reason!: string | null;

  @OneOf(WINDOW_STATUSES, { nullable: true })
  status!: WindowStatus;

  @Time({ nullable: true })
  start_time!: Date;

  @Time({ nullable: true })
  end_time!: Date;

  @Time({ nullable: true })
  created_at!: Date;

  @Strings({ nullable: true, maxItems: MAX_NAMES })
  nodes!: string[] | null;

  @Strings({ nullable: true, maxItems: MAX_NAMES })
  partitions!: string[] | null;
}
