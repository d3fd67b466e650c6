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
import { PolicyRetention } from './retention/policy-retention';
import { RetentionMetrics, retentionMetricProviders } from './retention/retention-metrics';
import { ScheduleController } from './schedule/schedule.controller';
import { ScheduleService } from './schedule/schedule.service';

@Module({
  imports: [CheckpointsModule, ClustersModule],
  controllers: [ScheduleController, PreviewController, PoliciesController],
  providers: [
    PoliciesService,
    ScheduleService,
    PreviewService,
    PolicyBeats,
    PolicyCompletion,
    PolicyMonitoring,
    PolicyRetention,
    RetentionMetrics,
    ...retentionMetricProviders,
  ],
  exports: [PolicyCompletion, PolicyMonitoring, PolicyRetention],
})
export class PoliciesModule {}
