import { conflict, invalidField, notFound } from '../../1-platform/common/answers/problem';

export const clusterNotFound = () => notFound('cluster_not_found', 'No such cluster.');
export const clusterNotNamed = () =>
  invalidField('cluster_id', 'is required: the organisation does not have exactly one cluster');
export const workloadNotFound = () => notFound('workload_not_found', 'No such workload.');
export const workloadOutcomeKnown = (status: string) =>
  conflict('workload_outcome_known', `The workload was already reported as ${status}.`);
export const notOneWorkload = () => invalidField('body', 'must hold exactly one of deployment, job, pod');
