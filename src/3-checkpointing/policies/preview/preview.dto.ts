import { Int, ListOf, OneOf, Str, Strings, Time, Uuid } from '../../../1-platform/common/fields/fields';
import { CreatePolicyBody, PolicyJobView, PolicyPodView } from '../policies.dto';
import { NEXT_FIRINGS } from '../schedule/schedule.queries';
import { COUNTED, SHOWN } from './preview.queries';
import { WARNING_CODES, type WarningCode } from './preview-warnings';

export class PolicyWarningView {
  @OneOf(WARNING_CODES)
  code!: WarningCode;

  @Str({ description: 'A sentence for people' })
  message!: string;
}

export class PreviewPolicyBody extends CreatePolicyBody {
  @Uuid({
    optional: true,
    description:
      'An existing policy, to which `keep_last` would apply: pods that it names may be gone, and its window over',
  })
  policy_id?: string;
}

export class PolicyPreviewView {
  @Uuid()
  cluster_id!: string;

  @Str()
  cluster_name!: string;

  @OneOf(['active', 'inactive'])
  cluster_status!: 'active' | 'inactive';

  @Int({ description: 'Workloads whose checkpoint a beat would request now: running pods, or running Slurm jobs' })
  workload_count!: number;

  @Int({ description: 'Running pods that it would act on now' })
  pod_count!: number;

  @ListOf(() => PolicyPodView, { maxItems: SHOWN, description: `The first ${SHOWN}, by namespace and name` })
  pods!: PolicyPodView[];

  @Int({ description: 'Jobs that own these pods, or that match a filter of jobs' })
  job_count!: number;

  @ListOf(() => PolicyJobView, { maxItems: SHOWN, description: `The first ${SHOWN}, by namespace and name` })
  jobs!: PolicyJobView[];

  @Time({ description: 'When it would be due first, if it were created now; in the past if its window is open' })
  first_at!: Date;

  @Strings({
    maxItems: NEXT_FIRINGS,
    description: `Times at which it would be due, ISO 8601: the start of a window, or the first ${NEXT_FIRINGS} of a heartbeat. They are fewer if \`max_checkpoints\` ends it before, when each beat makes a checkpoint of every workload that matches now`,
  })
  next_firings!: string[];

  @Int({
    nullable: true,
    description:
      'With `keep_last`: how many checkpoints it keeps at most of the workloads that match now, each with all its containers; null if it keeps all',
  })
  kept_count!: number | null;

  @Int({
    nullable: true,
    description: `With \`keep_last\`: how many ready checkpoints of the policy \`policy_id\` would go at most, each container counted; of its first ${COUNTED.toLocaleString('en')} actions. 0 for a new policy, and in an organisation that has a delta. What is needed otherwise stays, such as what a restore or an artifact needs. Null if it keeps all`,
  })
  going_count!: number | null;

  @ListOf(() => PolicyWarningView, { maxItems: WARNING_CODES.length })
  warnings!: PolicyWarningView[];
}
