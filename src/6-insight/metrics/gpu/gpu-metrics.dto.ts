import { ListOf, Num, Str, Time } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';
import { WindowLength } from '../window-length';

export const DEFAULT_HOURS = 1;
const MAX_HOURS = 24;
export const DEFAULT_MINUTES = 60;
const MAX_MINUTES = 1_440;

/** Maximal GPUs of one node in a reply. */
export const MAX_GPUS = 128;
/** Maximal points of a history; a longer one is thinned out. */
export const MAX_POINTS = 10_000;

export class NodeGpusQuery extends PageQuery {
  @Str({ optional: true, max: 253 })
  node_name?: string;

  @WindowLength({ max: MAX_HOURS, default: DEFAULT_HOURS }, 'Window length: a GPU without a sample in it is left out')
  hours?: number;
}

export class GpuTimeseriesQuery {
  @Str()
  gpu_uuid!: string;

  @WindowLength({ max: MAX_MINUTES, default: DEFAULT_MINUTES })
  minutes?: number;
}

/** The values of a GPU at a time; null if they were not reported, or could not be measured. */
export class GpuTimeseriesPointView {
  @Time({ description: 'Time of the sample' })
  timestamp!: Date;

  @Num({ nullable: true, description: 'Percent' })
  gpu_utilization!: number | null;

  @Num({ nullable: true, description: 'MiB' })
  memory_free_mib!: number | null;

  @Num({ nullable: true, description: 'MiB' })
  memory_used_mib!: number | null;

  @Num({ nullable: true, description: 'Percent of the time in which memory was read or written' })
  memory_utilization!: number | null;

  @Str({ nullable: true, description: 'Namespace of the pod that held it' })
  namespace!: string | null;

  @Str({ nullable: true, description: 'The pod that held it; of several that share it, the first by name' })
  pod_name!: string | null;
}

export class GpuMetricView extends GpuTimeseriesPointView {
  @Str({ description: 'On its node; empty if unknown' })
  gpu_index!: string;

  @Str()
  gpu_uuid!: string;

  @Str({ description: 'Empty if unknown' })
  node_name!: string;

  @Num({ nullable: true, description: 'Watts' })
  power_watts!: number | null;

  @Num({ nullable: true, description: 'Degrees Celsius' })
  temperature_celsius!: number | null;

  @Str({ nullable: true })
  model_name!: string | null;
}

export class NodeGpuMetricsView {
  @Str({ description: 'Empty if unknown' })
  node_name!: string;

  @ListOf(() => GpuMetricView, { maxItems: MAX_GPUS, description: 'By index' })
  gpus!: GpuMetricView[];
}

export class GpuTimeseriesView {
  @Str({ description: 'On its node; empty if the GPU is unknown' })
  gpu_index!: string;

  @Str()
  gpu_uuid!: string;

  @Str({ description: 'Empty if the GPU is unknown' })
  node_name!: string;

  @Str({ nullable: true })
  model_name!: string | null;

  @ListOf(() => GpuTimeseriesPointView, { maxItems: MAX_POINTS, description: 'Oldest first' })
  data!: GpuTimeseriesPointView[];
}
