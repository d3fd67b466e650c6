import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual, type FindOptionsWhere } from 'typeorm';
import type { OrgContext } from '../auth/org-context';
import { Page, sliceOf } from '../common/answers/paging';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { AuditEntry } from './audit-entry.entity';
import type { ListAuditEntriesQuery } from './audit.dto';

/** By the key of the table. */
export const NEWEST_FIRST = { occurredAt: 'DESC', id: 'DESC' } as const;

@Injectable()
export class AuditService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: ListAuditEntriesQuery): Promise<Page<AuditEntry>> {
    const slice = sliceOf(query, 100);
    return this.unitOfWork.read(context, async (tx) => {
      const found = await tx.store(AuditEntry).find(alternativesOf(query), {
        order: NEWEST_FIRST,
        skip: slice.offset,
        take: slice.limit + 1,
      });
      return Page.of(found, slice);
    });
  }
}

/** A resource is a kind or an id. Each of these conditions has an index. */
export function alternativesOf({
  since,
  actor,
  resource,
}: Omit<ListAuditEntriesQuery, 'limit'>): Omit<FindOptionsWhere<AuditEntry>, 'orgId'>[] {
  const where = {
    ...(since === undefined ? {} : { occurredAt: MoreThanOrEqual(new Date(since)) }),
    ...(actor === undefined ? {} : { actorId: actor }),
  };
  if (resource === undefined) return [where];
  return [
    { ...where, resourceType: resource },
    { ...where, resourceId: resource },
  ];
}
