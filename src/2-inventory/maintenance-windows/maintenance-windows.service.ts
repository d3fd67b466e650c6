import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { toMilliseconds } from '../../1-platform/common/fields/fields';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import type { Prepared } from '../../1-platform/common/answers/prepared';
import { invalidField } from '../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { FullSync } from '../slurm/sync/full-sync';
import { MaintenanceWindow } from './maintenance-window.entity';
import type { CreateWindowBody, ListWindowsQuery, SyncWindowsBody, UpdateWindowBody } from './maintenance-windows.dto';
import { endsBeforeItStarts, noReservations, windowNotFound } from './maintenance-windows.errors';
import {
  findWindow,
  insertWindow,
  listWindows,
  reservationStore,
  updateWindow,
  type WindowRow,
  type WindowValues,
} from './maintenance-windows.queries';
import { reservationReader } from './reservation-record';

const RESOURCE = 'maintenance_window';

@Injectable()
export class MaintenanceWindowsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly fullSyncs: FullSync,
  ) {}

  list(context: OrgContext, query: ListWindowsQuery): Promise<Page<WindowRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listWindows(tx, query, slice));
  }

  get(context: OrgContext, id: string): Promise<WindowRow> {
    return this.unitOfWork.read(context, async (tx) => {
      const window = await findWindow(tx, id);
      if (!window) throw windowNotFound();
      return window;
    });
  }

  /** @returns its id */
  create(context: OrgContext, body: CreateWindowBody): Promise<string> {
    const values = valuesOf(body);
    if (isNoWindow(values)) throw endsBeforeItStarts();
    return this.audit.change(context, async (tx, record) => {
      const id = newId();
      await insertWindow(tx, id, values);
      await record({ resourceType: RESOURCE, resourceId: id, details: { status: values.status } });
      return id;
    });
  }

  /**
   * Changes members that are present and not null. For a synced window, the next sync restores what its
   * cluster reports.
   */
  update(context: OrgContext, id: string, body: UpdateWindowBody): Promise<string> {
    const values = valuesOf(body);
    return this.audit.change(context, async (tx, record) => {
      const times = await updateWindow(tx, id, values);
      if (!times) throw windowNotFound();
      // Validated with the stored values; if it is refused, nothing is stored.
      if (times.end_time <= times.start_time) throw endsBeforeItStarts();
      await record({ resourceType: RESOURCE, resourceId: id, details: { changed: Object.keys(values) } });
      return id;
    });
  }

  delete(context: OrgContext, id: string): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      if ((await tx.store(MaintenanceWindow).delete({ id })) === 0) throw windowNotFound();
      await record({ resourceType: RESOURCE, resourceId: id });
      return id;
    });
  }

  /** Stores the whole set of reservations of a cluster: missing ones end. @returns the text of the answer */
  sync(context: OrgContext, body: SyncWindowsBody): Promise<Prepared<string>> {
    // One reader per sync, because it counts the expanded names.
    const kind = { noun: 'maintenance windows', read: reservationReader(), store: reservationStore };
    return this.fullSyncs.run(context, body, recordsOf, kind);
  }
}

function recordsOf({ maintenance_windows: windows, reservations }: SyncWindowsBody): unknown[] {
  if (windows !== undefined && reservations !== undefined)
    throw invalidField('reservations', 'cannot be combined with maintenance_windows');
  const records = windows ?? reservations;
  if (records === undefined) throw noReservations();
  return records;
}

/** The members that are present and not null. Times have the resolution of their columns, milliseconds. */
function valuesOf(body: CreateWindowBody | UpdateWindowBody): WindowValues {
  const { start_time: start, end_time: end, ...others } = body;
  const present = {
    ...others,
    start_time: start == null ? undefined : toMilliseconds(start),
    end_time: end == null ? undefined : toMilliseconds(end),
  };
  return Object.fromEntries(Object.entries(present).filter(([, value]) => value !== undefined && value !== null));
}

/** A window of less than a millisecond is empty. */
const isNoWindow = ({ start_time: start, end_time: end }: WindowValues): boolean =>
  start !== undefined && end !== undefined && end <= start;
