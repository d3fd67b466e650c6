import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { FleetView, SaveFleetBody } from './fleets.dto';
import { FleetsService } from './fleets.service';

@ApiTags('fleets')
@Controller('v1/inference/fleets')
export class FleetsController {
  constructor(private readonly fleets: FleetsService) {}

  @Get()
  @Operation({
    id: 'list_fleets',
    summary: 'List fleets by id',
    description: 'Fleets with their profiles and budgets.',
    access: 'read',
    answer: json([FleetView]),
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<FleetView>> {
    return this.fleets.list(context, query);
  }

  @Post()
  @Operation({
    id: 'save_fleet',
    summary: 'Create a fleet, or change the one with its id',
    description:
      'Budgets, availability and residency stay if they are left out. Running workers are not stopped: a budget ' +
      'applies to later requests.',
    access: 'operate',
    creates: true,
    answer: json(FleetView),
    failures: { 400: 'Bad request, or an unknown profile' },
    bodyExample: {
      name: 'chat in Europe',
      logical_model: 'llama-8b',
      profile_ids: ['llama-8b-h100', 'llama-8b-a10g'],
      budgets: { max_node_usd_per_hour: 12.5 },
    },
  })
  save(@Org() context: OrgContext, @Body() body: SaveFleetBody): Promise<FleetView> {
    return this.fleets.save(context, body);
  }

  @Get(':fleet_id')
  @Operation({
    id: 'get_fleet',
    summary: 'Get a fleet',
    description: 'One fleet with its profiles and budgets.',
    access: 'read',
    answer: json(FleetView),
    failures: { 404: 'Fleet unknown' },
  })
  get(@Org() context: OrgContext, @Param('fleet_id', TextParameter) fleetId: string): Promise<FleetView> {
    return this.fleets.get(context, fleetId);
  }

  @Delete(':fleet_id')
  @Operation({
    id: 'delete_fleet',
    summary: 'Delete a fleet',
    description: 'Its profiles and their workers stay.',
    access: 'operate',
    answer: nothing(),
    failures: { 404: 'Fleet unknown', 409: 'One of its profiles is a target of a route' },
  })
  delete(@Org() context: OrgContext, @Param('fleet_id', TextParameter) fleetId: string): Promise<void> {
    return this.fleets.delete(context, fleetId);
  }
}
