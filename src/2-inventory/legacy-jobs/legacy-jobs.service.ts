import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { joinedIds } from '../../1-platform/common/fields/comma-joined';
import { readDaemonObject } from '../hosts/daemon-object';
import { ObjectTable } from '../hosts/object-table.queries';
import { LegacyJob } from './legacy-job.entity';
import { LegacyJobObject, type ListLegacyJobsQuery } from './legacy-jobs.dto';

const JOBS = new ObjectTable<LegacyJobObject, 'id' | 'host_id', 'host_id'>(LegacyJob, 'legacy_jobs', {
  columns: ['host_id'],
  filters: { id: 'text', host_id: 'text' },
  order: 'id',
});

@Injectable()
export class LegacyJobsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(context: OrgContext, query: ListLegacyJobsQuery): Promise<Page<LegacyJobObject>> {
    const filters = { id: joinedIds('jids', query.jids), host_id: joinedIds('host_ids', query.host_ids) };
    return this.unitOfWork.read(context, (tx) => JOBS.list(tx, filters, sliceOf(query)));
  }

  /** @param body as received */
  async put(context: OrgContext, jid: string, body: unknown): Promise<void> {
    const job: LegacyJobObject = { ...readDaemonObject(LegacyJobObject, body), JID: jid };
    await this.audit.change(context, async (tx, record) => {
      await JOBS.put(tx, jid, job, { host_id: job.State?.Host?.ID ?? '' });
      await record({ resourceType: 'legacy_job', resourceId: jid });
    });
  }

  /** Daemons repeat it until they get an answer, so deleting an unknown row succeeds. */
  async delete(context: OrgContext, jid: string): Promise<void> {
    await this.audit.change(context, async (tx, record) => {
      const found = await JOBS.delete(tx, jid);
      await record({ resourceType: 'legacy_job', resourceId: jid, details: { found } });
    });
  }
}
