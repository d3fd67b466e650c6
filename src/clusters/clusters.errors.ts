import { invalidField, notFound } from '../common/problem';

export const clusterNotFound = () => notFound('cluster_not_found', 'No such cluster.');
export const clusterNotNamed = () =>
  invalidField('cluster_id', 'is required: the organisation does not have exactly one cluster');
export const notOneWorkload = () => invalidField('body', 'must hold exactly one of deployment, job, pod');
