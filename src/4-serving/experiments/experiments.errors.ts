import { notFound } from '../../1-platform/common/answers/problem';

export const experimentNotFound = () => notFound('experiment_not_found', 'No such experiment.');
export const experimentNotRunning = () => notFound('experiment_not_found', 'No such experiment is running.');
