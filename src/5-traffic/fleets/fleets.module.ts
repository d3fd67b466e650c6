import { Module } from '@nestjs/common';
import { CapacityIntentsModule } from '../../4-serving/capacity-intents/capacity-intents.module';
import { ProfilesModule } from '../../4-serving/profiles/profiles.module';
import { FleetsController } from './fleets.controller';
import { FleetsService } from './fleets.service';

@Module({
  imports: [ProfilesModule, CapacityIntentsModule],
  controllers: [FleetsController],
  providers: [FleetsService],
})
export class FleetsModule {}
