import { Module } from '@nestjs/common';
import { CapacityIntentsModule } from '../capacity-intents/capacity-intents.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { FleetsController } from './fleets.controller';
import { FleetsService } from './fleets.service';

@Module({
  imports: [ProfilesModule, CapacityIntentsModule],
  controllers: [FleetsController],
  providers: [FleetsService],
})
export class FleetsModule {}
