import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { OfProfileQuery } from '../profiles/profiles.dto';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { CapacityIntentView, SetProfileStateBody } from './capacity-intents.dto';
import { CapacityIntentsService } from './capacity-intents.service';

@ApiTags('profiles')
@Controller('v1/inference')
export class CapacityIntentsController {
  constructor(private readonly intents: CapacityIntentsService) {}

  @Post('profiles/:profile_id/state')
  @Operation({
    id: 'set_profile_state',
    summary: 'Request a state and a number of replicas for a profile',
    description:
      'A repeated request for the same state and number of replicas reuses the row and refreshes requested_at; ' +
      'a request for others supersedes it. The generation increases if there is something to do.',
    access: 'machine',
    creates: true,
    answer: json(CapacityIntentView, { status: 202, description: 'Intent accepted' }),
    failures: { 400: 'Bad request', 404: 'Profile unknown', 409: 'The request would exceed a budget' },
    bodyExample: { desired_state: 'Active', desired_replicas: 1, deadline_ms: 120000 },
  })
  setState(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
    @Body() body: SetProfileStateBody,
  ): Promise<CapacityIntentView> {
    return this.intents.setState(context, profileId, body);
  }

  @Get('capacity-intents')
  @Operation({
    id: 'list_capacity_intents',
    summary: 'List the latest intent of each profile',
    description: 'Newest update first, whatever the status.',
    access: 'read',
    answer: json([CapacityIntentView]),
  })
  list(@Org() context: OrgContext, @Query() query: OfProfileQuery): Promise<Page<CapacityIntentView>> {
    return this.intents.list(context, query);
  }
}
