import { Int, Json, ListOf, Num, OneOf, Str } from '../../1-platform/common/fields/fields';
import { MAX_POINTS } from './slurm-metrics.history';

/** Maximal states in a reply: Slurm has about twenty, and combines those of a node. */
const MAX_STATES = 1_000;

const Figure = (description: string) =>
  Num({ nullable: true, description: `${description}; null if it is not reported` });
const Timestamp = (description = 'Unix seconds of the sample') => Int({ description });
const Newest = () => Timestamp('Unix seconds of the newest sample; 0 without one');

export class SlurmMetricView {
  @Int({ description: 'Id of the series: one metric with one set of labels' })
  id!: number;

  @Str({ description: 'As reported' })
  name!: string;

  @Timestamp()
  timestamp!: number;

  @Num({ nullable: true, description: 'Null for a gauge, and for a missing value' })
  counter_value!: number | null;

  @Num({ nullable: true, description: 'Null for a counter, and for a missing value' })
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

  @Figure('CPUs without a job')
  cpus_idle!: number | null;

  @Figure('CPUs')
  cpus_total!: number | null;

  @Figure('Allocated memory in bytes')
  mem_alloc!: number | null;

  @Figure('Free memory in bytes')
  mem_free!: number | null;

  @Figure('Memory of the nodes in bytes')
  mem_real!: number | null;
}

export class SlurmStateView {
  @Str({ description: 'As sinfo names it, without a sign behind it' })
  state!: string;

  @Num()
  value!: number;
}

export class SlurmStatesView {
  @Newest()
  timestamp!: number;

  @ListOf(() => SlurmStateView, { maxItems: MAX_STATES, description: 'By state' })
  cpus_by_state!: SlurmStateView[];

  @ListOf(() => SlurmStateView, { maxItems: MAX_STATES, description: 'By state; each node has one' })
  nodes_by_state!: SlurmStateView[];
}

export class SlurmPartitionFiguresView {
  @Str()
  partition_name!: string;

  @Timestamp('Unix seconds of its newest sample')
  timestamp!: number;

  @Figure('Sum of the loads of its nodes')
  cpu_load!: number | null;

  @Figure('Free memory in bytes')
  free_memory!: number | null;

  @Figure('CPUs without a job')
  idle_cpus!: number | null;

  @Figure('Nodes in the state idle')
  idle_nodes!: number | null;

  @Figure('Memory of its nodes in bytes')
  real_memory!: number | null;

  @Figure('CPUs')
  total_cpus!: number | null;
}

export class SlurmPartitionNodesView {
  @Str()
  partition_name!: string;

  @Str({ description: 'As sinfo names it, without a sign behind it' })
  state!: string;

  @Num({ description: 'Number of nodes; each has one state' })
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

  @Points('Free memory in bytes')
  free_memory!: TimeseriesPointView[];
}

export class SlurmMemoryHistoryView {
  @Points('Allocated memory in bytes')
  allocated_memory!: TimeseriesPointView[];

  @Points('Free memory in bytes')
  free_memory!: TimeseriesPointView[];
}
