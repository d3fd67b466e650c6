import { Module } from '@nestjs/common';
import { ActivationsModule } from '../activations/activations.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { CapacityIntentsController } from './capacity-intents.controller';
import { CapacityIntentsService } from './capacity-intents.service';

@Module({
  imports: [ProfilesModule, ActivationsModule],
  controllers: [CapacityIntentsController],
  providers: [CapacityIntentsService],
  exports: [CapacityIntentsService],
})
export class CapacityIntentsModule {}
