import { Module } from '@nestjs/common';
import { AuthorizationsModule } from '../authorizations/authorizations.module';
import { CapacityIntentsModule } from '../capacity-intents/capacity-intents.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { ProfileLoads } from './profile-loads';
import { Refusals } from './refusals.service';
import { RoutesController } from './routes.controller';
import { RoutesService } from './routes.service';
import { RoutingService } from './routing.service';
import { RoutingTables } from './routing-tables.service';

@Module({
  imports: [AuthorizationsModule, CapacityIntentsModule, ProfilesModule],
  controllers: [RoutesController],
  providers: [RoutesService, RoutingTables, RoutingService, ProfileLoads, Refusals],
  exports: [RoutingTables, RoutingService, ProfileLoads, Refusals],
})
export class RoutesModule {}
