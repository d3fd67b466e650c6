import { Module } from '@nestjs/common';
import { MetricKinds } from './metric-kinds';
import { BacklogGuard, SampleBacklog } from './sample-backlog';
import { sampleMetricProviders, SampleMetrics } from './sample-metrics';
import { SamplePartitions } from './sample-partitions';
import { SampleStore } from './sample-store';
import { SamplesController } from './samples.controller';
import { SamplesIntake } from './samples-intake';
import { SamplesService } from './samples.service';
import { SeriesDirectory } from './series-directory';

/** Metrics that come in. */
@Module({
  controllers: [SamplesController],
  providers: [
    SamplesService,
    SamplesIntake,
    SeriesDirectory,
    MetricKinds,
    SampleStore,
    SamplePartitions,
    SampleBacklog,
    BacklogGuard,
    SampleMetrics,
    ...sampleMetricProviders,
  ],
})
export class SamplesModule {}
