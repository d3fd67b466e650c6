import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { OfProfileQuery } from '../profiles/profiles.dto';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { ActivationView, ReportActivationBody } from './activations.dto';
import { ActivationsService } from './activations.service';

@ApiTags('activations')
@Controller('v1/inference/activations')
export class ActivationsController {
  constructor(private readonly activations: ActivationsService) {}

  @Get()
  @Operation({
    id: 'list_activations',
    summary: 'List what runs of each profile',
    description: 'The last report on each profile: its phase, whether it is ready, and its endpoint.',
    access: 'read',
    answer: json([ActivationView]),
  })
  list(@Org() context: OrgContext, @Query() query: OfProfileQuery): Promise<Page<ActivationView>> {
    return this.activations.list(context, query);
  }

  @Post('report')
  @Operation({
    id: 'report_activation',
    summary: 'Report the actual state of a profile',
    description:
      'A report of an older generation than the last one changes nothing. A start ends when the worker is first ' +
      'ready; it counts as a restore if the worker named a checkpoint.',
    access: 'control',
    creates: 'apart',
    unknownMembers: 'ignored',
    answer: nothing(),
    failures: { 400: 'Bad request', 404: 'Profile or cluster unknown', 409: 'Another cluster runs its workers' },
    bodyExample: {
      profile_id: 'llama-8b-a10g',
      desired_state: 'Active',
      phase: 'Ready',
      ready: true,
      endpoint: 'http://10.0.3.7:8000',
      observed_generation: 3,
    },
  })
  report(
    @Org() context: OrgContext,
    @Body() body: ReportActivationBody,
    @Req() { place }: ServiceRequest,
  ): Promise<void> {
    return this.activations.report(context, body, place);
  }
}
