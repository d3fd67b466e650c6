import { Module } from '@nestjs/common';
import { CheckpointsModule } from '../checkpoints/checkpoints.module';
import { ClustersModule } from '../../2-inventory/clusters/clusters.module';
import { PoliciesController } from './policies.controller';
import { PoliciesService } from './policies.service';
import { PolicyBeats } from './beats/policy-beats';
import { PolicyCompletion } from './beats/policy-completion';
import { PolicyMonitoring } from './policy-monitoring';

@Module({
  imports: [CheckpointsModule, ClustersModule],
  controllers: [PoliciesController],
  providers: [PoliciesService, PolicyBeats, PolicyCompletion, PolicyMonitoring],
  exports: [PolicyCompletion, PolicyMonitoring],
})
export class PoliciesModule {}
