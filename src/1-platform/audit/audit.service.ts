import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import type { OrgContext } from '../auth/org-context';
import { Page, sliceOf } from '../common/answers/paging';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { AuditEntry } from './audit-entry.entity';
import type { ListAuditEntriesQuery } from './audit.dto';

@Injectable()
export class AuditService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: ListAuditEntriesQuery): Promise<Page<AuditEntry>> {
    const slice = sliceOf(query, 100);
    const where = {
      ...(query.since === undefined ? {} : { occurredAt: MoreThanOrEqual(new Date(query.since)) }),
      ...(query.actor === undefined ? {} : { actorId: query.actor }),
    };
    const { resource } = query;
    const alternatives =
      resource === undefined
        ? [where]
        : [
            { ...where, resourceType: resource },
            { ...where, resourceId: resource },
          ];
    return this.unitOfWork.read(context, async (tx) => {
      const found = await tx.store(AuditEntry).find(alternatives, {
        order: { occurredAt: 'DESC', id: 'DESC' },
        skip: slice.offset,
        take: slice.limit + 1,
      });
      return Page.of(found, slice);
    });
  }
}
