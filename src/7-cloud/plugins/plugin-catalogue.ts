import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { invariant } from '../../1-platform/common/invariant';
import type { OrgScope } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { firstOrganisation } from '../../1-platform/organisations/organisations.queries';

/** Whose plugins a request is about. */
@Injectable()
export class PluginCatalogue {
  /** Organisations are never deleted: once there is a first one, it stays that. */
  private first: string | undefined;

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param context undefined where nobody has to say who they are: then those of the first organisation */
  async of(context: OrgContext | undefined): Promise<OrgScope> {
    if (context) return context;
    this.first ??= await this.unitOfWork.system('whose plugins are public', firstOrganisation);
    invariant(this.first, 'a service that listens has an organisation');
    return { orgId: this.first };
  }
}
