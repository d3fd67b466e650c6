import { Module } from '@nestjs/common';
import { CapacityIntentsModule } from '../capacity-intents/capacity-intents.module';
import { ProfileLoads } from './profile-loads';
import { RoutesController } from './routes.controller';
import { RoutesService } from './routes.service';
import { RoutingService } from './routing.service';
import { RoutingTables } from './routing-tables.service';

@Module({
  imports: [CapacityIntentsModule],
  controllers: [RoutesController],
  providers: [RoutesService, RoutingTables, RoutingService, ProfileLoads],
  exports: [RoutingTables, RoutingService, ProfileLoads],
})
export class RoutesModule {}
