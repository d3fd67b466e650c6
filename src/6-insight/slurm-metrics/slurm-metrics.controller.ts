import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  SlurmMemoryHistoryView,
  SlurmMetricView,
  SlurmOverviewView,
  SlurmPartitionFiguresView,
  SlurmPartitionHistoryView,
  SlurmPartitionNodesView,
  SlurmStatesView,
  TimeseriesPointView,
} from './slurm-metrics.dto';
import { MAX_POINTS, STEP_S, WINDOW_HOURS } from './slurm-metrics.history';
import { SlurmMetricsService } from './slurm-metrics.service';

const NEWEST = `From the newest samples of the last ${WINDOW_HOURS} hours, over all Slurm clusters.`;
const HISTORY = `The last ${WINDOW_HOURS} hours, oldest first: at most one point every ${STEP_S} s, and at most ${MAX_POINTS}.`;

@ApiTags('slurm-metrics')
@Controller('v1/metrics/slurm')
export class SlurmMetricsController {
  constructor(private readonly metrics: SlurmMetricsService) {}

  @Get()
  @Operation({
    id: 'list_slurm_metrics',
    summary: 'List Slurm samples',
    description: `The newest sample of each series of the last ${WINDOW_HOURS} hours as reported, by name.`,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([SlurmMetricView]),
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<SlurmMetricView>> {
    return this.metrics.list(context, query);
  }

  @Get('overview')
  @Operation({
    id: 'get_slurm_overview',
    summary: 'Get cluster load',
    description: NEWEST,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(SlurmOverviewView),
  })
  overview(@Org() context: OrgContext): Promise<SlurmOverviewView> {
    return this.metrics.overview(context);
  }

  @Get('overview/state')
  @Operation({
    id: 'get_slurm_overview_state',
    summary: 'Get CPUs and nodes by state',
    description: `${NEWEST} States with a count of 0 are left out.`,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(SlurmStatesView),
  })
  states(@Org() context: OrgContext): Promise<SlurmStatesView> {
    return this.metrics.states(context);
  }

  @Get('partitions')
  @Operation({
    id: 'list_slurm_partitions',
    summary: 'List partitions',
    description: `${NEWEST} By name.`,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([SlurmPartitionFiguresView]),
  })
  partitions(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<SlurmPartitionFiguresView>> {
    return this.metrics.partitions(context, query);
  }

  @Get('partitions/nodes')
  @Operation({
    id: 'list_slurm_partition_nodes',
    summary: 'List node counts by partition and state',
    description: `${NEWEST} States without nodes are left out.`,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([SlurmPartitionNodesView]),
  })
  partitionNodes(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<SlurmPartitionNodesView>> {
    return this.metrics.partitionNodes(context, query);
  }

  @Get('partitions/:name/timeseries')
  @Operation({
    id: 'get_slurm_partition_timeseries',
    summary: 'Get the history of a partition',
    description: `${HISTORY} An unknown partition has none.`,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(SlurmPartitionHistoryView),
  })
  partitionHistory(
    @Org() context: OrgContext,
    @Param('name', TextParameter) name: string,
  ): Promise<SlurmPartitionHistoryView> {
    return this.metrics.partitionHistory(context, name);
  }

  @Get('timeseries/cpu-load')
  @Operation({
    id: 'list_slurm_cpu_load',
    summary: 'Get CPU load over time',
    description: HISTORY,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([TimeseriesPointView]),
  })
  cpuLoadHistory(@Org() context: OrgContext): Promise<TimeseriesPointView[]> {
    return this.metrics.cpuLoadHistory(context);
  }

  @Get('timeseries/memory')
  @Operation({
    id: 'get_slurm_memory_timeseries',
    summary: 'Get memory over time',
    description: HISTORY,
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(SlurmMemoryHistoryView),
  })
  memoryHistory(@Org() context: OrgContext): Promise<SlurmMemoryHistoryView> {
    return this.metrics.memoryHistory(context);
  }
}
