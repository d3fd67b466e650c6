import { Body, Controller, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import {
  CheckpointInfoBody,
  CheckpointPathQuery,
  CheckpointUploadedBody,
  CreateCheckpointBody,
} from '../checkpoints/checkpoints.dto';
import type { ListedCheckpoint } from '../checkpoints/checkpoints.queries';
import { CheckpointsService } from '../checkpoints/checkpoints.service';
import type { Page } from '../../1-platform/common/answers/paging';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  CheckpointSlurmJobBody,
  ListSlurmCheckpointsQuery,
  RestoreSlurmJobBody,
  SlurmCheckpointView,
} from './slurm-checkpoints.dto';
import { SlurmCheckpointsService } from './slurm-checkpoints.service';

const OF = 'slurm';
const MOVE_FAILURES = { 404: 'Checkpoint unknown', 409: 'Move not allowed', 500: 'Internal error' };
const ACTION_EXAMPLE = '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10';

@ApiTags('slurm-checkpoints')
@Controller('v1/slurm')
export class SlurmCheckpointsController {
  constructor(
    private readonly slurm: SlurmCheckpointsService,
    private readonly checkpoints: CheckpointsService,
  ) {}

  @Post('checkpoint/job')
  @Operation({
    id: 'checkpoint_slurm_job',
    summary: 'Request a checkpoint of a Slurm job',
    description:
      'Names the job by job_id or job_name. A job that is not synced yet is a 404: callers retry. The answer is the id of the action.',
    access: 'machine',
    creates: true,
    answer: text('Action id', 'uuid'),
    failures: { 400: 'Job not named', 404: 'Cluster unknown, or no such running job', 500: 'Internal error' },
    bodyExample: { cluster_id: ACTION_EXAMPLE, job_id: '4711', kind: 'simple', reason: 'manual' },
  })
  checkpointJob(@Org() context: OrgContext, @Body() body: CheckpointSlurmJobBody): Promise<string> {
    return this.slurm.checkpointJob(context, body);
  }

  @Get('checkpoint/path')
  @Operation({
    id: 'get_slurm_checkpoint_path',
    summary: 'Get the restore path of the newest ready checkpoint of a name',
    description: 'The path under which the files of the checkpoint are stored. Only checkpoints that are ready count.',
    access: 'read',
    answer: text('Restore path'),
    failures: { 400: 'Bad request', 404: 'No ready checkpoint with that name', 500: 'Internal error' },
  })
  path(@Org() context: OrgContext, @Query() query: CheckpointPathQuery): Promise<string> {
    return this.checkpoints.path(context, query, OF);
  }

  @Get('checkpoints')
  @Operation({
    id: 'list_slurm_checkpoints',
    summary: 'List checkpoints of Slurm jobs, newest first',
    description:
      'Checkpoints of Slurm jobs with their status and what the node reported, filtered by any of the parameters.',
    access: 'read',
    answer: json([SlurmCheckpointView]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async list(
    @Org() context: OrgContext,
    @Query() query: ListSlurmCheckpointsQuery,
  ): Promise<Page<SlurmCheckpointView>> {
    return (await this.slurm.list(context, query)).map(view);
  }

  @Post('checkpoints')
  @Operation({
    id: 'create_slurm_checkpoint',
    summary: 'Create a checkpoint of a Slurm job',
    description:
      'The first request for an action gets the checkpoint that was created with it; later ones create more. A checkpoint may also have no action.',
    access: 'machine',
    unknownMembers: 'ignored',
    creates: true,
    bodyType: CreateCheckpointBody,
    bodyOptional: true,
    answer: text('Checkpoint id', 'uuid'),
    failures: {
      404: 'Action or parent unknown',
      409: 'The action is over, is a restore, or does not belong to a Slurm job',
      500: 'Internal error',
    },
  })
  create(@Org() context: OrgContext, @Body() body: CreateCheckpointBody): Promise<string> {
    return this.checkpoints.create(context, body, OF);
  }

  @Put('checkpoints/info/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'put_slurm_checkpoint_info',
    summary: 'Report the facts of a checkpoint, or that it failed',
    description: 'The node reports the durations and sizes of a finished dump, or the error that ended it.',
    access: 'machine',
    body: 'record',
    unknownMembers: 'ignored',
    answer: text('Checkpoint id', 'uuid'),
    failures: MOVE_FAILURES,
  })
  putInfo(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: CheckpointInfoBody,
  ): Promise<string> {
    return this.checkpoints.putInfo(context, id, body, OF);
  }

  @Post('checkpoints/uploaded/:id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @Operation({
    id: 'report_slurm_checkpoint_uploaded',
    summary: 'Report a checkpoint as uploaded',
    description: 'The files of the checkpoint are in storage. From now on jobs can be restored from it.',
    access: 'machine',
    creates: true,
    unknownMembers: 'ignored',
    answer: text('Checkpoint id', 'uuid'),
    failures: MOVE_FAILURES,
  })
  putUploaded(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: CheckpointUploadedBody,
  ): Promise<string> {
    return this.checkpoints.putUploaded(context, id, body, OF);
  }

  @Patch('checkpoints/deprecate/:id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @Operation({
    id: 'deprecate_slurm_checkpoint',
    summary: 'Deprecate a checkpoint: nothing restores from it any more, its facts stay',
    description: 'The checkpoint is no longer offered for restores. Its row and its facts stay in lists and reports.',
    access: 'operate',
    answer: text('Checkpoint id', 'uuid'),
    failures: { 404: 'Checkpoint unknown', 500: 'Internal error' },
  })
  deprecate(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<string> {
    return this.checkpoints.deprecate(context, id, OF);
  }

  @Post('restore/job')
  @Operation({
    id: 'restore_slurm_job',
    summary: 'Request a restore of a Slurm job',
    description:
      'The controller of the cluster gets an event to restore the first ready checkpoint of the action. The answer is the id of a new action.',
    access: 'operate',
    creates: true,
    answer: text('New action id', 'uuid'),
    failures: {
      400: 'Bad request, or a Kubernetes cluster',
      404: 'Action or cluster unknown',
      409: 'Nothing is ready to restore, or the action does not belong to a Slurm job',
      500: 'Internal error',
    },
    bodyExample: { action_id: ACTION_EXAMPLE, reason: 'nodeTermination' },
  })
  restoreJob(@Org() context: OrgContext, @Body() body: RestoreSlurmJobBody): Promise<string> {
    return this.slurm.restoreJob(context, body);
  }
}

const view = (row: ListedCheckpoint): SlurmCheckpointView => ({
  id: row.id,
  status: row.status,
  gpu: row.gpu,
  checksum: row.checksum,
  name: row.name,
  info: row.info,
  action_id: row.action_id,
  job_id: row.slurm_job_id,
  cluster_id: row.cluster_id,
  created_at: row.created_at,
  bytes_removed_at: row.bytes_removed_at,
});
