import { Int, Num, Str, Time } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';
import { WindowLength } from '../window-length';

export const DEFAULT_HOURS = 24;
const MAX_HOURS = 168;

export class CheckpointCpuQuery extends PageQuery {
  @WindowLength({ max: MAX_HOURS, default: DEFAULT_HOURS })
  hours?: number;
}

export class CheckpointCpuView {
  @Str()
  pod_name!: string;

  @Str()
  namespace!: string;

  @Time({ description: 'When the last checkpoint was requested' })
  checkpoint_timestamp!: Date;

  @Int({ description: 'Ready checkpoints of the pod that were requested in the window' })
  checkpoint_count!: number;

  @Num({ description: 'CPU seconds that the pod had used, as last measured before; 0 if unknown' })
  cpu_at_checkpoint!: number;

  @Num({ nullable: true, description: 'MiB, over its GPUs' })
  gpu_memory_used_mib!: number | null;

  @Str({ nullable: true, description: 'The first model by name' })
  gpu_model!: string | null;

  @Num({ nullable: true, description: 'Percent, the mean over its GPUs' })
  gpu_utilization_at_checkpoint!: number | null;
}
