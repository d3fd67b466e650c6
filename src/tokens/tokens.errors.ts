import { invalidField, notFound } from '../common/problem';

export const tokenNotFound = () => notFound('token_not_found', 'No such token.');
export const expiryInThePast = () => invalidField('expires_at', 'must be in the future');
export const callerUnknown = () => notFound('caller_not_found', 'The caller has no id in this service.');
