import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import { PodMetricsQuery, PodMetricView, PodTopView, TopPodsQuery } from './pod-metrics.dto';
import { PodMetricsService } from './pod-metrics.service';

const CURRENT = 'The newest sample of each pod that was reported in the last 5 minutes; largest first.';

@ApiTags('metrics')
@Controller('v1/metrics/pods')
export class PodMetricsController {
  constructor(private readonly pods: PodMetricsService) {}

  @Get()
  @Operation({
    id: 'list_pod_metrics',
    summary: 'List pod utilisation samples',
    description: 'Newest first. A pod shows what was measured of it as a whole, else the sum over its containers.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([PodMetricView]),
  })
  list(@Org() context: OrgContext, @Query() query: PodMetricsQuery): Promise<PodMetricView[]> {
    return this.pods.list(context, query);
  }

  @Get('top/cpu')
  @Operation({
    id: 'list_top_cpu_pods',
    summary: 'List pods by CPU use',
    description: CURRENT,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([PodTopView]),
  })
  topCpu(@Org() context: OrgContext, @Query() query: TopPodsQuery): Promise<PodTopView[]> {
    return this.pods.top(context, 'cpu', query);
  }

  @Get('top/memory')
  @Operation({
    id: 'list_top_memory_pods',
    summary: 'List pods by memory use',
    description: CURRENT,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([PodTopView]),
  })
  topMemory(@Org() context: OrgContext, @Query() query: TopPodsQuery): Promise<PodTopView[]> {
    return this.pods.top(context, 'memory', query);
  }
}
