import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import {
  AnalyticsView,
  CompareStartsQuery,
  CorrelationQuery,
  CorrelationView,
  StartupComparisonView,
  StorageSummaryView,
} from './analytics.dto';
import { AnalyticsService } from './analytics.service';
import { ReportQuery } from './report-query.dto';
import { UsageBucketView, UsageSeriesQuery } from './usage-series.dto';

@ApiTags('analytics')
@Controller('v1/inference')
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Get('analytics')
  @Operation({
    id: 'get_analytics',
    summary: 'Get serving, start and storage figures',
    description: 'Covers the hours up to now. Medians use the nearest rank.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(AnalyticsView),
  })
  get(@Org() context: OrgContext, @Query() query: ReportQuery): Promise<AnalyticsView> {
    return this.analytics.get(context, query);
  }

  @Get('usage/series')
  @Operation({
    id: 'list_usage_series',
    summary: 'List usage buckets, oldest first',
    description: 'Including empty buckets. Together they cover the window, to the millisecond.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([UsageBucketView]),
  })
  usageSeries(@Org() context: OrgContext, @Query() query: UsageSeriesQuery): Promise<UsageBucketView[]> {
    return this.analytics.usageSeries(context, query);
  }

  @Get('startup-comparison')
  @Operation({
    id: 'list_startup_comparisons',
    summary: 'Compare cold and restored starts of each profile',
    description: 'Measured on real workers, from their scheduling until they were ready.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([StartupComparisonView]),
  })
  compareStarts(@Org() context: OrgContext, @Query() query: CompareStartsQuery): Promise<Page<StartupComparisonView>> {
    return this.analytics.compareStarts(context, query);
  }

  @Get('storage/summary')
  @Operation({
    id: 'get_storage_summary',
    summary: 'Get artifact storage by tier',
    description: 'During a pending promotion, the bytes count on the old tier.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(StorageSummaryView),
  })
  storage(@Org() context: OrgContext): Promise<StorageSummaryView> {
    return this.analytics.storage(context);
  }

  @Get('correlation')
  @Operation({
    id: 'get_correlation',
    summary: 'Get everything linked to an experiment',
    description:
      'Usage, intents, phases, observations and routing decisions that belong to the experiment or to its profile in its time.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(CorrelationView),
    failures: { 404: 'Experiment unknown' },
  })
  correlate(@Org() context: OrgContext, @Query() query: CorrelationQuery): Promise<CorrelationView> {
    return this.analytics.correlate(context, query);
  }
}
