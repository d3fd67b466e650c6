import { notFound } from '../common/problem';

export const retentionPolicyNotFound = () => notFound('retention_policy_not_found', 'No such retention policy.');
