import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Page, sliceOf, type PageQuery } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import type {
  SlurmMemoryHistoryView,
  SlurmMetricView,
  SlurmOverviewView,
  SlurmPartitionFiguresView,
  SlurmPartitionHistoryView,
  SlurmPartitionNodesView,
  SlurmStatesView,
  SlurmStateView,
  TimeseriesPointView,
} from './slurm-metrics.dto';
import {
  byPartition,
  CPUS_BY_STATE,
  figureOf,
  idleCpusOf,
  metricsOf,
  NODES_BY_STATE,
  OVERVIEW,
  PARTITION,
  PARTITION_NODES,
  statesOf,
  timestampOf,
  type Sources,
} from './slurm-metrics.figures';
import { HOUR_MS, windowUpToNow } from '../metrics/metric-window.queries';
import { pointsOf, WINDOW_HOURS, type Moment } from './slurm-metrics.history';
import { historyOf, listNewest, newestFigures, type SlurmSeriesRow } from './slurm-metrics.queries';

/** Figures of Slurm clusters, from either reporter: see `slurm-metrics.figures.ts`. */
@Injectable()
export class SlurmMetricsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<SlurmMetricView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) =>
      (await listNewest(tx, await lastDay(tx), slice)).map(metricView),
    );
  }

  overview(context: OrgContext): Promise<SlurmOverviewView> {
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await newestFigures(tx, await lastDay(tx), metricsOf(Object.values(OVERVIEW)));
      return {
        timestamp: timestampOf(rows),
        cpu_load: figureOf(rows, OVERVIEW.cpu_load),
        cpus_idle: figureOf(rows, OVERVIEW.cpus_idle),
        cpus_total: figureOf(rows, OVERVIEW.cpus_total),
        mem_alloc: figureOf(rows, OVERVIEW.mem_alloc),
        mem_free: figureOf(rows, OVERVIEW.mem_free),
        mem_real: figureOf(rows, OVERVIEW.mem_real),
      };
    });
  }

  states(context: OrgContext): Promise<SlurmStatesView> {
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await newestFigures(tx, await lastDay(tx), metricsOf([CPUS_BY_STATE, NODES_BY_STATE]));
      return {
        timestamp: timestampOf(rows),
        cpus_by_state: stateViews(statesOf(rows, CPUS_BY_STATE)),
        nodes_by_state: stateViews(statesOf(rows, NODES_BY_STATE)),
      };
    });
  }

  partitions(context: OrgContext, query: PageQuery): Promise<Page<SlurmPartitionFiguresView>> {
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await newestFigures(
        tx,
        await lastDay(tx),
        metricsOf([...Object.values(PARTITION), PARTITION_NODES]),
      );
      const partitions = byPartition(rows).map(([name, reported]): SlurmPartitionFiguresView => {
        const states = statesOf(reported, PARTITION_NODES);
        return {
          partition_name: name,
          timestamp: timestampOf(reported),
          cpu_load: figureOf(reported, PARTITION.cpu_load),
          free_memory: figureOf(reported, PARTITION.free_memory),
          idle_cpus: idleCpusOf(reported),
          idle_nodes: states && (states.get('idle') ?? 0),
          real_memory: figureOf(reported, PARTITION.real_memory),
          total_cpus: figureOf(reported, PARTITION.total_cpus),
        };
      });
      return pageOf(partitions, query);
    });
  }

  partitionNodes(context: OrgContext, query: PageQuery): Promise<Page<SlurmPartitionNodesView>> {
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await newestFigures(tx, await lastDay(tx), metricsOf([PARTITION_NODES]));
      const counts = byPartition(rows).flatMap(([name, reported]) =>
        [...(statesOf(reported, PARTITION_NODES) ?? [])].map(([state, count]) => ({
          partition_name: name,
          state,
          count,
        })),
      );
      return pageOf(counts, query);
    });
  }

  async partitionHistory(context: OrgContext, name: string): Promise<SlurmPartitionHistoryView> {
    const [load, memory] = await this.history(context, [PARTITION.cpu_load, PARTITION.free_memory], name);
    return { partition_name: name, cpu_load: load ?? [], free_memory: memory ?? [] };
  }

  async cpuLoadHistory(context: OrgContext): Promise<TimeseriesPointView[]> {
    const [load] = await this.history(context, [OVERVIEW.cpu_load]);
    return load ?? [];
  }

  async memoryHistory(context: OrgContext): Promise<SlurmMemoryHistoryView> {
    const [allocated, free] = await this.history(context, [OVERVIEW.mem_alloc, OVERVIEW.mem_free]);
    return { allocated_memory: allocated ?? [], free_memory: free ?? [] };
  }

  /** @returns the points of each figure */
  private async history(
    context: OrgContext,
    figures: readonly Sources[],
    partition: string | null = null,
  ): Promise<TimeseriesPointView[][]> {
    const moments: Moment[] = await this.unitOfWork.read(context, async (tx) =>
      historyOf(tx, await lastDay(tx), metricsOf(figures), partition),
    );
    return figures.map((sources) => pointsOf(moments, sources));
  }
}

const lastDay = (tx: Tx) => windowUpToNow(tx, WINDOW_HOURS * HOUR_MS);

/** Of values that were read completely, because they are added up. */
function pageOf<T>(rows: readonly T[], query: PageQuery): Page<T> {
  const slice = sliceOf(query);
  return Page.of(rows.slice(slice.offset, slice.offset + slice.limit + 1), slice);
}

const stateViews = (states: ReadonlyMap<string, number> | null): SlurmStateView[] =>
  [...(states ?? [])].map(([state, value]) => ({ state, value }));

function metricView({ id, name, kind, partition, state, node_name, labels, sampled_at, value }: SlurmSeriesRow) {
  const columns = Object.entries({ partition, state, node: node_name }).filter(([, value]) => value !== null);
  return {
    id,
    name,
    timestamp: Math.floor(sampled_at.getTime() / 1_000),
    counter_value: kind === 'counter' ? value : null,
    gauge_value: kind === 'gauge' ? value : null,
    kind,
    tags: { ...labels, ...(Object.fromEntries(columns) as Record<string, string>) },
  };
}
