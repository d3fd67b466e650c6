import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { TotalCountView } from '../clusters/clusters.dto';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { Int32Parameter, UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import { CountByStatusQuery, NamespaceListView, StatusListView } from '../kubernetes/listing.dto';
import {
  FilterJobsQuery,
  JobFilterResultView,
  JobPageView,
  JobPodsView,
  JobPrioritiesView,
  JobView,
  PageJobsQuery,
} from './jobs.dto';
import { JobsService } from './jobs.service';

const FAILURES = { 500: 'Internal error' };

@ApiTags('jobs')
@Controller('v1/jobs')
export class JobsController {
  constructor(private readonly jobs: JobsService) {}

  @Get()
  @Operation({
    id: 'list_jobs',
    summary: 'List jobs of active clusters',
    description:
      'Jobs of clusters that reported in the last 5 minutes, with their pods and the policies that act on them. A deleted job is not listed.',
    access: 'read',
    answer: json([JobView]),
    failures: FAILURES,
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<JobView>> {
    return this.jobs.list(context, query);
  }

  @Get('count')
  @Operation({
    id: 'count_jobs',
    summary: 'Count jobs',
    description: 'The number of jobs that the list of jobs shows, of all or of one status.',
    access: 'read',
    work: 'heavy',
    answer: json(TotalCountView),
    failures: FAILURES,
  })
  async count(@Org() context: OrgContext, @Query() query: CountByStatusQuery): Promise<TotalCountView> {
    return { total_count: await this.jobs.count(context, query.status) };
  }

  @Get('namespaces')
  @Operation({
    id: 'list_job_namespaces',
    summary: 'List namespaces of jobs',
    description: 'The namespaces that have jobs, for filters.',
    access: 'read',
    work: 'heavy',
    answer: json(NamespaceListView),
    failures: FAILURES,
  })
  async namespaces(@Org() context: OrgContext): Promise<NamespaceListView> {
    return { namespaces: await this.jobs.namespaces(context) };
  }

  @Get('statuses')
  @Operation({
    id: 'list_job_statuses',
    summary: 'List statuses of jobs',
    description: 'The statuses that jobs have, for filters.',
    access: 'read',
    work: 'heavy',
    answer: json(StatusListView),
    failures: FAILURES,
  })
  async statuses(@Org() context: OrgContext): Promise<StatusListView> {
    return { statuses: await this.jobs.statuses(context) };
  }

  @Get('paginated')
  @Operation({
    id: 'list_jobs_paginated',
    summary: 'List jobs page by page',
    description:
      'A page of jobs with their total number, filtered and sorted. Of active clusters and, with `silent`, of all.',
    access: 'read',
    work: 'heavy',
    answer: json(JobPageView),
    failures: FAILURES,
  })
  page(@Org() context: OrgContext, @Query() query: PageJobsQuery): Promise<JobPageView> {
    return this.jobs.page(context, query);
  }

  @Get('priorities')
  @Operation({
    id: 'list_job_priorities',
    summary: 'List priorities of jobs',
    description: 'The priorities that jobs have, for filters.',
    access: 'read',
    work: 'heavy',
    answer: json(JobPrioritiesView),
    failures: FAILURES,
  })
  priorities(@Org() context: OrgContext): Promise<JobPrioritiesView> {
    return this.jobs.priorities(context);
  }

  @Get('by-priority/:priority')
  @ApiParam({ name: 'priority', schema: { type: 'integer', format: 'int32' } })
  @Operation({
    id: 'list_jobs_by_priority',
    summary: 'List jobs of a priority',
    description:
      'The first 1,000 jobs with the priority in the path. A job has the priority of its template, else the highest of its pods.',
    access: 'read',
    work: 'heavy',
    answer: json(JobPageView),
    failures: FAILURES,
  })
  byPriority(@Org() context: OrgContext, @Param('priority', Int32Parameter) priority: number): Promise<JobPageView> {
    return this.jobs.byPriority(context, priority);
  }

  @Get('filter')
  @Operation({
    id: 'filter_jobs',
    summary: 'List jobs by priority, namespace and status',
    description: 'Jobs that match every given filter; a filter that is left out matches all.',
    access: 'read',
    work: 'heavy',
    answer: json(JobFilterResultView),
    failures: FAILURES,
  })
  filter(@Org() context: OrgContext, @Query() query: FilterJobsQuery): Promise<JobFilterResultView> {
    return this.jobs.filter(context, query);
  }

  @Get(':job_id/pods')
  @ApiParam({ name: 'job_id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'list_job_pods',
    summary: 'List pods of a job',
    description: 'The first 1,000 pods that the job owns, by name, and the number of all.',
    access: 'read',
    answer: json(JobPodsView),
    failures: { 404: 'Job unknown', ...FAILURES },
  })
  pods(@Org() context: OrgContext, @Param('job_id', UuidParameter) id: string): Promise<JobPodsView> {
    return this.jobs.pods(context, id);
  }
}
