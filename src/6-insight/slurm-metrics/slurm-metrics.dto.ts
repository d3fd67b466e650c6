import { Int, Json, ListOf, Num, OneOf, Str } from '../../1-platform/common/fields/fields';
import { MAX_POINTS } from './slurm-metrics.history';

/** States that one answer holds at the most: Slurm has some twenty, and joins those of a node. */
const MAX_STATES = 1_000;

const Figure = (description: string) =>
  Num({ nullable: true, description: `${description}; null where nobody tells it` });
const Timestamp = (description = 'Unix seconds of the sample') => Int({ description });
const Newest = () => Timestamp('Unix seconds of the newest sample; 0 where there is none');

export class SlurmMetricView {
  @Int({ description: 'Of the series: one metric with one set of labels' })
  id!: number;

  @Str({ description: 'As it was told' })
  name!: string;

  @Timestamp()
  timestamp!: number;

  @Num({ nullable: true, description: 'Null for a gauge, and where it was looked at and had no value' })
  counter_value!: number | null;

  @Num({ nullable: true, description: 'Null for a counter, and where it was looked at and had no value' })
  gauge_value!: number | null;

  @OneOf(['gauge', 'counter'], { nullable: true })
  kind!: string | null;

  @Json({ description: 'An object of its labels', nullable: false })
  tags!: Record<string, string>;
}

export class SlurmOverviewView {
  @Newest()
  timestamp!: number;

  @Figure('Sum of the loads of the nodes')
  cpu_load!: number | null;

  @Figure('CPUs that no job has')
  cpus_idle!: number | null;

  @Figure('CPUs')
  cpus_total!: number | null;

  @Figure('Bytes that are allocated')
  mem_alloc!: number | null;

  @Figure('Bytes that are free')
  mem_free!: number | null;

  @Figure('Bytes that the nodes have')
  mem_real!: number | null;
}

export class SlurmStateView {
  @Str({ description: 'As sinfo names it, without the sign that may follow' })
  state!: string;

  @Num()
  value!: number;
}

export class SlurmStatesView {
  @Newest()
  timestamp!: number;

  @ListOf(() => SlurmStateView, { maxItems: MAX_STATES, description: 'By state' })
  cpus_by_state!: SlurmStateView[];

  @ListOf(() => SlurmStateView, { maxItems: MAX_STATES, description: 'By state; each node is in one' })
  nodes_by_state!: SlurmStateView[];
}

export class SlurmPartitionFiguresView {
  @Str()
  partition_name!: string;

  @Timestamp('Unix seconds of its newest sample')
  timestamp!: number;

  @Figure('Sum of the loads of its nodes')
  cpu_load!: number | null;

  @Figure('Bytes that are free')
  free_memory!: number | null;

  @Figure('CPUs that no job has')
  idle_cpus!: number | null;

  @Figure('Nodes in the state idle')
  idle_nodes!: number | null;

  @Figure('Bytes that its nodes have')
  real_memory!: number | null;

  @Figure('CPUs')
  total_cpus!: number | null;
}

export class SlurmPartitionNodesView {
  @Str()
  partition_name!: string;

  @Str({ description: 'As sinfo names it, without the sign that may follow' })
  state!: string;

  @Num({ description: 'Nodes; each is in one state' })
  count!: number;
}

export class TimeseriesPointView {
  @Timestamp()
  timestamp!: number;

  @Num()
  value!: number;
}

const Points = (description: string) => ListOf(() => TimeseriesPointView, { maxItems: MAX_POINTS, description });

export class SlurmPartitionHistoryView {
  @Str()
  partition_name!: string;

  @Points('Sum of the loads of its nodes')
  cpu_load!: TimeseriesPointView[];

  @Points('Bytes that are free')
  free_memory!: TimeseriesPointView[];
}

export class SlurmMemoryHistoryView {
  @Points('Bytes that are allocated')
  allocated_memory!: TimeseriesPointView[];

  @Points('Bytes that are free')
  free_memory!: TimeseriesPointView[];
}
