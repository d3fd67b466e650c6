import type { WorkloadType } from './checkpoint.states';

/**
 * Events of actions in the outbox, by what they are of: controllers of Slurm listen to their own. Each
 * payload names `action_id`, `checkpoint_id` and `cluster_id`. A requested checkpoint has `leave_running`
 * too, and of a pod the names of the `containers` that it covers, where they are known.
 */
export const ACTION_EVENTS = {
  kubernetes: {
    /** A node is to take a checkpoint of the pod `pod_uid`. */
    checkpointRequested: 'action.checkpoint_requested',
    /** A node is to restore `checkpoint_id`. */
    restoreRequested: 'action.restore_requested',
  },
  slurm: {
    /** A node is to take a checkpoint of the job `job_id`. */
    checkpointRequested: 'slurm.checkpoint_requested',
    /** A node is to restore `checkpoint_id`, which was taken of the job `job_id`. */
    restoreRequested: 'slurm.restore_requested',
  },
} as const satisfies Record<WorkloadType, object>;
