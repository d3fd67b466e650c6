import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { createdOr, type Existing } from '../../1-platform/common/answers/created-or-existing';
import type { Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { CreateProfileBody, ListProfilesQuery, ProfileView } from './profiles.dto';
import type { ProfileRow } from './profiles.queries';
import { ProfilesService } from './profiles.service';

@ApiTags('profiles')
@Controller('v1/inference/profiles')
export class ProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @Post()
  @Operation({
    id: 'create_profile',
    summary: 'Create a profile',
    description: 'A profile is immutable: an equal body finds it, another body under its id is refused.',
    access: 'operate',
    creates: true,
    answer: json(ProfileView, { status: 201, description: 'Created' }),
    existing: json(ProfileView, { description: 'An equal body was posted before' }),
    failures: { 400: 'Bad request', 409: 'Another body under that id' },
    bodyExample: {
      profile_id: 'llama-8b-a10g',
      logical_model: 'llama-8b',
      exact_model: 'meta-llama/Llama-3.1-8B-Instruct',
      backend_url: 'http://llama-8b.models.svc:8000',
      hosting_mode: 'checkpointed',
      compatibility: { gpu: 'A10G', driver: '570' },
      estimated_cold_start_ms: 180000,
      spec: { engine_flags: ['--max-model-len=8192'] },
    },
  })
  async create(
    @Org() context: OrgContext,
    @Body() body: CreateProfileBody,
  ): Promise<ProfileView | Existing<ProfileView>> {
    const { profile, created } = await this.profiles.create(context, body);
    return createdOr(profileView(profile), created);
  }

  @Get()
  @Operation({
    id: 'list_profiles',
    summary: 'List profiles by id',
    description: 'Profiles as they were created.',
    access: 'read',
    answer: json([ProfileView]),
  })
  async list(@Org() context: OrgContext, @Query() query: ListProfilesQuery): Promise<Page<ProfileView>> {
    return (await this.profiles.list(context, query)).map(profileView);
  }

  @Get(':profile_id')
  @Operation({
    id: 'get_profile',
    summary: 'Get a profile',
    description: 'One profile as it was created.',
    access: 'read',
    answer: json(ProfileView),
    failures: { 404: 'Profile unknown' },
  })
  async get(@Org() context: OrgContext, @Param('profile_id', TextParameter) profileId: string): Promise<ProfileView> {
    return profileView(await this.profiles.get(context, profileId));
  }
}

const profileView = ({
  checkpoints: _takes,
  engine_flags: _flags,
  enabled,
  autoscale,
  ...view
}: ProfileRow): ProfileView => ({
  ...view,
  ...(autoscale ? { autoscale } : {}),
  ...(enabled ? {} : { enabled }),
});
