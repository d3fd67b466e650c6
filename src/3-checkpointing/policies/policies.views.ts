import type { ActionWithTotals } from '../checkpoints/actions/actions.service';
import type { PolicyActions } from '../checkpoints/actions/actions.queries';
import type { AutoRestoreRow } from './beats/auto-restore.queries';
import { pipelineOf } from './pipeline';
import type {
  AutoRestorePolicyView,
  PipelinePolicyView,
  PolicyActivityView,
  PolicyCheckpointView,
  PolicyJobStatusView,
  PolicyView,
  RunningPolicyView,
} from './policies.dto';
import type { PolicyRow } from './policies.queries';
import { shownStatus } from './policy.states';
import type { TargetJob, TargetPod } from './beats/policy-targets.queries';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const policyView = (row: PolicyRow): PolicyView => ({
  id: row.id,
  status: shownStatus(row.status),
  policy_type: row.trigger,
  input: row.interval_seconds ?? windowSeconds(row),
  resource: row.resource,
  resource_list: resourceList(row),
  pod_count: row.pod_count,
  job_count: row.job_count,
  timestamp: row.created_at,
  cluster_id: row.cluster_id,
  namespace: row.namespace,
  start_time: row.starts_at,
  end_time: row.ends_at,
  ...runningView(row),
});

export const pipelinePolicyView = (row: PolicyRow): PipelinePolicyView => ({
  id: row.id,
  status: shownStatus(row.status),
  pod_count: row.pod_count,
  name: row.name,
  job_count: row.job_count,
  pipeline: pipelineOf(row),
  timestamp: iso(row.created_at),
  ...runningView(row),
});

const runningView = (row: PolicyRow): RunningPolicyView => ({
  cluster_name: row.cluster_name,
  cluster_status: row.cluster_status,
  paused: row.status === 'paused',
  keep_last: row.keep_last,
  next_at: row.status === 'paused' ? null : row.next_at,
  last_beat_at: row.last_beat_at,
  last_firing: row.last_firing,
});

export const automaticView = (row: AutoRestoreRow): AutoRestorePolicyView => ({
  ...row,
  created_at: iso(row.created_at),
});

export const activityView = (
  policyId: string,
  { asked, ready, failed, last_asked_at, recent }: PolicyActions & { recent: readonly ActionWithTotals[] },
): PolicyActivityView => ({
  policy_id: policyId,
  total_checkpoints: asked,
  successful_checkpoints: ready,
  failed_checkpoints: failed,
  recent_checkpoints: recent.map(checkpointView),
  last_checkpoint_at: iso(last_asked_at),
});

const NANOSECONDS_A_MILLISECOND = 1_000_000;

const checkpointView = (row: ActionWithTotals): PolicyCheckpointView => ({
  checkpoint_id: row.checkpoint_id,
  action_id: row.action_id,
  pod_name: row.pod_name,
  namespace: row.namespace,
  status: row.status,
  completed_at: iso(row.ended_at),
  duration_ms: row.totals ? Math.round(row.totals.duration_ns / NANOSECONDS_A_MILLISECOND) : null,
  size_bytes: row.totals?.bytes ?? null,
});

export const jobStatusView = ({
  policy,
  jobs,
  pods,
}: {
  policy: PolicyRow;
  jobs: readonly TargetJob[];
  pods: readonly TargetPod[];
}): PolicyJobStatusView => ({
  policy_id: policy.id,
  job_ids: jobs.map(({ id }) => id),
  tracked_pods: pods.map(({ id }) => id),
  pod_count: policy.pod_count,
  job_status: [...new Set(jobs.map(({ status }) => status))].sort().join(',') || null,
  last_updated: iso(policy.matched_at),
});

const windowSeconds = ({ starts_at, ends_at }: PolicyRow): number =>
  starts_at && ends_at ? Math.round((ends_at.getTime() - starts_at.getTime()) / 1_000) : 0;

function resourceList(row: PolicyRow): string[] {
  switch (row.resource) {
    case 'namespace':
      return row.namespace === null ? [] : [row.namespace];
    case 'pods':
      return row.pod_ids ?? [];
    case 'jobs':
      return row.matching_job_ids;
    case 'slurm_jobs':
      return (row.slurm_job_ids ?? []).map(String);
  }
}
