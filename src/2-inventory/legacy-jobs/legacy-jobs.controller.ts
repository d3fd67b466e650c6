import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { DaemonId } from '../hosts/daemon-id';
import { LegacyJobObject, ListLegacyJobsQuery } from './legacy-jobs.dto';
import { LegacyJobsService } from './legacy-jobs.service';

@ApiTags('legacy-jobs')
@Controller('v1/svc/jobs')
export class LegacyJobsController {
  constructor(private readonly jobs: LegacyJobsService) {}

  @Get()
  @Operation({
    id: 'list_legacy_jobs',
    summary: 'List legacy jobs, by id',
    description: 'The stored jobs as node daemons sent them, all or those with the given ids or on the given hosts.',
    access: 'read',
    answer: json([LegacyJobObject]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  list(@Org() context: OrgContext, @Query() query: ListLegacyJobsQuery): Promise<Page<LegacyJobObject>> {
    return this.jobs.list(context, query);
  }

  @Put(':jid')
  @Operation({
    id: 'put_legacy_job',
    summary: 'Store a legacy job',
    description: 'Missing members are zero; unknown members are stored at every level. The id is that of the path.',
    access: 'machine',
    body: 'record',
    unknownMembers: 'kept',
    bodyType: LegacyJobObject,
    answer: nothing(200),
    failures: { 400: 'Bad request', 500: 'Internal error' },
    bodyExample: { Type: 'process', State: { PID: 4711, IsRunning: true, Host: { ID: 'host-1' } } },
  })
  async put(@Org() context: OrgContext, @Param('jid', DaemonId) jid: string, @Body() body: unknown): Promise<void> {
    await this.jobs.put(context, jid, body);
  }

  @Delete(':jid')
  @Operation({
    id: 'delete_legacy_job',
    summary: 'Delete a legacy job',
    description: 'Succeeds even if the id is unknown. Its checkpoints stay.',
    access: 'machine',
    answer: nothing(200),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async delete(@Org() context: OrgContext, @Param('jid', DaemonId) jid: string): Promise<void> {
    await this.jobs.delete(context, jid);
  }
}
