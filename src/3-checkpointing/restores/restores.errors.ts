import { invalidField, notFound } from '../../1-platform/common/answers/problem';

export const restoreNotFound = () => notFound('restore_not_found', 'No such restore.');
/** Controllers of Slurm clusters restore jobs. */
export const notAClusterOfPods = () => invalidField('cluster_id', 'must be the id of a Kubernetes cluster');
