import { Module } from '@nestjs/common';
import { SpendingModule } from '../spending/spending.module';
import { CapacityIntentsModule } from '../../4-serving/capacity-intents/capacity-intents.module';
import { ProfileLoads } from './choice/profile-loads';
import { Refusals } from './choice/refusals.service';
import { RouteTargets } from './route-targets';
import { RoutesController } from './routes.controller';
import { RoutesService } from './routes.service';
import { RoutingService } from './choice/routing.service';
import { RoutingTables } from './choice/routing-tables.service';
import { WaitingRooms } from './choice/waiting-requests';

@Module({
  imports: [SpendingModule, CapacityIntentsModule],
  controllers: [RoutesController],
  providers: [RoutesService, RouteTargets, RoutingTables, RoutingService, ProfileLoads, Refusals, WaitingRooms],
  exports: [RouteTargets, RoutingTables, RoutingService, ProfileLoads, Refusals, WaitingRooms],
})
export class RoutesModule {}
