import { notFound } from '../../1-platform/common/answers/problem';

export const jobNotFound = () => notFound('job_not_found', 'No such job.');
