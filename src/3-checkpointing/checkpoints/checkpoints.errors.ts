import { conflict, invalidField, notFound, Problem } from '../../1-platform/common/answers/problem';
import type { ActionStatus } from './actions/action.states';
import type { CheckpointStatus, WorkloadType } from './checkpoint.states';

export const actionNotFound = () => notFound('action_not_found', 'No such action.');
export const checkpointNotFound = () => notFound('checkpoint_not_found', 'No such checkpoint.');
export const parentNotFound = () => notFound('parent_checkpoint_not_found', 'No checkpoint has the id of the parent.');
export const noActionOfPod = () => notFound('action_not_found', 'No action was requested for that pod.');
export const nothingToCheckpoint = () =>
  notFound('nothing_to_checkpoint', 'No running pod matches, or none of its containers to checkpoint runs.');
export const noReadyCheckpoint = () => notFound('checkpoint_not_found', 'No checkpoint with that name is ready.');
export const podNotNamed = () => invalidField('pod_id', 'is required, or cluster_id, namespace and pod_name together');
export const nameRequired = () => invalidField('name', 'is required');
export const notACheckpointAction = () => conflict('not_a_checkpoint_action', 'The action is not a checkpoint.');
export const notOfThatWorkload = (workloadType: WorkloadType) =>
  conflict(
    'workload_type_conflict',
    workloadType === 'slurm' ? 'The action does not belong to a Slurm job.' : 'The action belongs to a Slurm job.',
  );
export const actionIsOver = () =>
  conflict('action_over', 'The action missed its deadline, or ended before a node took it up.');
/** @param since when the node last reported */
export const nodeSilent = (node: string, since: Date) =>
  new Problem(409, 'node_silent', `The node ${node} of the pod has been silent for over 5 minutes.`, {
    members: { last_seen_at: since },
  });
export const containerNotRunning = (index: number) =>
  invalidField(`containers[${index}]`, 'is not a running container of the pod');
export const noContainerNamed = () => invalidField('containers', 'must name at least one container');
export const checkpointHasEnded = (status: CheckpointStatus) =>
  conflict('checkpoint_state_conflict', `The checkpoint has ended: it is ${status}.`);
export const checkpointKept = (status: CheckpointStatus) =>
  conflict(
    'checkpoint_state_conflict',
    `The checkpoint is ${status}. Only the removal of a deprecated one can be confirmed.`,
  );
export const anotherRestorePath = () =>
  conflict('another_restore_path', 'The checkpoint was already uploaded with another restore_path.');
export const actionNotReady = (status: ActionStatus) =>
  conflict(
    'checkpoint_not_ready',
    status === 'ready'
      ? 'A container of the action no longer has a checkpoint to restore; allow_partial restores the others.'
      : `The action is ${status}, not ready; allow_partial restores its ready checkpoints.`,
  );
export const nothingToRestore = () =>
  conflict('checkpoint_not_ready', 'The action has no checkpoint that is ready to restore.');
export const moveNotAllowed = (from: CheckpointStatus, to: CheckpointStatus) =>
  conflict('checkpoint_state_conflict', `A checkpoint that is ${from} cannot become ${to}.`);
