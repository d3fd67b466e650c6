import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { joinedIds } from '../../1-platform/common/fields/comma-joined';
import { Host } from './host.entity';
import { readDaemonObject } from './daemon-object';
import { HostObject, type ListHostsQuery } from './hosts.dto';
import { ObjectTable } from './object-table.queries';

const HOSTS = new ObjectTable<HostObject, 'id'>(Host, 'hosts', { filters: { id: 'text' }, order: 'id' });

@Injectable()
export class HostsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(context: OrgContext, query: ListHostsQuery): Promise<Page<HostObject>> {
    const ids = joinedIds('ids', query.ids);
    return this.unitOfWork.read(context, (tx) => HOSTS.list(tx, { id: ids }, sliceOf(query)));
  }

  /** @param body as received */
  async put(context: OrgContext, id: string, body: unknown): Promise<void> {
    const host: HostObject = { ...readDaemonObject(HostObject, body), ID: id };
    await this.audit.change(context, async (tx, record) => {
      await HOSTS.put(tx, id, host, {});
      await record({ resourceType: 'host', resourceId: id });
    });
  }

  /** Daemons repeat it until they get an answer, so deleting an unknown row succeeds. */
  async delete(context: OrgContext, id: string): Promise<void> {
    await this.audit.change(context, async (tx, record) => {
      const found = await HOSTS.delete(tx, id);
      await record({ resourceType: 'host', resourceId: id, details: { found } });
    });
  }
}
