import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
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
import { GpuHeatmapQuery, GpuHeatmapView, MAX_SPREAD } from './gpu-heatmap.dto';
import { GpuHeatmapService } from './gpu-heatmap.service';
import { GpuMetricsService } from './gpu-metrics.service';

@ApiTags('metrics')
@Controller('v1/metrics/gpu')
export class GpuMetricsController {
  constructor(
    private readonly gpus: GpuMetricsService,
    private readonly heatmaps: GpuHeatmapService,
  ) {}

  @Get()
  @Operation({
    id: 'list_gpu_metrics',
    summary: 'List GPU samples by node',
    description: 'The newest sample of each GPU in the window. Earlier ones are in its history.',
    access: 'read',
    mayLag: true,
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
    mayLag: true,
    work: 'heavy',
    answer: json(GpuTimeseriesView),
  })
  timeseries(@Org() context: OrgContext, @Query() query: GpuTimeseriesQuery): Promise<GpuTimeseriesView> {
    return this.gpus.timeseries(context, query);
  }

  @Get('heatmap')
  @Operation({
    id: 'get_gpu_heatmap',
    summary: 'Get the use of GPUs over time, by node or by GPU',
    description:
      'A row for each node, or for each GPU of one node, and equal bins of time. Rows without a sample in the ' +
      'window are left out. Of a window of more than 2 hours, or 6 of one node, at most ' +
      `${MAX_SPREAD} samples of each metric of a GPU are read, spread over it: a peak between them is missed.`,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(GpuHeatmapView),
  })
  heatmap(@Org() context: OrgContext, @Query() query: GpuHeatmapQuery): Promise<GpuHeatmapView> {
    return this.heatmaps.get(context, query);
  }
}
