import type { Schemas } from '../../api/client';
import { ProblemError } from '../../api/problem';

/**
 * What is known of an operation, or the problem that no node has reported it yet. That is no failure: many
 * links lead to what was only requested.
 */
export type Reported = Schemas['OperationFactDetailView'] | ProblemError;

/**
 * @param before what was read before: an operation that was there and is missing now is a failure
 * @returns the problem, if it is that nothing was reported yet
 * @throws anything else
 */
export function unreported(error: unknown, before: Reported | undefined): ProblemError {
  const isKnown = before !== undefined && !(before instanceof ProblemError);
  if (error instanceof ProblemError && error.code === 'operation_not_found' && !isKnown) return error;
  throw error;
}

/** While it runs, its stages arrive one by one. */
export const RUNNING_MS = 1_500;
/** An id may be nobody's, so this is read less often than what runs, and after a minute as lists are. */
const UNREPORTED_MS = 5_000;
const UNREPORTED_READS = 12;

/** @returns milliseconds; undefined: as often as lists */
export function readAgainAfter({ data, dataUpdateCount: reads }: State): number | undefined {
  if (data instanceof ProblemError) return reads < UNREPORTED_READS ? UNREPORTED_MS : undefined;
  return data?.result === 'running' ? RUNNING_MS : undefined;
}

interface State {
  readonly data: Reported | undefined;
  readonly dataUpdateCount: number;
}
