import { Module } from '@nestjs/common';
import { CheckpointsModule } from '../checkpoints/checkpoints.module';
import { ClustersModule } from '../../2-inventory/clusters/clusters.module';
import { PoliciesController } from './policies.controller';
import { PoliciesService } from './policies.service';
import { PolicyBeats } from './beats/policy-beats';
import { PolicyCompletion } from './beats/policy-completion';
import { PolicyMonitoring } from './policy-monitoring';
import { PreviewController } from './preview/preview.controller';
import { PreviewService } from './preview/preview.service';
import { ScheduleController } from './schedule/schedule.controller';
import { ScheduleService } from './schedule/schedule.service';

@Module({
  imports: [CheckpointsModule, ClustersModule],
  controllers: [ScheduleController, PreviewController, PoliciesController],
  providers: [PoliciesService, ScheduleService, PreviewService, PolicyBeats, PolicyCompletion, PolicyMonitoring],
  exports: [PolicyCompletion, PolicyMonitoring],
})
export class PoliciesModule {}
