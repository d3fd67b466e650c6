import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { invariant } from '../../1-platform/common/invariant';
import type { OrgScope } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { firstOrganisation } from '../../1-platform/organisations/organisations.queries';

/** The organisation whose plugins a request is about. */
@Injectable()
export class PluginCatalogue {
  /** Organisations are never deleted: the first one stays the first. */
  private first: string | undefined;

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param context undefined without authentication: then the first organisation */
  async of(context: OrgContext | undefined): Promise<OrgScope> {
    if (context) return context;
    this.first ??= await this.unitOfWork.system('whose plugins are public', firstOrganisation);
    invariant(this.first, 'a service that listens has an organisation');
    return { orgId: this.first };
  }
}
