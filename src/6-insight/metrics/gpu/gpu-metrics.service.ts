import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { Page, sliceOf } from '../../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import {
  DEFAULT_HOURS,
  DEFAULT_MINUTES,
  type GpuTimeseriesQuery,
  type GpuTimeseriesView,
  type NodeGpuMetricsView,
  type NodeGpusQuery,
} from './gpu-metrics.dto';
import { gpuIdentity, gpuPoints, gpusOfNodes } from './gpu-metrics.queries';
import { HOUR_MS, windowUpToNow } from '../metric-window.queries';

@Injectable()
export class GpuMetricsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  nodes(context: OrgContext, query: NodeGpusQuery): Promise<Page<NodeGpuMetricsView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const window = await windowUpToNow(tx, (query.hours ?? DEFAULT_HOURS) * HOUR_MS);
      const nodes = new Map<string, NodeGpuMetricsView>();
      for (const { nth_node: _node, nth_gpu: _gpu, ...gpu } of await gpusOfNodes(tx, window, query.node_name, slice)) {
        const node = nodes.get(gpu.node_name) ?? { node_name: gpu.node_name, gpus: [] };
        node.gpus.push(gpu);
        nodes.set(gpu.node_name, node);
      }
      return Page.of([...nodes.values()], slice);
    });
  }

  timeseries(context: OrgContext, query: GpuTimeseriesQuery): Promise<GpuTimeseriesView> {
    const { gpu_uuid: gpuUuid, minutes = DEFAULT_MINUTES } = query;
    return this.unitOfWork.read(context, async (tx) => {
      const known = await gpuIdentity(tx, gpuUuid);
      if (!known) return { gpu_index: '', gpu_uuid: gpuUuid, node_name: '', model_name: null, data: [] };
      const data = await gpuPoints(tx, await windowUpToNow(tx, (minutes / 60) * HOUR_MS), gpuUuid);
      return { ...known, gpu_uuid: gpuUuid, data };
    });
  }
}
