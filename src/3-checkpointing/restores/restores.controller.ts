import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { isUuid } from '../../1-platform/common/ids';
import type { Page } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import { ListRestoresQuery, RestorePodBody, RestoreProfileView, RestoreView } from './restores.dto';
import type { RestoreRow } from './restores.queries';
import { RestoresService } from './restores.service';

const MAX_PROFILE_BYTES = 256 * 1024;

@ApiTags('restores')
@Controller('v1')
export class RestoresController {
  constructor(private readonly restores: RestoresService) {}

  @Post('restore/pod')
  @Operation({
    id: 'restore_pod',
    summary: 'Request a restore of a pod',
    description:
      'Requests that the controller of the cluster restore the first ready checkpoint of the action, which must be ready unless allow_partial is true. The answer is the id of a new action.',
    access: 'operate',
    creates: true,
    answer: text('New action id', 'uuid'),
    failures: {
      400: 'Bad request',
      404: 'Action unknown',
      409: 'The action is not ready to restore',
      500: 'Internal error',
    },
    bodyExample: { action_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10', reason: 'nodeTermination' },
  })
  restorePod(@Org() context: OrgContext, @Body() body: RestorePodBody): Promise<string> {
    return this.restores.restorePod(context, body);
  }

  @Get('restores')
  @Operation({
    id: 'list_restores',
    summary: 'List restores, newest first',
    description: 'Restores with their status and the events that nodes reported, filtered by any of the parameters.',
    access: 'read',
    answer: json([RestoreView]),
    failures: { 500: 'Internal error' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListRestoresQuery): Promise<Page<RestoreView>> {
    return (await this.restores.list(context, query)).map(restoreView);
  }

  @Get('restores/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'get_restore',
    summary: 'Get a restore by its row id',
    description: 'One restore with its status and the events that the node reported.',
    access: 'read',
    answer: json(RestoreView),
    failures: { 404: 'Restore unknown', 500: 'Internal error' },
  })
  async get(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<RestoreView> {
    return restoreView(await this.restores.get(context, id));
  }

  @Put('restores/:restore_uuid/profile')
  @ApiParam({ name: 'restore_uuid', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'put_restore_profile',
    summary: 'Store the profile of a restore',
    description:
      "Any JSON; a profiling tree or CRIU's statistics anywhere in it become the stages of the fact, unless the events contain stages.",
    access: 'machine',
    body: 'record',
    unknownMembers: 'kept',
    bodyType: 'any',
    answer: json(RestoreProfileView),
    failures: { 400: 'Bad request', 404: 'Restore unknown', 500: 'Internal error' },
  })
  async putProfile(
    @Org() context: OrgContext,
    @Param('restore_uuid', UuidParameter) restoreUuid: string,
    @Body() profile: unknown,
  ): Promise<RestoreProfileView> {
    if (profile === undefined || profile === null) throw invalidField('body', 'is required');
    if (Buffer.byteLength(JSON.stringify(profile)) > MAX_PROFILE_BYTES)
      throw invalidField('body', `must be at most ${MAX_PROFILE_BYTES} bytes`);
    return {
      restore_uuid: restoreUuid,
      profile_object_path: await this.restores.putProfile(context, restoreUuid, profile),
    };
  }
}

const uuidOrNull = (value: unknown): string | null => (isUuid(value) ? value : null);

function restoreView({ members, events, ...row }: RestoreRow): RestoreView {
  return {
    ...members,
    action_id: uuidOrNull(members.action_id),
    checkpoint_id: uuidOrNull(members.checkpoint_id),
    id: row.id,
    restore_uuid: row.restore_uuid,
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
    events: events.map(({ kind, received_at }) => ({ kind, received_at: new Date(received_at) })),
  };
}
