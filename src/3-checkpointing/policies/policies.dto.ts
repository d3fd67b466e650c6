import { Bool, Int, ListOf, Obj, OneOf, Str, Strings, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { PolicyPipeline } from './pipeline.dto';
import {
  AUTO_RESTORE_STATUSES,
  POLICY_RESOURCES,
  type AutoRestoreStatus,
  type PolicyResource,
  type ShownStatus,
} from './policy.states';

/** Default and maximum number of rows per page. */
export const DEFAULT_POLICIES = 50;
const MAX_POLICIES = 100;

/** Number of actions in an activity, newest first. */
export const RECENT_ACTIONS = 50;

const MAX_KEPT = 1_000;

const KeepLast = (description: string): PropertyDecorator =>
  Int({ optional: true, nullable: true, format: 'int32', min: 1, max: MAX_KEPT, showMax: true, description });

export class CreatePolicyBody {
  @Obj(() => PolicyPipeline)
  pipeline!: PolicyPipeline;

  @Str({ optional: true, nullable: true, min: 1, max: 253 })
  name?: string | null;

  @KeepLast(
    'Number of ready checkpoints of each workload that the policy keeps: when a newer one is ready, it deprecates those before them. Null, the default: all',
  )
  keep_last?: number | null;
}

/** What somebody may change of a policy. */
export class ChangeablePolicyMembers {
  @KeepLast(
    'As in the creation; null keeps all. A smaller number also deprecates what is there, within the next minutes',
  )
  keep_last?: number | null;

  @Bool({
    optional: true,
    description:
      'true: no beat acts until the policy goes on, and none of those beats is made up for; false: it goes on',
  })
  paused?: boolean;
}

export class UpdatePolicyBody extends ChangeablePolicyMembers {
  @Obj(() => ChangeablePolicyMembers, {
    optional: true,
    description:
      'What the caller knows of the policy, all of it or some: if any of that is different by now, nothing is changed (409)',
  })
  expected?: ChangeablePolicyMembers;
}

export class DeletePolicyBody {
  @Uuid()
  id!: string;
}

export class ListPoliciesQuery {
  @Int({ query: true, optional: true, min: 1, max: MAX_POLICIES, showMax: true, default: DEFAULT_POLICIES })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, default: 0 })
  offset?: number;

  @Str({
    optional: true,
    description: 'active, paused or disabled; active ones include those that are paused. Automatic ones also completed',
  })
  status?: string;

  @Str({ optional: true, description: 'namespace, pods, jobs or slurm_jobs; automatic ones have pods or jobs' })
  resource?: string;

  @Str({
    optional: true,
    max: 253,
    description: 'A part of the name; case does not matter. It leaves automatic ones alone',
  })
  name?: string;

  @Bool({ query: true, optional: true, description: 'Include the restores that pods and jobs request themselves' })
  include_automatic?: boolean;
}

/** Derived from a pod or a job whose containers name a checkpoint in SVC_CHECKPOINT. */
export class AutoRestorePolicyView {
  @Str({ description: 'Derived from the id of the pod or job' })
  id!: string;

  @Str()
  name!: string;

  @Str()
  namespace!: string;

  @Str()
  cluster_id!: string;

  @OneOf(['job', 'pod'])
  resource_type!: 'job' | 'pod';

  @Str({ description: 'The value of SVC_CHECKPOINT' })
  checkpoint_id!: string;

  @Int({ format: 'int32', description: '1 for a pod; of a job, its pods' })
  pod_count!: number;

  @Str({ description: 'Phase of the pod, or status of the job, as last reported' })
  status!: string;

  @OneOf(AUTO_RESTORE_STATUSES, {
    description: 'active while it runs or waits, completed when it succeeded, disabled when it failed or was removed',
  })
  policy_status!: AutoRestoreStatus;

  @Str({ nullable: true })
  created_at!: string | null;
}

export class LastFiringView {
  @Time({ description: 'When the beat was due' })
  due_at!: string;

  @Int({ description: 'Workloads whose checkpoint it requested' })
  requested!: number;

  @Int()
  ready!: number;

  @Int()
  failed!: number;
}

/** What both views of a policy say about its beats. */
export abstract class RunningPolicyView {
  @Bool({ description: 'Whether somebody paused it: then it is active, and no beat acts' })
  paused!: boolean;

  @Int({
    format: 'int32',
    nullable: true,
    description: 'Number of ready checkpoints of each workload that it keeps; null: all',
  })
  keep_last!: number | null;

  @Str({ description: 'Name of its cluster' })
  cluster_name!: string;

  @OneOf(['active', 'inactive'], {
    description: 'An inactive cluster has not reported for 5 minutes: the policy cannot request anything there',
  })
  cluster_status!: 'active' | 'inactive';

  @Time({
    nullable: true,
    description:
      'When it is due next, in the past while it waits for its cluster; within a maintenance window, when it looks for new workloads next. Null if it is disabled or paused',
  })
  next_at!: Date | null;

  @Time({
    nullable: true,
    description:
      'When its last completed beat was due, whether it found workloads or not. For a maintenance policy, the start of its window once it found any. Null if there is none',
  })
  last_beat_at!: Date | null;

  @Obj(() => LastFiringView, {
    nullable: true,
    description: 'Its last beat that requested checkpoints, and how they went; null if none did',
  })
  last_firing!: LastFiringView | null;
}

