import { notFound } from '../common/problem';

export const restoreNotFound = () => notFound('restore_not_found', 'No such restore.');
