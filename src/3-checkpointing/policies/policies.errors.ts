import { notFound } from '../../1-platform/common/answers/problem';

export const policyNotFound = () => notFound('policy_not_found', 'No such policy.');
export const policyNotOfJobs = () => notFound('policy_not_of_jobs', 'The filter of the policy does not select jobs.');
export const policyPodNotFound = (id: string) =>
  notFound('pod_not_found', `The cluster has not reported the pod ${id} of the filter.`);