export class PolicyView extends RunningPolicyView {
  @Str()
  id!: string;

  @Str({ description: 'active or disabled' })
  status!: ShownStatus;

  @Str({ description: 'heartbeat or maintenance' })
  policy_type!: string;

  @Int({ description: 'Seconds: the interval of a heartbeat, the length of a maintenance window' })
  input!: number;

  @OneOf(POLICY_RESOURCES)
  resource!: PolicyResource;

  @Strings({
    maxItems: MAX_ROWS,
    description:
      'The namespace, the row ids of pods, or the numbers of Slurm jobs in the filter; for jobs, the row ids of the matches',
  })
  resource_list!: string[];

  @Int({ description: 'Running pods that it currently acts on' })
  pod_count!: number;

  @Int({ nullable: true, description: 'Jobs that it currently acts on; null if the filter is not for jobs' })
  job_count!: number | null;

  @Time({ nullable: true, description: 'When it was created' })
  timestamp!: Date | null;

  @Str({ nullable: true })
  cluster_id!: string | null;

  @Str({ nullable: true })
  namespace!: string | null;

  @Time({ nullable: true, description: 'Window of a maintenance policy' })
  start_time!: Date | null;

  @Time({ nullable: true, description: 'Window of a maintenance policy' })
  end_time!: Date | null;
}

export class PipelinePolicyView extends RunningPolicyView {
  @Str()
  id!: string;

  @Str({ description: 'active or disabled' })
  status!: ShownStatus;

  @Int({ format: 'int32', description: 'Running pods that it acts on now' })
  pod_count!: number;

  @Str({ nullable: true })
  name!: string | null;

  @Int({
    format: 'int32',
    nullable: true,
    description: 'Jobs that it currently acts on; null if the filter is not for jobs',
  })
  job_count!: number | null;

  @Obj(() => PolicyPipeline, { nullable: true })
  pipeline!: PolicyPipeline | null;

  @Str({ nullable: true, description: 'When it was created' })
  timestamp!: string | null;
}

/** Members of both lists of policies in addition to their rows. */
abstract class PolicyListView {
  @Int()
  total_count!: number;

  @ListOf(() => AutoRestorePolicyView, {
    optional: true,
    nullable: true,
    maxItems: MAX_ROWS,
    description: 'Newest first; with include_automatic only',
  })
  automatic_policies?: AutoRestorePolicyView[] | null;
}

export class PolicyPageView extends PolicyListView {
  @ListOf(() => PolicyView, { maxItems: MAX_POLICIES })
  policies!: PolicyView[];
}

export class PipelinePolicyPageView extends PolicyListView {
  @ListOf(() => PipelinePolicyView, { maxItems: MAX_POLICIES })
  policies!: PipelinePolicyView[];
}

/** An action of a policy: one checkpoint of one workload, with all its containers. */
export class PolicyCheckpointView {
  @Str({ description: 'Its first checkpoint' })
  checkpoint_id!: string;

  @Str()
  action_id!: string;

  @Str({ description: 'For a Slurm job, the name of the job' })
  pod_name!: string;

  @Str({ description: 'For a Slurm job, its partition' })
  namespace!: string;

  @Str({ description: 'Of the action' })
  status!: string;

  @Str({ nullable: true })
  completed_at!: string | null;

  @Int({ nullable: true })
  duration_ms!: number | null;

  @Int({ nullable: true })
  size_bytes!: number | null;
}

export class PolicyActivityView {
  @Str()
  policy_id!: string;

  @Int({ description: 'Actions that it requested' })
  total_checkpoints!: number;

  @Int({ description: 'Actions that became ready: what max_checkpoints counts' })
  successful_checkpoints!: number;

  @Int()
  failed_checkpoints!: number;

  @ListOf(() => PolicyCheckpointView, { maxItems: RECENT_ACTIONS, description: 'Newest first' })
  recent_checkpoints!: PolicyCheckpointView[];

  @Str({ nullable: true, description: 'When it last requested an action' })
  last_checkpoint_at!: string | null;
}

export class PolicyJobStatusView {
  @Str()
  policy_id!: string;

  @Strings({ maxItems: MAX_ROWS, description: 'Row ids of jobs, or numbers of Slurm jobs' })
  job_ids!: string[];

  @Strings({ maxItems: MAX_ROWS, description: 'Row ids of running pods' })
  tracked_pods!: string[];

  @Int()
  pod_count!: number;

  @Str({ nullable: true, description: 'Status of its jobs; if they differ, all of them, separated by commas' })
  job_status!: string | null;

  @Str({ nullable: true, description: 'When its filter was last matched' })
  last_updated!: string | null;
}

export class PolicyJobView {
  @Str({ description: 'Row id' })
  id!: string;

  @Str()
  name!: string;

  @Str({ description: 'For a Slurm job, its partition' })
  namespace!: string;

  @Str()
  status!: string;

  @Int({ description: 'Running pods' })
  pod_count!: number;

  @Int({ format: 'int32', nullable: true })
  priority!: number | null;
}

export class PolicyJobsView {
  @Str()
  policy_id!: string;

  @Int()
  count!: number;

  @ListOf(() => PolicyJobView, { maxItems: MAX_ROWS })
  affected_jobs!: PolicyJobView[];
}

export class PolicyPodView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str()
  namespace!: string;

  @Str()
  status!: string;
}
