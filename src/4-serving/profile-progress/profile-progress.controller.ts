import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { ProfileProgressView } from './profile-progress.dto';
import { ProfileProgressService } from './profile-progress.service';

@ApiTags('profiles')
@Controller('v1/inference/profiles/:profile_id/progress')
export class ProfileProgressController {
  constructor(private readonly progress: ProfileProgressService) {}

  @Get()
  @Operation({
    id: 'get_profile_progress',
    summary: "Get the progress of a profile's start",
    description:
      'The steps of its last start: lifecycle events, reported phases, and requested checkpoints and restarts.',
    access: 'read',
    answer: json(ProfileProgressView),
    failures: { 404: 'Profile unknown' },
  })
  get(@Org() context: OrgContext, @Param('profile_id', TextParameter) profileId: string): Promise<ProfileProgressView> {
    return this.progress.get(context, profileId);
  }
}
