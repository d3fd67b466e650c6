import type { components } from './schema';

export interface Fault {
  readonly field: string;
  readonly message: string;
}

/** A failed request, in the words of the service. */
export class ProblemError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
    readonly requestId: string | undefined,
    /** The members of the request that it refuses, by their paths. */
    readonly faults: readonly Fault[] = [],
  ) {
    super(detail);
  }

  /** Without an answer there is no status. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }

  get isForbidden(): boolean {
    return this.status === 403;
  }

  get isMissing(): boolean {
    return this.status === 404;
  }
}

type ProblemView = components['schemas']['ProblemView'];

const isProblem = (body: unknown): body is ProblemView =>
  typeof body === 'object' && body !== null && 'code' in body && 'title' in body;

/** How endpoints of OpenAI's API refuse. */
interface OpenAiError {
  readonly error: { readonly message: string; readonly code?: string | null };
}

const isOpenAiError = (body: unknown): body is OpenAiError =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as { error?: { message?: unknown } | null }).error?.message === 'string';

/** @param body what was sent: failures of a proxy are no problems of the service */
export function problemOf(response: Response, body: unknown): ProblemError {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (isProblem(body))
    return new ProblemError(response.status, body.code, body.title, body.detail, requestId, body.errors ?? []);
  if (isOpenAiError(body)) {
    const { message, code } = body.error;
    return new ProblemError(response.status, code ?? 'unknown', titleOf(response), message, requestId);
  }
  const title = titleOf(response);
  return new ProblemError(response.status, 'unknown', title, 'The answer has no explanation.', requestId);
}

const titleOf = ({ status, statusText }: Response): string => statusText || `Status ${status}`;

export const unreachable = (): ProblemError =>
  new ProblemError(0, 'unreachable', 'Not reachable', 'The service does not answer. Is it running?', undefined);

/** Of whatever a query threw. */
export const problemFrom = (error: unknown): ProblemError =>
  error instanceof ProblemError
    ? error
    : new ProblemError(0, 'console', 'Error in the console', error instanceof Error ? error.message : '', undefined);
