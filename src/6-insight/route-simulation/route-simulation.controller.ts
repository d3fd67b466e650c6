import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { RouteSimulationView, SimulateRouteBody } from './route-simulation.dto';
import { RouteSimulationService } from './route-simulation.service';

@ApiTags('routes')
@Controller('v1/inference/routes')
export class RouteSimulationController {
  constructor(private readonly simulations: RouteSimulationService) {}

  @Post('simulate')
  @Operation({
    id: 'simulate_route',
    summary: 'Project latency and misses of a load',
    description:
      'Each request waits as long as the median start of its kind. A profile without measurements uses its ' +
      'estimate. Changes nothing.',
    access: 'read',
    work: 'heavy',
    answer: json(RouteSimulationView),
    failures: { 404: 'Model unknown' },
  })
  simulate(@Org() context: OrgContext, @Body() body: SimulateRouteBody): Promise<RouteSimulationView> {
    return this.simulations.simulate(context, body);
  }
}
