import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import { newId } from '../common/ids';
import { Page, sliceOf, type PageQuery } from '../common/paging';
import { invalidField } from '../common/problem';
import { UnitOfWork } from '../database/unit-of-work';
import { syncText } from '../slurm/slurm-record';
import { readSet } from '../slurm/whole-set';
import type { CreateWindowBody, SyncWindowsBody, UpdateWindowBody } from './maintenance-windows.dto';
import { endsBeforeItStarts, noReservations, windowNotFound } from './maintenance-windows.errors';
import {
  deleteWindow,
  findWindow,
  insertWindow,
  listWindows,
  reservationStore,
  updateWindow,
  type WindowRow,
  type WindowValues,
} from './maintenance-windows.queries';
import { readReservation } from './reservation-record';

const RESOURCE = 'maintenance_window';

@Injectable()
export class MaintenanceWindowsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<WindowRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => Page.of(await listWindows(tx, slice), slice));
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
    if (Date.parse(body.end_time) <= Date.parse(body.start_time)) throw endsBeforeItStarts();
    return this.audit.change(context, async (tx, record) => {
      const id = newId();
      await insertWindow(tx, id, values);
      await record({ resourceType: RESOURCE, resourceId: id, details: { status: values.status } });
      return id;
    });
  }

  /** Changes what is told and not null. Of a synced one, its cluster tells what it knows again at the next sync. */
  update(context: OrgContext, id: string, body: UpdateWindowBody): Promise<string> {
    const values = valuesOf(body);
    return this.audit.change(context, async (tx, record) => {
      const times = await updateWindow(tx, id, values);
      if (!times) throw windowNotFound();
      // Judged as it is stored now; refused, nothing of it is.
      if (times.end_time <= times.start_time) throw endsBeforeItStarts();
      await record({ resourceType: RESOURCE, resourceId: id, details: { changed: Object.keys(values) } });
      return id;
    });
  }

  delete(context: OrgContext, id: string): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      if (!(await deleteWindow(tx, id))) throw windowNotFound();
      await record({ resourceType: RESOURCE, resourceId: id });
      return id;
    });
  }

  /** Stores the whole set of reservations of a cluster: those it does not tell have ended. @returns the answer's text */
  async sync(context: OrgContext, body: SyncWindowsBody): Promise<string> {
    const told = readSet(recordsOf(body), readReservation);
    await this.audit.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      await reservationStore.apply(tx, clusterId, told);
      await this.clusters.heardOf(tx, clusterId, undefined);
      const details = { synced: told.rows.length, failed: told.failures.length };
      await record({ resourceType: 'cluster', resourceId: clusterId, details });
    });
    return syncText('maintenance windows', told.rows.length, told.failures);
  }
}

function recordsOf({ maintenance_windows: windows, reservations }: SyncWindowsBody): unknown[] {
  if (windows !== undefined && reservations !== undefined)
    throw invalidField('reservations', 'must not stand beside maintenance_windows');
  const records = windows ?? reservations;
  if (records === undefined) throw noReservations();
  return records;
}

/** What is told: null tells nothing. */
const valuesOf = (body: CreateWindowBody | UpdateWindowBody): WindowValues =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null));
