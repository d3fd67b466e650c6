import { notFound, Problem, retryAfter } from '../../1-platform/common/answers/problem';
import type { Endpoint } from '../../4-serving/profiles/profile-endpoints';
import type { Choice } from './choice/route-choice';

export const modelNotFound = (model: string) =>
  notFound('model_not_found', `No route serves the model ${JSON.stringify(shown(model))}.`);

export const routeNotFound = () => notFound('route_not_found', 'The model has no route.');

export const endpointNotServed = (model: string, endpoint: Endpoint) =>
  notFound('endpoint_not_served', `No target of the model ${JSON.stringify(shown(model))} serves ${endpoint}.`);

export const modelNotAllowed = (model: string) =>
  new Problem(403, 'model_not_allowed', `The key may not use the model ${JSON.stringify(shown(model))}.`);

type Refusal = Extract<Choice, { kind: 'refuse' }>;

const REFUSALS: Readonly<Record<Refusal['reason'], { code: string; message: string }>> = {
  queue_full: { code: 'queue_full', message: 'Too many requests wait for the model already.' },
  deadline: {
    code: 'model_not_ready',
    message: 'No target of the model is ready within the time that the request may wait.',
  },
  disabled: { code: 'model_unavailable', message: 'Every target of the model is disabled.' },
  no_target: { code: 'model_unavailable', message: 'No target serves the model now.' },
};

/** A queue may have room at once: clients that are as fast would only fill it again. */
const LEAST_RETRY_MS = 1_000;

/** No target serves it in time; its headers say when to retry, by measured starts and requests. */
export function notServed({ reason, retryAfterMs }: Pick<Refusal, 'reason' | 'retryAfterMs'>): Problem {
  const { code, message } = REFUSALS[reason];
  return new Problem(503, code, message, { headers: retryAfter(Math.max(retryAfterMs, LEAST_RETRY_MS)) });
}

/** It is the caller's own text. */
const shown = (model: string): string => (model.length > 100 ? `${model.slice(0, 100)}…` : model);
