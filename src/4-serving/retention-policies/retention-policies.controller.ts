import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { OfProfileQuery } from '../profiles/profiles.dto';
import {
  PreviewRetentionBody,
  RetentionDecisionView,
  RetentionPolicyBody,
  RetentionPolicyView,
} from './retention-policies.dto';
import { RetentionPoliciesService } from './retention-policies.service';

@ApiTags('retention')
@Controller('v1/inference/retention-policies')
export class RetentionPoliciesController {
  constructor(private readonly policies: RetentionPoliciesService) {}

  @Get()
  @Operation({
    id: 'list_retention_policies',
    summary: 'List retention policies, the oldest first',
    description: 'The rules by which artifacts expire, of all profiles or of one.',
    access: 'read',
    answer: json([RetentionPolicyView]),
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<RetentionPolicyView>> {
    return this.policies.list(context, query);
  }

  @Post()
  @Operation({
    id: 'save_retention_policy',
    summary: 'Create a retention policy, or replace the one with its id',
    description:
      'Once a minute artifacts expire that are too old or beyond the count. Never expired are golden ones, ' +
      'those that a worker runs from, the newest one of a profile that can be restored from, the newest that ' +
      'may be again (its node is silent or not ready, or its last restore failed), and ancestors of kept ones.',
    access: 'operate',
    creates: true,
    answer: json(RetentionPolicyView),
    failures: { 400: 'Bad request', 404: 'Profile unknown' },
    bodyExample: { name: 'a week, but five of each', max_age_days: 7, max_count: 5, min_tier: 'shared' },
  })
  save(@Org() context: OrgContext, @Body() body: RetentionPolicyBody): Promise<RetentionPolicyView> {
    return this.policies.save(context, body);
  }

  @Post('preview')
  @Operation({
    id: 'preview_retention',
    summary: 'Show what retention would do with each artifact now, and why',
    description:
      'Uses the policy in the body, or without a body the stored ones. Changes nothing. `profile_id` as a ' +
      'parameter selects the decisions on artifacts of one profile; it does not change them.',
    access: 'read',
    work: 'heavy',
    bodyType: RetentionPolicyBody,
    bodyOptional: true,
    answer: json([RetentionDecisionView]),
    failures: { 400: 'Bad request', 404: 'Profile unknown' },
    bodyExample: { name: 'three of each', max_count: 3 },
  })
  async preview(
    @Org() context: OrgContext,
    @Query() query: OfProfileQuery,
    @Body() body?: PreviewRetentionBody,
  ): Promise<Page<RetentionDecisionView>> {
    const page = await this.policies.preview(context, body, query);
    return page.map(({ artifactId, decision, reason, policyId }) => ({
      artifact_id: artifactId,
      decision,
      reason,
      policy_id: policyId,
    }));
  }

  @Delete(':policy_id')
  @Operation({
    id: 'delete_retention_policy',
    summary: 'Delete a retention policy',
    description: 'Artifacts that the policy expired before stay expired.',
    access: 'operate',
    answer: nothing(),
    failures: { 404: 'Retention policy unknown' },
  })
  delete(@Org() context: OrgContext, @Param('policy_id', TextParameter) policyId: string): Promise<void> {
    return this.policies.delete(context, policyId);
  }
}
