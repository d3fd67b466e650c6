import { isJsonObject } from '../../1-platform/common/json/json';
import { invalidField } from '../../1-platform/common/answers/problem';

/** Maximum length of Slurm's message in an answer. */
const MAX_REPEATED = 200;

/**
 * Whether Slurm reports that its call failed. It then prints empty lists, which are not a set of anything.
 * @param errors of its envelope
 */
export const tellsOfFailure = (errors: unknown): errors is unknown[] => Array.isArray(errors) && errors.length > 0;

export const failedCall = (errors: readonly unknown[]) =>
  invalidField('errors', `must be empty: Slurm says that its call failed (${messageOf(errors[0])})`);

function messageOf(error: unknown): string {
  const candidates = isJsonObject(error) ? [error.description, error.error] : [error];
  const texts = candidates.filter((text) => typeof text === 'string' && text !== '');
  const message = texts.join(': ').slice(0, 4 * MAX_REPEATED);
  // One line of printable text.
  const line = message
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line === '') return 'no message';
  return line.length > MAX_REPEATED ? `${line.slice(0, MAX_REPEATED).toWellFormed()}…` : line;
}
