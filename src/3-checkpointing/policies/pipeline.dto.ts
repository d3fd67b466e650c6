import { CHECKPOINT_KINDS } from '../checkpoints/checkpoints.dto';
import { Int, Obj, OneOf, Str, Strings, Time, Variant } from '../../1-platform/common/fields/fields';
import { MIN_INTERVAL_SECONDS } from './policy.states';

/** Maximum number of pods or jobs in one filter. */
const MAX_NAMED = 1_000;

export class HeartbeatTriggerConfig {
  @Int({ format: 'int32', min: MIN_INTERVAL_SECONDS, description: `At least ${MIN_INTERVAL_SECONDS}`, example: 3600 })
  interval_seconds!: number;

  @Int({
    optional: true,
    nullable: true,
    format: 'int32',
    min: 1,
    description: 'Number of ready checkpoints after which the policy is disabled',
  })
  max_checkpoints?: number | null;
}

export class HeartbeatTriggerBody {
  @OneOf(['heartbeat'])
  type!: 'heartbeat';

  @Obj(() => HeartbeatTriggerConfig)
  config!: HeartbeatTriggerConfig;
}

export class MaintenanceTriggerConfig {
  @Time({ description: 'When the checkpoints are requested' })
  start_time!: string;

  @Time({ description: 'After this time none are requested' })
  end_time!: string;
}

export class MaintenanceTriggerBody {
  @OneOf(['maintenance'])
  type!: 'maintenance';

  @Obj(() => MaintenanceTriggerConfig)
  config!: MaintenanceTriggerConfig;
}

export class NamespaceFilterConfig {
  @Str({ max: 64 })
  cluster_id!: string;

  @Str({ min: 1, max: 253 })
  namespace!: string;
}

export class NamespaceFilterBody {
  @OneOf(['namespace'])
  type!: 'namespace';

  @Obj(() => NamespaceFilterConfig)
  config!: NamespaceFilterConfig;
}

export class PodsFilterConfig {
  @Str({ max: 64 })
  cluster_id!: string;

  @Strings({ optional: true, maxItems: MAX_NAMED, maxLength: 128, description: 'Row ids, or Kubernetes uids' })
  pod_ids?: string[];
}

export class PodsFilterBody {
  @OneOf(['pods'])
  type!: 'pods';

  @Obj(() => PodsFilterConfig)
  config!: PodsFilterConfig;
}

export class JobsFilterConfig {
  @Str({ max: 64 })
  cluster_id!: string;

  @Str({ optional: true, nullable: true, min: 1, max: 253 })
  namespace?: string | null;

  @Int({ optional: true, nullable: true, format: 'int32' })
  priority?: number | null;
}

export class JobsFilterBody {
  @OneOf(['jobs'])
  type!: 'jobs';

  @Obj(() => JobsFilterConfig)
  config!: JobsFilterConfig;
}

export class SlurmJobsFilterConfig {
  @Str({ max: 64 })
  cluster_id!: string;

  @Strings({ optional: true, maxItems: MAX_NAMED, maxLength: 20, description: "Slurm's job numbers, as text" })
  job_ids?: string[];
}

export class SlurmJobsFilterBody {
  @OneOf(['slurm_jobs'])
  type!: 'slurm_jobs';

  @Obj(() => SlurmJobsFilterConfig)
  config!: SlurmJobsFilterConfig;
}

export class CheckpointActionConfig {
  @OneOf(CHECKPOINT_KINDS)
  kind!: string;

  @Str({ optional: true, nullable: true, max: 4096 })
  runc_root?: string | null;
}

export class CheckpointActionBody {
  @OneOf(['checkpoint'])
  type!: 'checkpoint';

  @Obj(() => CheckpointActionConfig)
  config!: CheckpointActionConfig;
}

export type PolicyTriggerBody = HeartbeatTriggerBody | MaintenanceTriggerBody;
export type PolicyFilterBody = NamespaceFilterBody | PodsFilterBody | JobsFilterBody | SlurmJobsFilterBody;

/** When a policy acts, on what, and how; as received. */
export class PolicyPipeline {
  @Variant({ heartbeat: HeartbeatTriggerBody, maintenance: MaintenanceTriggerBody })
  trigger!: PolicyTriggerBody;

  @Variant({
    namespace: NamespaceFilterBody,
    pods: PodsFilterBody,
    jobs: JobsFilterBody,
    slurm_jobs: SlurmJobsFilterBody,
  })
  filter!: PolicyFilterBody;

  @Obj(() => CheckpointActionBody)
  action!: CheckpointActionBody;
}
