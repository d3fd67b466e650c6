import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import { invariant } from '../common/invariant';
import type { OrgScope } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';
import { firstOrganisation } from '../organisations/organisations.queries';

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
