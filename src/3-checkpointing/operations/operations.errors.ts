import { conflict, notFound } from '../../1-platform/common/answers/problem';

export const operationNotFound = () => notFound('operation_not_found', 'No attempt with that id was reported.');
export const operationIdTaken = (id: string) =>
  conflict('operation_id_taken', `${id} is the id of an attempt of another kind.`);
