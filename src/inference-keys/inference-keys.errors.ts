import { notFound } from '../common/problem';

export const keyNotFound = () => notFound('inference_key_not_found', 'No such inference key.');
