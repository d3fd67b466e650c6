import { conflict, invalidField, notFound } from '../../1-platform/common/answers/problem';

export const policyNotFound = () => notFound('policy_not_found', 'No such policy.');
export const policyDisabled = () =>
  conflict('policy_disabled', 'The policy is disabled: no beat of it acts any more. Create a new one.');
/** @param difference from what the caller expects */
export const policyChanged = (difference: string) => conflict('policy_changed', difference);
export const nothingToChange = () => invalidField('paused', 'is required, or keep_last');
export const policyNotOfJobs = () => notFound('policy_not_of_jobs', 'The filter of the policy does not select jobs.');
export const policyPodNotFound = (id: string) =>
  notFound('pod_not_found', `The cluster has not reported the pod ${id} of the filter.`);
