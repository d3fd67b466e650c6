import { Bool, Int, Integers, ListOf, Num, Numbers, OneOf, Str, Time } from '../../../1-platform/common/fields/fields';
import { WindowLength } from '../window-length';

export const DEFAULT_HEATMAP_HOURS = 6;
export const MAX_HEATMAP_HOURS = 168;
export const DEFAULT_BINS = 96;
/** Samples of a series that are read in a long window. Each bin has at least one. */
export const MAX_SPREAD = 192;
const MAX_BINS = MAX_SPREAD;
export const DEFAULT_HEATMAP_ROWS = 20;
export const MAX_HEATMAP_ROWS = 64;

export const HEATMAP_MEASURES = ['mean', 'max'] as const;
export type HeatmapMeasure = (typeof HEATMAP_MEASURES)[number];

export class GpuHeatmapQuery {
  @Str({
    optional: true,
    max: 253,
    description: 'Rows are the GPUs of this node instead of nodes',
  })
  node_name?: string;

  @Bool({
    query: true,
    optional: true,
    description: 'Rows are the GPUs that were reported without a node; not together with node_name',
  })
  without_node?: boolean;

  @OneOf(HEATMAP_MEASURES, {
    optional: true,
    default: 'mean',
    description: 'mean: over the samples of a bin, and over the GPUs of a node; max: the largest of them',
  })
  measure?: HeatmapMeasure;

  @WindowLength({ max: MAX_HEATMAP_HOURS, default: DEFAULT_HEATMAP_HOURS }, 'Length of a window without `from`')
  hours?: number;

  @Time({ optional: true, description: 'Beginning of the first bin' })
  from?: string;

  @Time({ optional: true, description: 'End of the last bin; by default the end of the current bin' })
  until?: string;

  @Int({
    query: true,
    optional: true,
    format: null,
    min: 1,
    max: MAX_BINS,
    showMax: true,
    default: DEFAULT_BINS,
    description: 'Equal parts of the window',
  })
  bins?: number;

  @Int({
    query: true,
    optional: true,
    format: null,
    min: 1,
    max: MAX_HEATMAP_ROWS,
    showMax: true,
    default: DEFAULT_HEATMAP_ROWS,
    description: 'Maximal rows',
  })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Rows to skip' })
  offset?: number;
}

export class GpuHolderView {
  @Str({ nullable: true })
  namespace!: string | null;

  @Str()
  pod_name!: string;

  @Str({ nullable: true, description: 'Kubernetes uid, if the samples name it' })
  pod_uid!: string | null;
}

/** Each array has a member for each bin. */
export class GpuHeatmapRowView {
  @Str({ description: 'Empty if unknown' })
  node_name!: string;

  @Str({ nullable: true, description: 'Null if the row is a node' })
  gpu_uuid!: string | null;

  @Str({ nullable: true, description: 'On its node; empty if unknown, null if the row is a node' })
  gpu_index!: string | null;

  @Str({ nullable: true, description: 'Null if unknown, or if the GPUs of the node differ' })
  model_name!: string | null;

  @Int({ format: null, description: 'GPUs of the row that reported anything in the window' })
  gpus!: number;

  @Integers({ description: 'GPUs that reported anything in the bin' })
  reported!: number[];

  @Numbers({ nullableItems: true, description: 'Percent; null if nothing was reported' })
  utilization!: (number | null)[];

  @Numbers({
    nullableItems: true,
    description: 'Percent of the memory that was used; of a shared GPU (MIG), over its instances; null if not reported',
  })
  memory_used!: (number | null)[];

  @Integers({ description: 'Pods that held the GPU in the bin; 0 if the row is a node' })
  pods!: number[];

  @Integers({
    nullableItems: true,
    description: 'Position in `holders` of the pod that held the GPU for most samples of the bin; null without one',
  })
  holder!: (number | null)[];
}

export class GpuHeatmapView {
  @Time({ description: 'Beginning of the first bin' })
  from!: Date;

  @Time({ description: 'End of the last bin' })
  until!: Date;

  @Int({ format: null })
  bins!: number;

  @Num({ description: 'Length of a bin in seconds' })
  bin_seconds!: number;

  @OneOf(HEATMAP_MEASURES)
  measure!: HeatmapMeasure;

  @Int({
    format: null,
    nullable: true,
    description: 'Samples of a metric that are read in each bin, at most, spread over it; null: all are read',
  })
  samples_per_bin!: number | null;

  @Int({ description: 'Rows of all pages: nodes, or GPUs of the node' })
  total_rows!: number;

  @ListOf(() => GpuHeatmapRowView, {
    maxItems: MAX_HEATMAP_ROWS,
    description: 'By name of the node, or index of the GPU',
  })
  rows!: GpuHeatmapRowView[];

  @ListOf(() => GpuHolderView, {
    maxItems: MAX_HEATMAP_ROWS * MAX_BINS,
    description: 'Pods that held a GPU of the rows',
  })
  holders!: GpuHolderView[];
}
