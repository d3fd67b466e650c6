import { notFound } from '../common/problem';

export const operationNotFound = () => notFound('operation_not_found', 'No attempt of that id was reported.');
