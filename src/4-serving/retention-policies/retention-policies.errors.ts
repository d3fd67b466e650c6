import { notFound } from '../../1-platform/common/answers/problem';

export const retentionPolicyNotFound = () => notFound('retention_policy_not_found', 'No such retention policy.');
