import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { ListRoutesQuery, RouteStatusView, RouteView, SaveRouteBody } from './routes.dto';
import { RoutesService } from './routes.service';

@ApiTags('routes')
@Controller('v1/inference/routes')
export class RoutesController {
  constructor(private readonly routes: RoutesService) {}

  @Get()
  @Operation({
    id: 'list_routes',
    summary: 'List routes by logical model',
    description: 'Each logical model with its targets and the limits of its route.',
    access: 'read',
    answer: json([RouteView]),
  })
  list(@Org() context: OrgContext, @Query() query: ListRoutesQuery): Promise<Page<RouteView>> {
    return this.routes.list(context, query);
  }

  @Post()
  @Operation({
    id: 'save_route',
    summary: 'Save the route of a logical model',
    description: 'Members that are left out stay. The generation increases if anything changes.',
    access: 'operate',
    creates: true,
    answer: json(RouteView, { description: 'Saved, with its generation' }),
    failures: { 400: 'Bad request, or an unknown profile' },
    bodyExample: {
      logical_model: 'llama-8b',
      queue_timeout_ms: 30000,
      targets: [
        { profile_id: 'llama-8b-h100', tier: 'large', priority: 1 },
        { profile_id: 'llama-8b-a10g', tier: 'small', priority: 2 },
      ],
    },
  })
  save(@Org() context: OrgContext, @Body() body: SaveRouteBody): Promise<RouteView> {
    return this.routes.save(context, body);
  }

  @Delete(':logical_model')
  @ApiParam({ name: 'logical_model', schema: { type: 'string' } })
  @Operation({
    id: 'delete_route',
    summary: 'Delete the route of a logical model',
    description:
      'Requests for the model are answered 404 from now on, also those that wait. Requests in flight are served, and its profiles stay. ' +
      'The deletion has a generation, which a later route of the model continues.',
    access: 'operate',
    answer: nothing(),
    failures: { 404: 'The model has no route' },
  })
  delete(@Org() context: OrgContext, @Param('logical_model', TextParameter) model: string): Promise<void> {
    return this.routes.delete(context, model);
  }

  @Get('status')
  @Operation({
    id: 'list_route_statuses',
    summary: 'What serves each logical model now',
    description:
      'For each logical model: its primary and its fallback profile, whether they are ready, and the endpoint that serves.',
    access: 'read',
    work: 'traffic',
    answer: json([RouteStatusView]),
  })
  statuses(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<RouteStatusView>> {
    return this.routes.statuses(context, query);
  }
}
