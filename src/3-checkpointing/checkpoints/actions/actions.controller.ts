import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../../1-platform/common/described';
import { json, Operation, text } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import type { Page } from '../../../1-platform/common/answers/paging';
import { TextParameter, UuidParameter } from '../../../1-platform/http/bodies/path-parameters';
import { ActionsService, type ActionWithTotals } from './actions.service';
import { ActionDetailsView, ActionView, ListActionsQuery, UploadActionPodBody } from './actions.dto';

@ApiTags('actions')
@Controller('v1/actions')
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  @Operation({
    id: 'list_actions',
    summary: 'List actions, newest first',
    description:
      'Checkpoint, restore and heartbeat actions of pods and Slurm jobs. Actions leave the list of open ones ' +
      'meanwhile, so its next page begins `after` the last action of a page.',
    access: 'read',
    answer: json([ActionView]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListActionsQuery): Promise<Page<ActionView>> {
    return (await this.actions.list(context, query)).map(actionView);
  }

  @Get(':id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @Operation({
    id: 'get_action',
    summary: 'Get an action',
    description: 'One action with its state, its request and the totals of its checkpoints.',
    access: 'read',
    answer: json(ActionDetailsView),
    failures: { 400: 'Not an id', 404: 'Action unknown', 500: 'Internal error' },
  })
  async get(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<ActionDetailsView> {
    return actionDetailsView(await this.actions.get(context, id));
  }

  @Get('from_pod/:id')
  @ApiParam({ name: 'id', schema: { type: 'string' }, description: 'Kubernetes uid or row id of the pod' })
  @Operation({
    id: 'get_newest_pod_action',
    summary: 'Get the newest action of a pod',
    description: 'The id of the action that was created last for the pod.',
    access: 'read',
    answer: text('Action id', 'uuid'),
    failures: { 404: 'No action for that pod', 500: 'Internal error' },
  })
  newestOfPod(@Org() context: OrgContext, @Param('id', TextParameter) id: string): Promise<string> {
    return this.actions.newestOfPod(context, id);
  }

  @Post('upload')
  @Operation({
    id: 'upload_action_pod',
    summary: 'Keep the pod of an action, and note where the action stands',
    description: 'The node agent stores the pod of the action and reports the state of the action.',
    access: 'machine',
    creates: true,
    unknownMembers: 'ignored',
    answer: text('Action id'),
    failures: { 404: 'Action unknown', 500: 'Internal error' },
  })
  upload(@Org() context: OrgContext, @Body() body: UploadActionPodBody): Promise<string> {
    return this.actions.upload(context, body);
  }
}

const actionView = (row: ActionWithTotals): ActionView => ({
  action_id: row.action_id,
  checkpoint_id: row.checkpoint_id,
  status: row.status,
  type: row.type,
  details: row.details,
  gpu: row.gpu,
  platform: row.platform,
  action_timestamp: row.action_timestamp,
  checkpoint_completed_timestamp: row.checkpoint_completed_timestamp,
  checkpoint_name: row.checkpoint_name,
  delta: row.delta,
  node_name: row.node_name || null,
  parent_checkpoint_id: row.parent_checkpoint_id,
  reason: row.reason,
  total_duration: row.totals?.duration_ns ?? null,
  total_io: row.totals?.bytes ?? null,
  workload_kind: row.workload_kind,
  leave_running: row.leave_running,
});

const actionDetailsView = (row: ActionWithTotals): ActionDetailsView => ({
  action_id: row.action_id,
  type: row.type,
  status: row.status,
  details: row.details,
  checkpoint_id: row.checkpoint_id,
  checkpoint_ids: row.checkpoint_ids,
  checkpoint_name: row.checkpoint_name,
  checkpoint_size: row.totals?.bytes ?? null,
  checkpoint_info: row.checkpoint_info,
  action_timestamp: row.action_timestamp,
  checkpoint_completed_timestamp: row.checkpoint_completed_timestamp,
  gpu: row.gpu || null,
  node_name: row.node_name || null,
  platform: row.platform || null,
  reason: row.reason,
  restore_path: row.restore_path,
  total_duration: row.totals?.duration_ns ?? null,
  total_io: row.totals?.bytes ?? null,
  leave_running: row.leave_running,
  containers: row.containers,
  error: row.error,
  pod_metadata: row.pod_metadata,
  pod_spec: row.pod_spec,
});
