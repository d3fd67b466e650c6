import {
  conflict,
  forbidden,
  notFound,
  Problem,
  secondsText,
  unavailable,
} from '../../1-platform/common/answers/problem';
import type { ProviderFault } from './providers/instance-provider';

/** Seconds after which to retry a marketplace that does not state a time. */
const RETRY_AFTER_S = 5;

export const instanceNotFound = () => notFound('instance_not_found', 'No such instance.');

export const burstingNotConfigured = () =>
  new Problem(503, 'bursting_not_configured', 'No marketplace is configured (MARKETPLACE_API_KEY).');

export const machineOfAnotherKey = () =>
  conflict(
    'machine_of_another_key',
    'The machine was rented with another key of the marketplace, and the configured one does not list it. ' +
      'Delete it with that key configured, or at the marketplace; then an admin may have it forgotten (forget=true).',
  );

export const onlyAdminsForget = () =>
  forbidden('Only admins have a machine forgotten: it may run on, and nobody would delete it.');

export const instanceNotAsked = () =>
  conflict(
    'instance_not_asked',
    'The instance was deleted, or given up, before it was requested from the marketplace.',
  );

/** A paused or overloaded process: the same request may be sent again. */
export const instanceNotSent = () =>
  unavailable(
    'marketplace_unavailable',
    'The marketplace was not asked, because the service was held up. The record of this attempt stays.',
  );

/** @param words the marketplace's message, if it may be shown */
export const instanceRefused = (words: string | undefined) =>
  new Problem(
    400,
    'instance_refused',
    words === undefined
      ? 'The marketplace refuses this instance. Its message is missing, or withheld because it may contain ' +
          'secrets of the request.'
      : `The marketplace refuses this instance: ${words}`,
  );

/** A failure after which it is certain that nothing was executed. */
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
      return new Problem(503, 'bursting_key_refused', 'The marketplace refuses the configured key.', {
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
