import { Body, Controller, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  CheckpointInfoBody,
  CheckpointListItemView,
  CheckpointOperationView,
  CheckpointPathQuery,
  CheckpointPodBody,
  CheckpointProgressBody,
  CheckpointUploadedBody,
  CreateCheckpointBody,
  ListCheckpointsQuery,
} from './checkpoints.dto';
import type { CheckpointProgressRow } from './checkpoints.queries';
import { CheckpointsService } from './checkpoints.service';

const MOVE_FAILURES = { 404: 'Checkpoint unknown', 409: 'Move not allowed', 500: 'Internal error' };

@ApiTags('checkpoints')
@Controller('v1')
export class CheckpointsController {
  constructor(private readonly checkpoints: CheckpointsService) {}

  @Post('checkpoint/pod')
  @Operation({
    id: 'checkpoint_pod',
    summary: 'Request a checkpoint of a pod',
    description:
      'Names the pod by pod_id, or by cluster_id, namespace and pod_name. The controller of its cluster gets an event. The answer is the id of the action.',
    access: 'machine',
    creates: true,
    answer: text('Action id', 'uuid'),
    failures: {
      400: 'Pod not named, or a container that does not run',
      404: 'Nothing to checkpoint',
      409: "The pod's node has been silent for over 5 minutes",
      500: 'Internal error',
    },
    bodyExample: { pod_id: 'a01228a1-b05b-4ea2-860c-b02d913150b5', kind: 'simple', reason: 'manual' },
  })
  checkpointPod(@Org() context: OrgContext, @Body() body: CheckpointPodBody): Promise<string> {
    return this.checkpoints.checkpointPod(context, body);
  }

  @Get('checkpoint/status/:action_id')
  @ApiParam({ name: 'action_id', schema: { type: 'string' } })
  @Operation({
    id: 'get_checkpoint_status',
    summary: 'Get where a checkpoint operation stands',
    description: 'The state of the action, with the error or the progress that its node reported.',
    access: 'read',
    answer: json(CheckpointOperationView),
    failures: { 404: 'Action unknown', 500: 'Internal error' },
  })
  async status(@Org() context: OrgContext, @Param('action_id') id: string): Promise<CheckpointOperationView> {
    const { status, error, progress } = await this.checkpoints.status(context, id);
    return { status, details: error ?? progressText(progress) };
  }

  @Get('checkpoint/path')
  @Operation({
    id: 'get_checkpoint_path',
    summary: 'Get the restore path of the newest ready checkpoint of a name',
    description: 'The path under which the files of the checkpoint are stored. Only checkpoints that are ready count.',
    access: 'read',
    answer: text('Restore path'),
    failures: { 400: 'Bad request', 404: 'No ready checkpoint with that name', 500: 'Internal error' },
  })
  path(@Org() context: OrgContext, @Query() query: CheckpointPathQuery): Promise<string> {
    return this.checkpoints.path(context, query, 'kubernetes');
  }

