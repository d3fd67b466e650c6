import { conflict, invalidField, notFound } from '../common/problem';
import type { CheckpointStatus, WorkloadType } from './checkpoint.states';

export const actionNotFound = () => notFound('action_not_found', 'No such action.');
export const checkpointNotFound = () => notFound('checkpoint_not_found', 'No such checkpoint.');
export const parentNotFound = () =>
  notFound('parent_checkpoint_not_found', 'No checkpoint has the id given as parent.');
export const noActionOfPod = () => notFound('action_not_found', 'No action was asked for that pod.');
export const nothingToCheckpoint = () => notFound('nothing_to_checkpoint', 'No running pod matches.');
export const noReadyCheckpoint = () => notFound('checkpoint_not_found', 'No checkpoint of that name is ready.');
export const podNotNamed = () => invalidField('pod_id', 'is required, or cluster_id, namespace and pod_name together');
export const nameRequired = () => invalidField('name', 'is required');
export const notACheckpointAction = () =>
  conflict('not_a_checkpoint_action', 'The action did not ask for a checkpoint.');
export const notOfThatWorkload = (workloadType: WorkloadType) =>
  conflict(
    'workload_type_conflict',
    workloadType === 'slurm' ? 'The action is not of a Slurm job.' : 'The action is of a Slurm job.',
  );
export const actionIsOver = () => conflict('action_over', 'The action was given up before a node took it up.');
export const nothingToRestore = () =>
  conflict('checkpoint_not_ready', 'The action has no checkpoint that is ready to be restored.');
export const moveNotAllowed = (from: CheckpointStatus, to: CheckpointStatus) =>
  conflict('checkpoint_state_conflict', `A checkpoint that is ${from} cannot become ${to}.`);
