import { Problem } from '../../1-platform/common/answers/problem';

export const unreadable = (fault: string, cause?: unknown): Problem =>
  new Problem(400, 'unreadable_samples', `The body ${fault}.`, { cause });

export const tooMuchAtOnce = (fault: string): Problem => new Problem(413, 'body_too_large', `The body holds ${fault}.`);

/** Senders wait, and send the same again. */
export const tooBusy = (): Problem =>
  new Problem(429, 'too_many_samples', 'Too many samples are in progress in this instance; try again.', {
    headers: { 'retry-after': '1' },
  });

/** Final: the storable samples are stored, and the rest never will be. */
export const someRefused = (message: string, headers: Record<string, string>): Problem =>
  new Problem(400, 'samples_refused', message, { headers });

export const unsupported = (what: string): Problem => new Problem(415, 'unsupported_media_type', what);
