import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  CreatePolicyBody,
  DeletePolicyBody,
  ListPoliciesQuery,
  PipelinePolicyPageView,
  PipelinePolicyView,
  PolicyActivityView,
  PolicyJobStatusView,
  PolicyJobsView,
  PolicyPageView,
  PolicyPodView,
  UpdatePolicyBody,
} from './policies.dto';
import { PoliciesService } from './policies.service';
import { activityView, automaticView, jobStatusView, pipelinePolicyView, policyView } from './policies.views';

const PolicyId = () => ApiParam({ name: 'policy_id', schema: { type: 'string', format: 'uuid' } });
const FAILURES = { 404: 'Policy unknown', 500: 'Internal error' };

@ApiTags('policies')
@Controller('v1/policy')
export class PoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  @Post('pipeline/create')
  @Operation({
    id: 'create_pipeline_policy',
    summary: 'Create a policy',
    description:
      'A heartbeat requests a checkpoint of every matching running workload at each interval; a maintenance policy requests one of each that runs within its window, to empty nodes: agents of Kubernetes and Slurm let no new workload onto its node until the window ends, stop it with the checkpoint, and let it go on elsewhere.',
    access: 'operate',
    creates: true,
    answer: text('Policy id'),
    failures: { 400: 'Bad request', 404: 'Cluster or pod unknown', 500: 'Internal error' },
    bodyExample: {
      name: 'training, hourly',
      pipeline: {
        trigger: { type: 'heartbeat', config: { interval_seconds: 3600, max_checkpoints: 24 } },
        filter: {
          type: 'namespace',
          config: { cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10', namespace: 'training' },
        },
        action: { type: 'checkpoint', config: { kind: 'simple' } },
      },
      keep_last: 24,
    },
  })
  create(@Org() context: OrgContext, @Body() body: CreatePolicyBody): Promise<string> {
    return this.policies.create(context, body);
  }

  @Get('pipeline/list')
  @Operation({
    id: 'list_pipeline_policies',
    summary: 'List policies with their pipelines, newest first',
    description: 'Each policy with its filter, its trigger and its action, with the total number of policies.',
    access: 'read',
    answer: json(PipelinePolicyPageView),
    failures: { 500: 'Internal error' },
  })
  async listPipelines(@Org() context: OrgContext, @Query() query: ListPoliciesQuery): Promise<PipelinePolicyPageView> {
    const { policies, total, automatic } = await this.policies.list(context, query);
    return {
      policies: policies.map(pipelinePolicyView),
      total_count: total,
      automatic_policies: automatic?.map(automaticView),
    };
  }

  @Get('pipeline/:policy_id')
  @PolicyId()
  @Operation({
    id: 'get_pipeline_policy',
    summary: 'Get a policy with its pipeline',
    description: 'The policy with its filter, its trigger and its action.',
    access: 'read',
    answer: json(PipelinePolicyView),
    failures: FAILURES,
  })
  async get(@Org() context: OrgContext, @Param('policy_id', UuidParameter) id: string): Promise<PipelinePolicyView> {
    return pipelinePolicyView(await this.policies.get(context, id));
  }

  @Patch('pipeline/:policy_id')
  @PolicyId()
  @Operation({
    id: 'update_pipeline_policy',
    summary: 'Pause a policy, let it go on, or change how many checkpoints it keeps',
    description:
      'Members that are left out stay. While a policy is paused, no beat acts; actions that it has requested go on. A heartbeat goes on at the next time of its grid, and a window acts while it is open. What it keeps can also be changed once it is disabled. `expected` names what the caller knows of the policy, so that nobody takes back what somebody else has changed meanwhile.',
    access: 'operate',
    creates: true,
    answer: json(PipelinePolicyView),
    failures: { 400: 'Bad request', ...FAILURES, 409: 'Disabled, or not as expected' },
    bodyExample: { keep_last: 24, expected: { keep_last: 12 } },
  })
  async update(
    @Org() context: OrgContext,
    @Param('policy_id', UuidParameter) id: string,
    @Body() body: UpdatePolicyBody,
  ): Promise<PipelinePolicyView> {
    return pipelinePolicyView(await this.policies.update(context, id, body));
  }

  @Get('list')
  @Operation({
    id: 'list_policies',
    summary: 'List policies, newest first',
    description: 'Policies without their pipelines, with the total number of policies.',
    access: 'read',
    answer: json(PolicyPageView),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListPoliciesQuery): Promise<PolicyPageView> {
    const { policies, total, automatic } = await this.policies.list(context, query);
    return {
      policies: policies.map(policyView),
      total_count: total,
      automatic_policies: automatic?.map(automaticView),
    };
  }

  @Delete('delete')
  @Operation({
    id: 'delete_policy',
    summary: 'Delete a policy: it requests nothing more, and what it requested stays',
    description:
      'The policy requests no more checkpoints. Actions that it requested before go on, and their results stay.',
    access: 'operate',
    answer: text('Policy id'),
    failures: { 400: 'Bad request', ...FAILURES },
  })
  delete(@Org() context: OrgContext, @Body() body: DeletePolicyBody): Promise<string> {
    return this.policies.delete(context, body.id);
  }

  @Post('sync-jobs')
  @Operation({
    id: 'sync_job_policies',
    summary: 'Match policies and jobs again',
    description:
      'Policies are matched whenever they are due or read. This operation records the time for every active policy, and returns the number of matches.',
    access: 'operate',
    creates: true,
    answer: text('Number of matching pods and jobs'),
    failures: { 500: 'Internal error' },
  })
  async syncJobs(@Org() context: OrgContext): Promise<string> {
    const { policies, jobs, pods } = await this.policies.matchAll(context);
    return `matched ${jobs} jobs and ${pods} pods of ${policies} policies`;
  }

  @Get(':policy_id/activity')
  @PolicyId()
  @Operation({
    id: 'get_policy_activity',
    summary: 'Get what a policy did',
    description: 'The actions that the policy requested, counted by state, and the newest of them.',
    access: 'read',
    work: 'heavy',
    answer: json(PolicyActivityView),
    failures: FAILURES,
  })
  async activity(
    @Org() context: OrgContext,
    @Param('policy_id', UuidParameter) id: string,
  ): Promise<PolicyActivityView> {
    return activityView(id, await this.policies.activity(context, id));
  }

  @Get(':policy_id/job-status')
  @PolicyId()
  @Operation({
    id: 'get_policy_job_status',
    summary: 'Get jobs and pods a policy follows',
    description: 'Ids of the jobs and running pods that the policy follows, with the statuses of the jobs.',
    access: 'read',
    answer: json(PolicyJobStatusView),
    failures: FAILURES,
  })
  async jobStatus(
    @Org() context: OrgContext,
    @Param('policy_id', UuidParameter) id: string,
  ): Promise<PolicyJobStatusView> {
    return jobStatusView(await this.policies.targets(context, id));
  }

  @Get(':policy_id/jobs')
  @PolicyId()
  @Operation({
    id: 'list_policy_jobs',
    summary: 'List jobs that a policy of jobs acts on',
    description: 'The jobs that match the filter of a policy for jobs.',
    access: 'read',
    answer: json(PolicyJobsView),
    failures: { ...FAILURES, 404: 'Policy unknown, or not for jobs' },
  })
  async jobs(@Org() context: OrgContext, @Param('policy_id', UuidParameter) id: string): Promise<PolicyJobsView> {
    const { jobs, total } = await this.policies.jobs(context, id);
    return { policy_id: id, count: total, affected_jobs: jobs };
  }

  @Get(':policy_id/pods')
  @PolicyId()
  @Operation({
    id: 'list_policy_pods',
    summary: 'List running pods that a policy acts on',
    description: 'The running pods that match the filter of the policy.',
    access: 'read',
    answer: json([PolicyPodView]),
    failures: { 400: 'Bad request', ...FAILURES },
  })
  pods(
    @Org() context: OrgContext,
    @Param('policy_id', UuidParameter) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<PolicyPodView>> {
    return this.policies.pods(context, id, query);
  }
}
