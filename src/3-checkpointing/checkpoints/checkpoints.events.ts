import type { WorkloadType } from './checkpoint.states';

/**
 * Outbox events of actions, by kind of workload, because Slurm's controllers read their own. Each payload has
 * `action_id`, `checkpoint_id` and `cluster_id`. A requested checkpoint also has `leave_running` and, for a
 * pod, the names of the covered `containers` if they are known.
 */
export const ACTION_EVENTS = {
  kubernetes: {
    /** A node shall take a checkpoint of the pod `pod_uid`. */
    checkpointRequested: 'action.checkpoint_requested',
    /** A node shall restore `checkpoint_id`. */
    restoreRequested: 'action.restore_requested',
  },
  slurm: {
    /** A node shall take a checkpoint of the job `job_id`. */
    checkpointRequested: 'slurm.checkpoint_requested',
    /** A node shall restore `checkpoint_id`, which was taken of the job `job_id`. */
    restoreRequested: 'slurm.restore_requested',
  },
} as const satisfies Record<WorkloadType, object>;
