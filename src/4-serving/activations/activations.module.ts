import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { ActivationsController } from './activations.controller';
import { ActivationsService } from './activations.service';
import { WorkerEndpointsController } from './worker-endpoints/worker-endpoints.controller';

@Module({
  imports: [ProfilesModule],
  controllers: [ActivationsController, WorkerEndpointsController],
  providers: [ActivationsService],
  exports: [ActivationsService],
})
export class ActivationsModule {}
