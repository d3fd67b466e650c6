import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../../1-platform/common/described';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { TextParameter } from '../../../1-platform/http/bodies/path-parameters';
import { RoutingService } from '../choice/routing.service';
import { outlookView, targetStateView } from './route-state';
import { MAX_WORKERS, RouteStateQuery, RouteStateView } from './route-state.dto';

@ApiTags('routes')
@Controller('v1/inference/routes')
export class RouteStateController {
  constructor(private readonly routing: RoutingService) {}

  @Get(':logical_model/state')
  @ApiParam({ name: 'logical_model', schema: { type: 'string' } })
  @Operation({
    id: 'get_route_state',
    summary: 'Get what a request for a logical model would find now',
    description:
      'The targets in the order in which they are tried, each with its state, its requests in flight and waiting, and its ready workers; and what would happen to a request that arrives now. It sends no request and wakes nothing. Counts of other replicas of the service may be a quarter of a second old. Which workers and targets have just failed is known to the replica that tried them.',
    access: 'read',
    work: 'traffic',
    answer: json(RouteStateView),
    failures: { 404: 'The model has no route' },
  })
  async get(
    @Org() { orgId }: OrgContext,
    @Param('logical_model', TextParameter) model: string,
    @Query() { endpoint = 'chat' }: RouteStateQuery,
  ): Promise<RouteStateView> {
    const { route, choice, targets } = await this.routing.outlook(orgId, model, endpoint);
    return {
      logical_model: model,
      mode: route.mode,
      generation: route.generation,
      queue_timeout_ms: route.queueTimeoutMs,
      classifier_profile_id: route.classifier.profileId,
      outlook: outlookView(choice),
      targets: targets.map(targetStateView),
      workers_left_out: targets.some(({ workers }) => workers.length > MAX_WORKERS),
    };
  }
}
