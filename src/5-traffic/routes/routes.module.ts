import { Module } from '@nestjs/common';
import { AdmissionsModule } from '../admissions/admissions.module';
import { CapacityIntentsModule } from '../../4-serving/capacity-intents/capacity-intents.module';
import { ProfileLoads } from './choice/profile-loads';
import { Refusals } from './choice/refusals.service';
import { RouteTargets } from './route-targets';
import { RouteStateController } from './state/route-state.controller';
import { RoutesController } from './routes.controller';
import { RoutesService } from './routes.service';
import { RoutingService } from './choice/routing.service';
import { RoutingTables } from './choice/routing-tables.service';
import { WaitingRooms } from './choice/waiting-requests';
import { WorkerSeats } from './choice/workers/worker-seats';

@Module({
  imports: [AdmissionsModule, CapacityIntentsModule],
  controllers: [RoutesController, RouteStateController],
  providers: [
    RoutesService,
    RouteTargets,
    RoutingTables,
    RoutingService,
    ProfileLoads,
    WorkerSeats,
    Refusals,
    WaitingRooms,
  ],
  exports: [RouteTargets, RoutingTables, RoutingService, ProfileLoads, WorkerSeats, Refusals, WaitingRooms],
})
export class RoutesModule {}
