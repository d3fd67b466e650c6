import { notFound } from '../../1-platform/common/answers/problem';

export const keyNotFound = () => notFound('inference_key_not_found', 'No such inference key.');
