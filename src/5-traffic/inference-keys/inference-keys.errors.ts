import { conflict, notFound, Problem } from '../../1-platform/common/answers/problem';

export const keyNotFound = () => notFound('inference_key_not_found', 'No such inference key.');

export const revokedKey = () =>
  new Problem(410, 'inference_key_revoked', 'The inference key is revoked, which nobody can undo: issue another one.');

/** @param difference from what the caller expects */
export const keyChanged = (difference: string) => conflict('inference_key_changed', difference);
