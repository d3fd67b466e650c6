import { isJsonObject } from '../../1-platform/common/json/json';
import { invalidField } from '../../1-platform/common/answers/problem';

/** Longest message of Slurm that an answer repeats. */
const MAX_REPEATED = 200;

/**
 * Whether Slurm says that the call failed whose answer is sent. It prints
 * empty lists then, and those are no set of anything.
 * @param errors of its envelope
 */
export const tellsOfFailure = (errors: unknown): errors is unknown[] => Array.isArray(errors) && errors.length > 0;

export const failedCall = (errors: readonly unknown[]) =>
  invalidField('errors', `must be empty: Slurm says that its call failed (${messageOf(errors[0])})`);

function messageOf(error: unknown): string {
  const told = isJsonObject(error) ? [error.description, error.error] : [error];
  const texts = told.filter((text) => typeof text === 'string' && text !== '');
  const message = texts.join(': ').slice(0, 4 * MAX_REPEATED);
  // One line of text that can be shown.
  const line = message
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line === '') return 'no message';
  return line.length > MAX_REPEATED ? `${line.slice(0, MAX_REPEATED).toWellFormed()}…` : line;
}
