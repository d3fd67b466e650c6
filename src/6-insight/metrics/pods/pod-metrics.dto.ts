import { Int, Num, Str, Time } from '../../../1-platform/common/fields/fields';
import { WindowLength } from '../window-length';

export const DEFAULT_HOURS = 1;
const MAX_HOURS = 168;
export const DEFAULT_ROWS = 100;
const MAX_ROWS = 1_000;
export const DEFAULT_TOP = 10;
const MAX_TOP = 100;

export class PodMetricsQuery {
  @Str({ optional: true, max: 253, description: 'Kubernetes uid' })
  pod_uid?: string;

  @Str({ optional: true, max: 253 })
  node_name?: string;

  @Int({
    query: true,
    optional: true,
    format: null,
    min: 1,
    max: MAX_ROWS,
    showMax: true,
    default: DEFAULT_ROWS,
    description: 'Maximal samples',
  })
  limit?: number;

  @WindowLength({ max: MAX_HOURS, default: DEFAULT_HOURS })
  hours?: number;
}

export class TopPodsQuery {
  @Int({ query: true, optional: true, min: 1, max: MAX_TOP, showMax: true, default: DEFAULT_TOP })
  limit?: number;
}

class PodFigures {
  @Str({ description: 'Empty if unknown' })
  pod_uid!: string;

  @Str({ description: 'Empty if unknown' })
  node_name!: string;

  @Num({ description: 'CPU seconds that it has used since it started; 0 if unknown' })
  cpu_usage_seconds!: number;

  @Num({ description: 'Working set in bytes; 0 if unknown' })
  memory_bytes!: number;

  @Str({ nullable: true })
  namespace!: string | null;

  @Str({ nullable: true })
  pod_name!: string | null;
}

export class PodTopView extends PodFigures {
  @Num({
    nullable: true,
    description: 'CPU cores that it kept busy in the last minute of its samples; null if that is not known',
  })
  cpu_cores!: number | null;
}

export class PodMetricView extends PodFigures {
  @Time({ description: 'Time of the sample' })
  timestamp!: Date;

  @Str({ nullable: true, example: 'ReplicaSet' })
  owner_kind!: string | null;

  @Str({ nullable: true })
  owner_name!: string | null;
}
