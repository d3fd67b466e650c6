import { Problem, unavailable } from '../../1-platform/common/answers/problem';

export const unreadable = (fault: string, cause?: unknown): Problem =>
  new Problem(400, 'unreadable_samples', `The body ${fault}.`, { cause });

export const tooMuchAtOnce = (fault: string): Problem => new Problem(413, 'body_too_large', `The body holds ${fault}.`);

/** Senders wait, and send the same again. Prometheus drops the samples of a request that is answered 429. */
export const tooBusy = (): Problem =>
  unavailable('too_many_samples', 'Too many samples are in progress in this instance; try again.');

/** What is known is stored; senders send the same again. */
export const notCounted = (): Problem =>
  unavailable('database_busy', 'The database could not count the series of the organisation in time; try again.');

/** Final: the storable samples are stored, and the rest never will be. */
export const someRefused = (message: string, headers: Record<string, string>): Problem =>
  new Problem(400, 'samples_refused', message, { headers });

export const unsupported = (what: string): Problem => new Problem(415, 'unsupported_media_type', what);
