import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { newId } from '../common/ids';
import { Page, type Slice } from '../common/answers/paging';
import { brokenConstraint } from '../database/connections/database-errors';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Organisation } from './organisation.entity';
import { createOrganisation } from './organisations.queries';
import { organisationExists } from './organisations.errors';

/**
 * Organisations do not belong to an organisation, so row level security does not cover them: this service
 * restricts access to them.
 */
@Injectable()
export class OrganisationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(context: OrgContext, slice: Slice): Promise<Page<Organisation>> {
    return this.unitOfWork.read(context, async (tx) => {
      const found = await tx.manager.find(Organisation, {
        where: context.scope === 'platform' ? {} : { id: context.orgId },
        order: { name: 'ASC' },
        skip: slice.offset,
        take: slice.limit + 1,
      });
      return Page.of(found, slice);
    });
  }

  async create(context: OrgContext, name: string): Promise<Organisation> {
    const id = newId();
    try {
      return await this.audit.change(context, async (tx, record) => {
        const createdAt = await createOrganisation(tx, id, name);
        await record({ resourceType: 'organisation', resourceId: id, details: { name } });
        return { id, name, createdAt };
      });
    } catch (error) {
      if (brokenConstraint(error) === 'organisations_name_key') throw organisationExists();
      throw error;
    }
  }
}
