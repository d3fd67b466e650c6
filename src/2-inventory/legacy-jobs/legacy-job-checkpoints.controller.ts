import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { DaemonId } from '../hosts/daemon-id';
import { LegacyJobCheckpointsService } from './legacy-job-checkpoints.service';
import { LegacyJobCheckpointBody, LegacyJobCheckpointObject, ListLegacyJobCheckpointsQuery } from './legacy-jobs.dto';

@ApiTags('legacy-jobs')
@Controller('v1/svc/job/checkpoints')
export class LegacyJobCheckpointsController {
  constructor(private readonly checkpoints: LegacyJobCheckpointsService) {}

  @Get()
  @Operation({
    id: 'list_legacy_job_checkpoints',
    summary: 'List legacy job checkpoints, newest first',
    description:
      'The stored checkpoints as node daemons sent them, all or those with the given ids or of the given jobs.',
    access: 'read',
    answer: json([LegacyJobCheckpointObject]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  list(
    @Org() context: OrgContext,
    @Query() query: ListLegacyJobCheckpointsQuery,
  ): Promise<Page<LegacyJobCheckpointObject>> {
    return this.checkpoints.list(context, query);
  }

  @Put(':id')
  @Operation({
    id: 'put_legacy_job_checkpoint',
    summary: 'Store a legacy job checkpoint',
    description:
      'Answers the id of the checkpoint: that of the path if it is a UUID, else the ID of the body if that is one, else a new one. Missing members are zero; unknown members are stored.',
    access: 'machine',
    body: 'record',
    unknownMembers: 'kept',
    bodyType: LegacyJobCheckpointBody,
    answer: text('Checkpoint id', 'uuid'),
    failures: { 400: 'Bad request', 500: 'Internal error' },
    bodyExample: { JID: 'train-1', Path: '/checkpoints/train-1', Time: 1_795_200_000_000, Size: 1_048_576 },
  })
  put(@Org() context: OrgContext, @Param('id', DaemonId) id: string, @Body() body: unknown): Promise<string> {
    return this.checkpoints.put(context, id, body);
  }

  @Delete(':id')
  @Operation({
    id: 'delete_legacy_job_checkpoint',
    summary: 'Delete a legacy job checkpoint',
    description: 'Succeeds even if the id is unknown.',
    access: 'machine',
    answer: nothing(200),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async delete(@Org() context: OrgContext, @Param('id', DaemonId) id: string): Promise<void> {
    await this.checkpoints.delete(context, id);
  }
}
