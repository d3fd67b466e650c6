import { Module } from '@nestjs/common';
import { MetricKinds } from './series/metric-kinds';
import { BacklogGuard, SampleBacklog } from './sample-backlog';
import { sampleMetricProviders, SampleMetrics } from './sample-metrics';
import { SamplePartitions } from './rows/sample-partitions';
import { SampleStore } from './rows/sample-store';
import { SamplesController } from './samples.controller';
import { SamplesIntake } from './samples-intake';
import { SamplesService } from './samples.service';
import { SeriesDirectory } from './series/series-directory';
import { SeriesRenewals } from './series/series-renewals';

/** Incoming metrics. */
@Module({
  controllers: [SamplesController],
  providers: [
    SamplesService,
    SamplesIntake,
    SeriesDirectory,
    SeriesRenewals,
    MetricKinds,
    SampleStore,
    SamplePartitions,
    SampleBacklog,
    BacklogGuard,
    SampleMetrics,
    ...sampleMetricProviders,
  ],
})
export class TimeSeriesModule {}
