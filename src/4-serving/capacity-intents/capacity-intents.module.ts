import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { CapacityIntentsController } from './capacity-intents.controller';
import { CapacityIntentsService } from './capacity-intents.service';
import { IntentVerdicts } from './intent-verdicts';

@Module({
  imports: [ProfilesModule],
  controllers: [CapacityIntentsController],
  providers: [CapacityIntentsService, IntentVerdicts],
  exports: [CapacityIntentsService, IntentVerdicts],
})
export class CapacityIntentsModule {}
