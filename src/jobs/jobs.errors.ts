import { notFound } from '../common/problem';

export const jobNotFound = () => notFound('job_not_found', 'No such job.');
