import { conflict, notFound, Problem, secondsText, unavailable } from '../../1-platform/common/answers/problem';
import type { ProviderFault } from './providers/instance-provider';

/** Seconds after which a marketplace that says nothing of it may be asked again. */
const RETRY_AFTER_S = 5;

export const instanceNotFound = () => notFound('instance_not_found', 'No such instance.');

export const burstingNotConfigured = () =>
  new Problem(503, 'bursting_not_configured', 'No marketplace is configured (MARKETPLACE_API_KEY).');

export const instanceNotAsked = () =>
  conflict('instance_not_asked', 'The instance was deleted, or given up, before the marketplace was asked for it.');

/** @param words what the marketplace said, where that may be told */
export const instanceRefused = (words: string | undefined) =>
  new Problem(
    400,
    'instance_refused',
    words === undefined
      ? 'The marketplace refuses this instance. Its words are left out: there are none, or they may hold what the request keeps secret.'
      : `The marketplace refuses this instance: ${words}`,
  );

/** A failure of which it is certain that nothing came of what was asked. */
export function providerProblem(fault: ProviderFault, words?: string): Problem {
  switch (fault.kind) {
    case 'refused':
      return instanceRefused(words);
    case 'no_capacity':
      return conflict(
        'out_of_capacity',
        'The marketplace has no capacity left for this instance: take another type or region.',
      );
    case 'key_refused':
      return new Problem(503, 'bursting_key_refused', 'The marketplace refuses the key that is configured.', {
        cause: fault,
      });
    case 'busy':
      return new Problem(503, 'marketplace_busy', 'The marketplace takes no more requests for now.', {
        headers: { 'retry-after': secondsText((fault.retryAfterSeconds ?? RETRY_AFTER_S) * 1_000) },
        cause: fault,
      });
    default:
      return unavailable('marketplace_unavailable', `Nothing was done: ${fault.message}.`, fault);
  }
}
