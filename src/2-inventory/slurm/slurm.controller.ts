import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import type { Prepared } from '../../1-platform/common/answers/prepared';
import { ListSlurmJobsQuery, SlurmJobView, SlurmPageQuery, SyncSlurmJobsBody } from './slurm.dto';
import { SlurmService } from './slurm.service';

const FAILURES = { 400: 'Invalid query', 500: 'Fetch failed' };

@ApiTags('slurm')
@Controller('v1/slurm')
export class SlurmController {
  constructor(private readonly slurm: SlurmService) {}

  @Get('jobs')
  @Operation({
    id: 'list_slurm_jobs',
    summary: 'List Slurm jobs',
    description: 'Newest first, in the order of their first reports.',
    access: 'read',
    answer: json([SlurmJobView]),
    failures: FAILURES,
  })
  list(@Org() context: OrgContext, @Query() query: ListSlurmJobsQuery): Promise<Page<SlurmJobView>> {
    return this.slurm.list(context, query);
  }

  @Post('jobs/sync')
  @Operation({
    id: 'sync_slurm_jobs',
    summary: 'Upsert a batch of Slurm jobs',
    description:
      'Accepts the unchanged output of `squeue --json`, `sacct --json` and slurmrestd, with `cluster_id` in the query, or flat records. ' +
      'Jobs are stored by cluster and job id. The run submitted last wins. Within it, the records of squeue and sacct are merged: ' +
      'a missing member removes nothing. The output of a failed call (`errors`, and no jobs) is a 400. ' +
      'The answer names records that cannot be stored (the first 20, by index from 0); the others are stored.',
    access: 'machine',
    creates: true,
    prepares: true,
    unknownMembers: 'ignored',
    body: 'batch',
    bodyFromQuery: ['cluster_id'],
    answer: text('Synchronised: `synced N jobs`'),
    failures: { 400: 'Bad request', 404: 'Cluster unknown', 413: 'Body too large', 500: 'Sync failed' },
    bodyExample: {
      cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
      jobs: [{ job_id: 5, name: 'llm-eval', job_state: ['RUNNING'], nodes: 'gpu-1', submit_time: 1795200758 }],
    },
  })
  sync(@Org() context: OrgContext, @Body() body: SyncSlurmJobsBody): Promise<Prepared<string>> {
    return this.slurm.syncJobs(context, body);
  }

  @Get('jobs_paginated')
  @Operation({
    id: 'list_slurm_jobs_paginated',
    summary: 'List Slurm jobs page by page',
    description: 'Newest first, in the order of their first reports.',
    access: 'read',
    work: 'heavy',
    answer: json([SlurmJobView]),
    failures: FAILURES,
  })
  page(@Org() context: OrgContext, @Query() query: SlurmPageQuery): Promise<Page<SlurmJobView>> {
    return this.slurm.page(context, query);
  }
}
