import { Injectable } from '@nestjs/common';
import { keptArtifacts } from '../artifacts/residency/kept-artifacts.queries';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { Page, sliceOf, type PageQuery } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import type { OfProfileQuery } from '../profiles/profiles.dto';
import { ProfilesService } from '../profiles/profiles.service';
import type { RetentionPolicyBody } from './retention-policies.dto';
import { retentionPolicyNotFound } from './retention-policies.errors';
import {
  deletePolicy,
  enabledLimits,
  limitsOf,
  listPolicies,
  savePolicy,
  type RetentionPolicyRow,
} from './retention-policies.queries';
import { decideRetention, type RetentionDecision } from './retention-rule';

/** Retention policies: writes, reads and previews. `RetentionRuns` applies them. */
@Injectable()
export class RetentionPoliciesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<RetentionPolicyRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listPolicies(tx, slice));
  }

  /** Creates a policy, or replaces the one with its id. */
  save(context: OrgContext, body: RetentionPolicyBody): Promise<RetentionPolicyRow> {
    const policy = { ...withDefaults(body), policy_id: body.policy_id ?? newId() };
    return this.audit.change(context, async (tx, record) => {
      if (policy.profile_id !== null) await this.profiles.check(tx, policy.profile_id);
      const saved = await savePolicy(tx, policy);
      await record({ resourceType: 'retention_policy', resourceId: saved.policy_id, details: { ...saved } });
      return saved;
    });
  }

  /** Artifacts that it expired stay expired. */
  async delete(context: OrgContext, policyId: string): Promise<void> {
    await this.audit.change(context, async (tx, record) => {
      if (!(await deletePolicy(tx, policyId))) throw retentionPolicyNotFound();
      await record({ resourceType: 'retention_policy', resourceId: policyId });
    });
  }

  /**
   * What retention would do with each artifact now, by one policy or by the stored ones; newest first.
   * Changes nothing. The decisions on artifacts of one profile are selected afterwards: artifacts of other
   * profiles may be made from them.
   */
  preview(
    context: OrgContext,
    body: RetentionPolicyBody | undefined,
    query: OfProfileQuery,
  ): Promise<Page<RetentionDecision>> {
    const slice = sliceOf(query);
    const { profile_id: only } = query;
    return this.unitOfWork.read(context, async (tx) => {
      if (body?.profile_id != null) await this.profiles.check(tx, body.profile_id);
      if (only !== undefined) await this.profiles.check(tx, only);
      const policies = body === undefined ? await enabledLimits(tx) : [limitsOf(withDefaults(body))];
      const decisions = decideRetention(await keptArtifacts(tx), policies).filter(
        ({ profileId }) => only === undefined || profileId === only,
      );
      return Page.of(decisions.slice(slice.offset, slice.offset + slice.limit + 1), slice);
    });
  }
}

const withDefaults = (body: RetentionPolicyBody) => ({
  policy_id: body.policy_id ?? null,
  name: body.name,
  enabled: body.enabled ?? true,
  max_age_days: body.max_age_days ?? null,
  max_count: body.max_count ?? null,
  min_tier: body.min_tier ?? null,
  profile_id: body.profile_id ?? null,
});
