import type { Refused } from './admissions.queries';
import { conflict, notFound, Problem, retryAfter, unavailable } from '../../1-platform/common/answers/problem';

const rateExceeded = (waitMs: number) =>
  new Problem(429, 'rate_limit_exceeded', 'The key has used up its rate.', {
    headers: retryAfter(waitMs),
  });

const budgetExceeded = (status: 402 | 429) =>
  new Problem(status, 'insufficient_quota', 'The remaining budget of the key does not cover the request.', {
    headers: { 'x-should-retry': 'false' },
  });

export const keyRevoked = () =>
  new Problem(401, 'unauthenticated', 'A valid bearer token is needed.', { headers: { 'www-authenticate': 'Bearer' } });

const requestIdReused = () =>
  conflict('request_id_reused', 'Another request of the organisation has this request_id, or it had another body.');

/**
 * Why a request is not admitted. @param budgetStatus 402, or 429 for clients of OpenAI's API, which retry
 * that unless a header forbids it
 */
export function notAdmitted(admission: Refused, budgetStatus: 402 | 429): Problem {
  switch (admission.outcome) {
    case 'rate':
      return rateExceeded(admission.waitMs);
    case 'budget':
      return budgetExceeded(budgetStatus);
    case 'revoked':
      return keyRevoked();
    case 'taken':
      return requestIdReused();
  }
}

/** The reservation of a request of this service, which waited for a worker. */
export const authorizationLost = () =>
  unavailable('authorization_lost', 'What was reserved for the request was given back while it waited; try again.');

export const authorizationNotFound = () =>
  notFound('authorization_not_found', 'No authorization with this id for this request and model.');

export const authorizationConsumed = () =>
  conflict('authorization_consumed', 'The authorization was resolved or settled before.', { isDone: true });

export const authorizationExpired = () =>
  new Problem(410, 'authorization_expired', 'The authorization has expired: authorize the request again.');
