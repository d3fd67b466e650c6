import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import type { Page } from '../../../1-platform/common/answers/paging';
import {
  GpuTimeseriesQuery,
  GpuTimeseriesView,
  MAX_POINTS,
  NodeGpuMetricsView,
  NodeGpusQuery,
} from './gpu-metrics.dto';
import { GpuMetricsService } from './gpu-metrics.service';

@ApiTags('metrics')
@Controller('v1/metrics/gpu')
export class GpuMetricsController {
  constructor(private readonly gpus: GpuMetricsService) {}

  @Get()
  @Operation({
    id: 'list_gpu_metrics',
    summary: 'List GPU samples by node',
    description: 'The newest sample of each GPU in the window. Earlier ones are in its history.',
    access: 'read',
    work: 'heavy',
    answer: json([NodeGpuMetricsView]),
  })
  nodes(@Org() context: OrgContext, @Query() query: NodeGpusQuery): Promise<Page<NodeGpuMetricsView>> {
    return this.gpus.nodes(context, query);
  }

  @Get('timeseries')
  @Operation({
    id: 'get_gpu_timeseries',
    summary: 'Get the history of one GPU',
    description: `Every sample of the window, up to ${MAX_POINTS} spread over it. An unknown GPU has none.`,
    access: 'read',
    work: 'heavy',
    answer: json(GpuTimeseriesView),
  })
  timeseries(@Org() context: OrgContext, @Query() query: GpuTimeseriesQuery): Promise<GpuTimeseriesView> {
    return this.gpus.timeseries(context, query);
  }
}
