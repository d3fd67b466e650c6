import { notFound } from '../../1-platform/common/answers/problem';

export const restoreNotFound = () => notFound('restore_not_found', 'No such restore.');
