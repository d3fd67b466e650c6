import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import {
  ListObservationsQuery,
  ObservationListItemView,
  ObservationView,
  RecordObservationBody,
} from './profile-observations.dto';
import { ProfileObservationsService } from './profile-observations.service';

@ApiTags('observations')
@Controller('v1/inference/observations')
export class ProfileObservationsController {
  constructor(private readonly observations: ProfileObservationsService) {}

  @Get()
  @Operation({
    id: 'list_observations',
    summary: 'List measurements, newest first',
    description: 'Measurements, filtered by profile, experiment and kind of event.',
    access: 'read',
    answer: json([ObservationListItemView]),
    failures: { 400: 'Bad request' },
  })
  list(@Org() context: OrgContext, @Query() query: ListObservationsQuery): Promise<Page<ObservationListItemView>> {
    return this.observations.list(context, query);
  }

  @Post()
  @Operation({
    id: 'record_observation',
    summary: 'Record a measurement',
    description: 'The first measurement under a key stands, and is returned for every repetition of the key.',
    access: 'control',
    unknownMembers: 'ignored',
    creates: true,
    answer: json(ObservationView, { status: 201, description: 'Recorded now, or before under that key' }),
    failures: { 400: 'Bad request', 404: 'Profile unknown' },
    bodyExample: {
      observation_key: 'restore-0001',
      event_type: 'restore',
      evidence: 'measured',
      source: 'controller',
      started_at: '2026-01-02T03:04:05.678Z',
      completed_at: '2026-01-02T03:04:11.042Z',
      profile_id: 'llama-8b-a10g',
      success: true,
    },
  })
  record(@Org() context: OrgContext, @Body() body: RecordObservationBody): Promise<ObservationView> {
    return this.observations.record(context, body);
  }
}
