import { Module } from '@nestjs/common';
import { ProfilesModule } from '../../4-serving/profiles/profiles.module';
import { FleetBudgets } from './fleet-budgets';
import { FleetsController } from './fleets.controller';
import { FleetsService } from './fleets.service';

@Module({
  imports: [ProfilesModule],
  controllers: [FleetsController],
  providers: [FleetsService, FleetBudgets],
  exports: [FleetBudgets],
})
export class FleetsModule {}
