import { ListOf, Str, Time } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';

/** Values that an answer holds; a node with more shows as many. */
export const MAX_DETAILS = 20_000;

export class K8DetailsQuery extends PageQuery {
  @Str({ optional: true, max: 253, description: 'Of a node' })
  name?: string;

  @Str({ optional: true, max: 253, example: 'filesystem', description: 'Collector, as the exporter names it' })
  collector_type?: string;
}

/** Empty is what a value is not of. */
export class K8MetricDetailView {
  @Str({ example: 'cpu' })
  collector!: string;

  @Str({ example: '0' })
  cpu_core!: string;

  @Str({ example: 'idle' })
  cpu_mode!: string;

  @Str({ description: 'Device that it is on', example: '/dev/nvme0n1p1' })
  filesystem!: string;

  @Str({ example: 'node_cpu_seconds_total' })
  metric_name!: string;

  @Str({ example: '/' })
  mountpoint!: string;

  @Str({ description: 'What else it is of: labels that no other member shows', example: 'device=eth0' })
  resource!: string;

  @Time({ description: 'Of the sample' })
  timestamp!: Date;

  @Str({ description: 'A number', example: '62.25' })
  value!: string;
}

export class K8MetricView {
  @Str({ description: 'Of the node; empty where nobody told' })
  name!: string;

  @ListOf(() => K8MetricDetailView, {
    maxItems: MAX_DETAILS,
    description: 'By their metric; none of a node that is silent now',
  })
  details!: K8MetricDetailView[];
}
