import { forbidden, invalidField, notFound } from '../common/answers/problem';

export const tokenNotFound = () => notFound('token_not_found', 'No such token.');
export const expiryInThePast = () => invalidField('expires_at', 'must be in the future');
export const onlyAdminsOfPlatform = () => invalidField('scope', 'platform is for the role admin only');
export const beyondOrganisation = () =>
  forbidden('Only an admin of platform scope may issue tokens for another organisation.');
export const beyondScope = () =>
  forbidden('Only an admin of platform scope may issue or revoke a token of that scope.');
export const callerUnknown = () => notFound('caller_not_found', 'The caller has no id in this service.');
