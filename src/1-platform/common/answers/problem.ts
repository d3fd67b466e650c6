import type { ProblemView } from './problem.dto';

/** One fault of a request, with its path (`resources[3].metadata.uid`). */
export interface FieldFault {
  field: string;
  message: string;
}

interface ProblemOptions {
  errors?: FieldFault[];
  /** Headers that belong to the answer, such as `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
  /** What is asked for is done already: by another request, or by a repetition of this one. */
  isDone?: boolean;
  /** Further members of the answer. */
  members?: Pick<ProblemView, 'oldest_event_id' | 'head' | 'last_seen_at' | 'error'>;
}

/**
 * A 4xx or 5xx answer with a stable code. The message is public: it never names a statement, a stack or
 * another organisation's rows. It is thrown anywhere, and one filter turns it into
 * `application/problem+json`.
 */
export class Problem extends Error {
  readonly errors?: FieldFault[];
  readonly headers: Record<string, string>;
  readonly isDone: boolean;
  readonly members: NonNullable<ProblemOptions['members']>;

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options: ProblemOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.isDone = options.isDone ?? false;
    this.members = options.members ?? {};
  }
}

/** Number of faults in one answer, and in its sentence. */
const MAX_FAULTS = 100;
const MAX_FAULTS_IN_TEXT = 5;

export function invalid(errors: FieldFault[], options: Omit<ProblemOptions, 'errors'> = {}): Problem {
  const named = errors.slice(0, MAX_FAULTS_IN_TEXT).map((e) => `${e.field} ${e.message}`);
  const more = errors.length > named.length ? [`and ${errors.length - named.length} more`] : [];
  const text = [...named, ...more].join('; ');
  return new Problem(400, 'validation_failed', text, { ...options, errors: errors.slice(0, MAX_FAULTS) });
}

export const invalidField = (field: string, message: string): Problem => invalid([{ field, message }]);

export const forbidden = (message: string): Problem => new Problem(403, 'forbidden', message);

export const notFound = (code: string, message: string): Problem => new Problem(404, code, message);

export const conflict = (code: string, message: string, options: Pick<ProblemOptions, 'isDone'> = {}): Problem =>
  new Problem(409, code, message, options);

export const unavailable = (code: string, message: string, cause?: unknown): Problem =>
  new Problem(503, code, message, { headers: { 'retry-after': '1' }, cause });

/** A time for `Retry-After`: whole seconds, at least one. */
export const secondsText = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / 1_000)));

/** Clients of OpenAI's API wait for less than a minute: for a longer time, they wait for half a second. */
const MAX_RETRY_AFTER_MS = 59_000;

/** When to retry, also for clients of OpenAI's API, which read the second header first. */
export const retryAfter = (milliseconds: number): Record<string, string> => ({
  'retry-after': secondsText(milliseconds),
  'retry-after-ms': String(Math.min(Math.ceil(milliseconds), MAX_RETRY_AFTER_MS)),
});
