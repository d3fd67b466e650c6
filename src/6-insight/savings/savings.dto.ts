import { Int, Num, OneOf, Str } from '../../1-platform/common/fields/fields';
import type { RawNumber } from '../../1-platform/common/json/json';
import { CAPACITY_TYPES, type CapacityType } from '../instance-prices/capacity-types';
import { MAX_HOURLY_USD } from '../instance-prices/instance-prices.dto';

export class EstimateSavingsQuery {
  @Num({ query: true, min: 0, max: MAX_HOURLY_USD, description: 'US dollars for an hour' })
  hourly_rate!: number;
}

const Text = (description?: string) => Str({ nullable: true, ...(description === undefined ? {} : { description }) });
const Moment = (description: string) => Str({ nullable: true, description: `ISO 8601: ${description}` });
const Count = (description?: string) =>
  Int({ nullable: true, ...(description === undefined ? {} : { description }), format: null });
const Figure = (description: string) => Num({ nullable: true, description });

export class CheckpointSavingsView {
  @Text('Of a Slurm job, its name')
  pod_name!: string | null;

  @Text('Of a Slurm job, its partition')
  namespace!: string | null;

  @Text()
  cluster_id!: string | null;

  @Text('Where it ran at its last checkpoint')
  node_name!: string | null;

  @Text('As the node told when the last checkpoint was asked for, as what follows; null when it did not')
  node_region!: string | null;

  @Text()
  instance_type!: string | null;

  @OneOf(CAPACITY_TYPES, { nullable: true, description: 'Null also for another word of the provider' })
  capacity_type!: CapacityType | null;

  @Text('As told with the checkpoint, else as the node told')
  gpu!: string | null;

  @Text('As told with the checkpoint; slurm for a Slurm job')
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

  @Count('Neither: of maintenance windows, preemptions and the like')
  other_checkpoints!: number | null;

  @Count('Nanoseconds, of all containers')
  total_checkpoint_duration_ns!: number | RawNumber | null;

  @Count('Bytes written, of all containers, kept or not')
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

  @Figure('Time protected / sum of durations; null where nothing is known to have lasted')
  protection_efficiency_ratio!: number | null;
}

export class CheckpointSavingsSummaryView {
  @Text()
  org_id!: string | null;

  @Moment('when checkpoints were last counted')
  refreshed_at!: string | null;

  @Count('With one checkpoint at least, whether or not they run still')
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

  @Count('Bytes written, kept or not')
  total_checkpoint_storage_bytes!: number | RawNumber | null;

  @Figure('Over all intervals; null where there is none')
  avg_checkpoint_interval_seconds!: number | null;

  @Figure('US dollars, of the pods of which the price is known')
  total_estimated_savings!: number | null;

  @Figure('Sum over pods')
  total_time_protected_seconds!: number | null;

  @Figure('Longest interval of any pod; null where there is none')
  worst_case_recovery_point_seconds!: number | null;
}

export class CostSavingsEstimateView {
  @Num({ description: 'As asked for' })
  hourly_rate!: number;

  @Num({ description: 'Sum over pods' })
  time_protected_seconds!: number;

  @Num({ description: 'Longest interval of any pod; 0 where there is none' })
  max_recovery_point_seconds!: number;

  @Num({ description: '(time protected - max recovery point) * hourly rate / 3600' })
  max_savings_per_failure!: number;

  @Num({ description: 'Sum of durations * hourly rate / 3600' })
  checkpoint_overhead_cost!: number;

  @Num({ description: 'Max savings less overhead cost; may be below 0' })
  net_potential_savings!: number;

  @Int()
  pods_protected!: number;

  @Int()
  total_checkpoints!: number | RawNumber;
}
