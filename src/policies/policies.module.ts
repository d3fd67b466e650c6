import { Module } from '@nestjs/common';
import { CheckpointsModule } from '../checkpoints/checkpoints.module';
import { ClustersModule } from '../clusters/clusters.module';
import { PoliciesController } from './policies.controller';
import { PoliciesService } from './policies.service';
import { PolicyBeats } from './policy-beats';

@Module({
  imports: [CheckpointsModule, ClustersModule],
  controllers: [PoliciesController],
  providers: [PoliciesService, PolicyBeats],
})
export class PoliciesModule {}
