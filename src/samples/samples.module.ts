import { Module } from '@nestjs/common';
import { BacklogGuard, SampleBacklog } from './sample-backlog';
import { sampleMetricProviders, SampleMetrics } from './sample-metrics';
import { SamplePartitions } from './sample-partitions';
import { SamplesController } from './samples.controller';
import { SamplesIntake } from './samples-intake';
import { SamplesService } from './samples.service';

/** Metrics that come in. */
@Module({
  controllers: [SamplesController],
  providers: [
    SamplesService,
    SamplesIntake,
    SamplePartitions,
    SampleBacklog,
    BacklogGuard,
    SampleMetrics,
    ...sampleMetricProviders,
  ],
})
export class SamplesModule {}
