import { ListOf, NamePart, Str, Time } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';

/** Maximal values in a reply; a node with more shows this many. */
export const MAX_DETAILS = 20_000;

/** Metrics in one parameter. */
export const MAX_METRICS = 50;

export class K8DetailsQuery extends PageQuery {
  @Str({ optional: true, max: 253, description: 'Only this node' })
  name?: string;

  @Str({
    optional: true,
    max: 253,
    example: 'filesystem',
    description: 'Only this collector, as the exporter names it',
  })
  collector_type?: string;

  @NamePart('the name of the node')
  name_part?: string;

  @Str({
    optional: true,
    max: 8_192,
    example: 'node_load1,node_memory_MemTotal_bytes',
    description: `Only these metrics, at most ${MAX_METRICS}, separated by commas`,
  })
  metric_names?: string;
}

/** Empty if the value has no such label. */
export class K8MetricDetailView {
  @Str({ example: 'cpu' })
  collector!: string;

  @Str({ example: '0' })
  cpu_core!: string;

  @Str({ example: 'idle' })
  cpu_mode!: string;

  @Str({ description: 'Device of the value', example: '/dev/nvme0n1p1' })
  filesystem!: string;

  @Str({ example: 'node_cpu_seconds_total' })
  metric_name!: string;

  @Str({ example: '/' })
  mountpoint!: string;

  @Str({ description: 'Labels that no other member shows', example: 'device=eth0' })
  resource!: string;

  @Time({ description: 'Time of the sample' })
  timestamp!: Date;

  @Str({ description: 'A number', example: '62.25' })
  value!: string;
}

export class K8MetricView {
  @Str({ description: 'Of the node; empty if unknown' })
  name!: string;

  @ListOf(() => K8MetricDetailView, {
    maxItems: MAX_DETAILS,
    description: 'By metric; empty for a node that is silent now',
  })
  details!: K8MetricDetailView[];
}
