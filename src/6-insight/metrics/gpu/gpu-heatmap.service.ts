import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { sliceOf } from '../../../1-platform/common/answers/paging';
import { invalidField } from '../../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { windowUpToNow } from '../metric-window.queries';
import { binsOfQuery } from './gpu-bins';
import {
  DEFAULT_HEATMAP_ROWS,
  type GpuHeatmapQuery,
  type GpuHeatmapRowView,
  type GpuHeatmapView,
  type GpuHolderView,
} from './gpu-heatmap.dto';
import { heatmapRows, type HeatmapRow } from './gpu-heatmap.queries';

@Injectable()
export class GpuHeatmapService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  get(context: OrgContext, query: GpuHeatmapQuery): Promise<GpuHeatmapView> {
    const { measure = 'mean', node_name: named, without_node: isUnnamed = false } = query;
    if (isUnnamed && named !== undefined) throw invalidField('without_node', 'must not stand beside node_name');
    // Of a series without a node, the name is empty.
    const nodeName = isUnnamed ? '' : named;
    return this.unitOfWork.read(context, async (tx) => {
      const bins = binsOfQuery(query, (await windowUpToNow(tx, 0)).to);
      const found = await heatmapRows(tx, bins, { nodeName, measure }, sliceOf(query, DEFAULT_HEATMAP_ROWS));
      const holders = new Holders();
      return {
        from: bins.from,
        until: bins.until,
        bins: bins.bins,
        bin_seconds: bins.binMs / 1_000,
        measure,
        samples_per_bin: bins.samplesPerBin,
        total_rows: found[0]?.found ?? 0,
        rows: found.map((row) => rowView(row, bins.bins, holders)),
        holders: holders.all,
      };
    });
  }
}

/** Pods, each once. */
class Holders {
  readonly all: GpuHolderView[] = [];
  private readonly places = new Map<string, number>();

  placeOf(holder: GpuHolderView): number {
    const key = JSON.stringify([holder.namespace, holder.pod_name, holder.pod_uid]);
    const place = this.places.get(key) ?? this.all.push(holder) - 1;
    this.places.set(key, place);
    return place;
  }
}

function rowView({ cells, found: _found, ...row }: HeatmapRow, bins: number, holders: Holders): GpuHeatmapRowView {
  const view: GpuHeatmapRowView = {
    ...row,
    reported: Array<number>(bins).fill(0),
    utilization: Array<number | null>(bins).fill(null),
    memory_used: Array<number | null>(bins).fill(null),
    pods: Array<number>(bins).fill(0),
    holder: Array<number | null>(bins).fill(null),
  };
  for (const [bin, utilization, memoryUsed, gpus, pods, namespace, podName, podUid] of cells) {
    view.reported[bin] = gpus;
    view.utilization[bin] = utilization;
    view.memory_used[bin] = memoryUsed;
    view.pods[bin] = pods;
    if (podName !== null) view.holder[bin] = holders.placeOf({ namespace, pod_name: podName, pod_uid: podUid });
  }
  return view;
}
