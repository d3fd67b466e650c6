import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { isUuid, newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { joinedIds, joinedUuids } from '../../1-platform/common/fields/comma-joined';
import { readDaemonObject } from '../hosts/daemon-object';
import { ObjectTable } from '../hosts/object-table.queries';
import { LegacyJobCheckpoint } from './legacy-job-checkpoint.entity';
import { LegacyJobCheckpointObject, type ListLegacyJobCheckpointsQuery } from './legacy-jobs.dto';

const CHECKPOINTS = new ObjectTable<LegacyJobCheckpointObject, 'id' | 'jid', 'jid' | 'time'>(
  LegacyJobCheckpoint,
  'legacy_job_checkpoints',
  { columns: ['jid', 'time'], filters: { id: 'uuid', jid: 'text' }, order: 'time desc, id desc' },
);

@Injectable()
export class LegacyJobCheckpointsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(context: OrgContext, query: ListLegacyJobCheckpointsQuery): Promise<Page<LegacyJobCheckpointObject>> {
    const filters = { id: joinedUuids('ids', query.ids), jid: joinedIds('jids', query.jids) };
    return this.unitOfWork.read(context, (tx) => CHECKPOINTS.list(tx, filters, sliceOf(query)));
  }

  /**
   * @param name id of the checkpoint; if it is not a UUID, the body's ID is used, and a new one if that is
   * not one either
   * @param body as received
   * @returns the id of the checkpoint
   */
  async put(context: OrgContext, name: string, body: unknown): Promise<string> {
    const object = readDaemonObject(LegacyJobCheckpointObject, body);
    const id = ([name, object.ID].find(isUuid) ?? newId()).toLowerCase();
    const checkpoint: LegacyJobCheckpointObject = { ...object, ID: id };
    const { JID: jid, Time: time } = checkpoint;
    await this.audit.change(context, async (tx, record) => {
      await CHECKPOINTS.put(tx, id, checkpoint, { jid, time });
      await record({ resourceType: 'legacy_job_checkpoint', resourceId: id, details: { jid } });
    });
    return id;
  }

  /** Daemons repeat it until they get an answer, so deleting an unknown row succeeds. */
  async delete(context: OrgContext, name: string): Promise<void> {
    const id = isUuid(name) ? name.toLowerCase() : undefined;
    await this.audit.change(context, async (tx, record) => {
      const found = id !== undefined && (await CHECKPOINTS.delete(tx, id));
      await record({ resourceType: 'legacy_job_checkpoint', resourceId: id ?? name, details: { found } });
    });
  }
}
