import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { checkpointOwner, isCpuFixture } from '../profiles/profile-facts';
import {
  CheckpointRequestView,
  ProfileHostingView,
  RequestCheckpointBody,
  UpdateCheckpointRequestBody,
} from './profile-checkpoints.dto';
import { ProfileCheckpointsService } from './profile-checkpoints.service';

const OPEN = json(CheckpointRequestView, { status: 202, description: 'Open request' });
const WHILE_OPEN = 'While a request is open, it is returned instead of a second one, whatever its kind.';

@ApiTags('profiles')
@Controller('v1/inference/profiles/:profile_id')
export class ProfileCheckpointsController {
  constructor(private readonly requests: ProfileCheckpointsService) {}

  @Get('hosting')
  @Operation({
    id: 'get_profile_hosting',
    summary: 'Get how a profile is hosted',
    description:
      'How the profile is hosted, who takes checkpoints of its workers, and the checkpoint request that is open.',
    access: 'read',
    answer: json(ProfileHostingView),
    failures: { 404: 'Profile unknown' },
  })
  async hosting(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
  ): Promise<ProfileHostingView> {
    const { profile, request } = await this.requests.hosting(context, profileId);
    return {
      profile_id: profile.profile_id,
      hosting_mode: profile.hosting_mode,
      profile_revision: profile.profile_revision,
      compatibility_key: profile.compatibility_key,
      checkpoint_owner: checkpointOwner(profile.spec, profile.checkpoints),
      cpu_fixture: isCpuFixture(profile.spec),
      engine_template: profile.engine_template,
      checkpoint_request: request ?? null,
    };
  }

  @Post('restart')
  @Operation({
    id: 'restart_profile',
    summary: 'Replace the worker of a profile by one that is restored from its last checkpoint',
    description: WHILE_OPEN,
    access: 'machine',
    creates: true,
    answer: OPEN,
    failures: { 404: 'Profile unknown', 409: 'Nothing to restore from' },
  })
  restart(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
  ): Promise<CheckpointRequestView> {
    return this.requests.restart(context, profileId);
  }

  @Post('checkpoint')
  @Operation({
    id: 'request_profile_checkpoint',
    summary: "Request a checkpoint of a profile's worker",
    description: WHILE_OPEN,
    access: 'machine',
    creates: true,
    bodyType: RequestCheckpointBody,
    answer: OPEN,
    failures: { 404: 'Profile unknown', 409: 'Profile does not checkpoint' },
    bodyExample: { reason: 'before the upgrade', replace_existing: true },
  })
  checkpoint(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
    @Body() body: RequestCheckpointBody,
  ): Promise<CheckpointRequestView> {
    return this.requests.checkpoint(context, profileId, body);
  }

  @Get('checkpoint')
  @Operation({
    id: 'get_profile_checkpoint',
    summary: 'Get the last request of a checkpoint or restart',
    description: 'The open request for a checkpoint or a restart; if none is open, the newest one.',
    access: 'read',
    answer: json(CheckpointRequestView),
    failures: { 404: 'Never requested' },
  })
  latest(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
  ): Promise<CheckpointRequestView> {
    return this.requests.latest(context, profileId);
  }

  @Patch('checkpoint')
  @Operation({
    id: 'update_profile_checkpoint',
    summary: 'Report the progress of a checkpoint or restart',
    description: 'Only for the last attempt, and only forwards; a repetition gets the first reply.',
    access: 'control',
    unknownMembers: 'ignored',
    answer: json(CheckpointRequestView),
    failures: { 400: 'Bad request', 404: 'Never requested', 409: 'Another attempt, or a step backwards' },
    bodyExample: {
      request_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
      status: 'succeeded',
      artifact_id: 'llama-8b-a10g-0001',
    },
  })
  update(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
    @Body() body: UpdateCheckpointRequestBody,
  ): Promise<CheckpointRequestView> {
    return this.requests.update(context, profileId, body);
  }
}