  @Get('checkpoints')
  @Operation({
    id: 'list_checkpoints',
    summary: 'List checkpoints, newest first',
    description:
      'Checkpoints of containers and Slurm jobs with their status and what the node reported: all, or those with the given ids, of one cluster, status or name, or whose bytes are still to be removed.',
    access: 'read',
    answer: json([CheckpointListItemView]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListCheckpointsQuery): Promise<Page<CheckpointListItemView>> {
    const { awaiting_removal: isAwaiting = false, cluster_id: clusterId, status, exact_name: exactName } = query;
    const page = await this.checkpoints.list(context, query, { clusterId, status, exactName }, isAwaiting);
    return page.map(({ slurm_job_id: job_id, ...row }) => ({ ...row, job_id }));
  }

  @Post('checkpoints')
  @Operation({
    id: 'create_checkpoint',
    summary: 'Create the checkpoint of one container',
    description:
      'The first request for an action gets the checkpoint that was created with it; later ones create more. A checkpoint may also have no action.',
    access: 'machine',
    unknownMembers: 'ignored',
    creates: true,
    bodyType: CreateCheckpointBody,
    bodyOptional: true,
    answer: text('Checkpoint id', 'uuid'),
    failures: {
      400: 'Bad request',
      404: 'Action or parent unknown',
      409: 'The action is over, or is a restore',
      500: 'Internal error',
    },
  })
  create(@Org() context: OrgContext, @Body() body: CreateCheckpointBody): Promise<string> {
    return this.checkpoints.create(context, body);
  }

  @Put('checkpoints/info/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'put_checkpoint_info',
    summary: 'Report the facts of a checkpoint, or that it failed',
    description: 'The node agent reports the durations and sizes of a finished dump, or the error that ended it.',
    access: 'machine',
    body: 'record',
    unknownMembers: 'ignored',
    answer: text('Checkpoint id', 'uuid'),
    failures: MOVE_FAILURES,
    bodyExample: {
      gpu: 'NVIDIA H100',
      platform: 'linux/amd64',
      info: {
        name: 'checkpoint',
        duration: 3_506_000_000,
        io: 0,
        components: [{ name: 'criu dump', duration: 2_359_000_000, io: 1_610_612_736 }],
      },
    },
  })
  putInfo(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: CheckpointInfoBody,
  ): Promise<string> {
    return this.checkpoints.putInfo(context, id, body);
  }

  @Put('checkpoints/progress/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'report_checkpoint_progress',
    summary: 'Report the progress of a checkpoint',
    description:
      'One report per second is stored. The status of the action shows it. A report is also a sign of life: an action without reports for CHECKPOINT_TIMEOUT_SECONDS becomes error.',
    access: 'control',
    unknownMembers: 'ignored',
    answer: nothing(),
    failures: { 404: 'Checkpoint unknown', 409: 'The checkpoint has ended' },
    bodyExample: { stage: 'dump', bytes_done: 536_870_912, bytes_total: 1_073_741_824 },
  })
  putProgress(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: CheckpointProgressBody,
  ): Promise<void> {
    return this.checkpoints.putProgress(context, id, body);
  }

  @Post('checkpoints/uploaded/:id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @Operation({
    id: 'report_checkpoint_uploaded',
    summary: 'Report a checkpoint as uploaded',
    description: 'The files of the checkpoint are in storage. From now on pods can be restored from it.',
    access: 'machine',
    creates: true,
    unknownMembers: 'ignored',
    answer: text('Checkpoint id', 'uuid'),
    failures: { 400: 'Bad request', ...MOVE_FAILURES },
  })
  putUploaded(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: CheckpointUploadedBody,
  ): Promise<string> {
    return this.checkpoints.putUploaded(context, id, body);
  }

  @Patch('checkpoints/deprecate/:id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @Operation({
    id: 'deprecate_checkpoint',
    summary: 'Deprecate a checkpoint: nothing restores from it any more, its facts stay',
    description: 'The checkpoint is no longer offered for restores. Its row and its facts stay in lists and reports.',
    access: 'operate',
    answer: text('Checkpoint id', 'uuid'),
    failures: { 400: 'Bad request', 404: 'Checkpoint unknown', 500: 'Internal error' },
  })
  deprecate(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<string> {
    return this.checkpoints.deprecate(context, id);
  }

  @Put('checkpoints/removed/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'confirm_checkpoint_removal',
    summary: 'Confirm that the bytes of a deprecated or forgotten checkpoint are gone',
    description:
      'Of a pod or of a Slurm job. The controller that holds the bytes removes them, and confirms it afterwards, until it has an answer. The first confirmation stands: a repetition changes nothing, and of a forgotten checkpoint it is a 404.',
    access: 'control',
    answer: nothing(),
    failures: { 400: 'Bad request', 404: 'Checkpoint unknown', 409: 'Not deprecated' },
  })
  confirmRemoval(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<void> {
    return this.checkpoints.confirmRemoval(context, id);
  }
}

/** One sentence for clients that show text; null before the first report. */
function progressText(progress: readonly CheckpointProgressRow[]): string | null {
  const texts = progress.map(({ container_name: container, stage, bytes_done: done, bytes_total: total }) => {
    const bytes = done === null ? '' : total === null ? `, ${done} bytes` : `, ${done} of ${total} bytes`;
    return `${container === null ? '' : `${container}: `}${stage}${bytes}`;
  });
  return texts.length === 0 ? null : texts.join('; ');
}
