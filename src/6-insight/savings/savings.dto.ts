import { Int, Num, OneOf, Str } from '../../1-platform/common/fields/fields';
import type { RawNumber } from '../../1-platform/common/json/json';
import { CAPACITY_TYPES, type CapacityType } from '../instance-prices/capacity-types';
import { MAX_HOURLY_USD } from '../instance-prices/instance-prices.dto';

export class EstimateSavingsQuery {
  @Num({ query: true, min: 0, max: MAX_HOURLY_USD, description: 'US dollars per hour' })
  hourly_rate!: number;
}

const Text = (description?: string) => Str({ nullable: true, ...(description === undefined ? {} : { description }) });
const Moment = (description: string) => Str({ nullable: true, description: `ISO 8601: ${description}` });
const Count = (description?: string) =>
  Int({ nullable: true, ...(description === undefined ? {} : { description }), format: null });
const Figure = (description: string) => Num({ nullable: true, description });

export class CheckpointSavingsView {
  @Text('For a Slurm job, its name')
  pod_name!: string | null;

  @Text('For a Slurm job, its partition')
  namespace!: string | null;

  @Text()
  cluster_id!: string | null;

  @Text('Node of its last checkpoint')
  node_name!: string | null;

  @Text('As reported by the node when the last checkpoint was requested, like the following members; null if unknown')
  node_region!: string | null;

  @Text()
  instance_type!: string | null;

  @OneOf(CAPACITY_TYPES, { nullable: true, description: 'Null also for another value of the provider' })
  capacity_type!: CapacityType | null;

  @Text('As reported with the checkpoint, else by the node')
  gpu!: string | null;

  @Text('As reported with the checkpoint; slurm for a Slurm job')
  platform!: string | null;

  @Moment('when it was ready')
  first_checkpoint!: string | null;

  @Moment('when it was ready')
  last_checkpoint!: string | null;

  @Moment('when checkpoints were last counted')
  refreshed_at!: string | null;

  @Count('Actions that became ready, whatever the number of containers')
  checkpoint_count!: number | null;

  @Count('Of type heartbeat')
  heartbeat_checkpoints!: number | null;

  @Count('Of reason manual')
  manual_checkpoints!: number | null;

  @Count('All others: of maintenance windows, preemptions and the like')
  other_checkpoints!: number | null;

  @Count('Nanoseconds, of all containers')
  total_checkpoint_duration_ns!: number | RawNumber | null;

  @Count('Bytes written, of all containers, kept or deleted')
  total_checkpoint_size_bytes!: number | RawNumber | null;

  @Figure('Null with one checkpoint')
  avg_interval_seconds!: number | null;

  @Figure('Null with one checkpoint')
  min_interval_seconds!: number | null;

  @Figure('Longest interval between two checkpoints; null with one')
  max_recovery_point_seconds!: number | null;

  @Figure('From the first checkpoint to the last')
  time_protected_seconds!: number | null;

  @Figure('US dollars: (time protected - max recovery point) at the price of the node; null without one')
  estimated_savings!: number | null;

  @Figure('US dollars, as saved for the instance type')
  ondemand_price_per_hour!: number | null;

  @Figure('US dollars, as saved for the instance type')
  spot_price_per_hour!: number | null;

  @Figure('Time protected / sum of durations; null if no duration is known')
  protection_efficiency_ratio!: number | null;
}

export class CheckpointSavingsSummaryView {
  @Text()
  org_id!: string | null;

  @Moment('when checkpoints were last counted')
  refreshed_at!: string | null;

  @Count('With at least one checkpoint, running or not')
  pods_protected!: number | null;

  @Count()
  total_checkpoints!: number | RawNumber | null;

  @Count()
  total_heartbeat_checkpoints!: number | RawNumber | null;

  @Count()
  total_manual_checkpoints!: number | RawNumber | null;

  @Count()
  total_other_checkpoints!: number | RawNumber | null;

  @Count('Nanoseconds')
  total_checkpoint_overhead_ns!: number | RawNumber | null;

  @Count('Bytes written, kept or deleted')
  total_checkpoint_storage_bytes!: number | RawNumber | null;

  @Figure('Over all intervals; null without one')
  avg_checkpoint_interval_seconds!: number | null;

  @Figure('US dollars, for the pods with a known price')
  total_estimated_savings!: number | null;

  @Figure('Sum over pods')
  total_time_protected_seconds!: number | null;

  @Figure('Longest interval of any pod; null without one')
  worst_case_recovery_point_seconds!: number | null;
}

export class CostSavingsEstimateView {
  @Num({ description: 'As requested' })
  hourly_rate!: number;

  @Num({ description: 'Sum over pods' })
  time_protected_seconds!: number;

  @Num({ description: 'Longest interval of any pod; 0 without one' })
  max_recovery_point_seconds!: number;

  @Num({ description: '(time protected - max recovery point) * hourly rate / 3600' })
  max_savings_per_failure!: number;

  @Num({ description: 'Sum of durations * hourly rate / 3600' })
  checkpoint_overhead_cost!: number;

  @Num({ description: 'Max savings less overhead cost; may be negative' })
  net_potential_savings!: number;

  @Int()
  pods_protected!: number;

  @Int()
  total_checkpoints!: number | RawNumber;
}
