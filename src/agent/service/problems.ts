import type { components } from './schema';

export type ProblemMembers = Partial<components['schemas']['ProblemView']>;

/** The service refused a request, or failed. */
export class ServiceProblem extends Error {
  constructor(
    readonly operation: string,
    readonly status: number,
    /** Stable name of the problem; `http_<status>` if the answer names none. */
    readonly code: string,
    readonly detail: string,
    readonly members: ProblemMembers = {},
  ) {
    super(`${operation} was answered with ${status} ${code}: ${detail}`);
  }

  /** @param body the answer, as JSON or text */
  static of(operation: string, status: number, body: unknown): ServiceProblem {
    const members = isMembers(body) ? body : {};
    const { code = `http_${status}`, detail = unnamedDetail(status, body) } = members;
    return new ServiceProblem(operation, status, String(code), String(detail), members);
  }
}

const MAX_DETAIL = 500;
const TOO_LARGE = 413;

/** Of an answer without a detail, which is not from the service. A proxy's page does not say what to do. */
function unnamedDetail(status: number, body: unknown): string {
  if (status === TOO_LARGE) return 'A proxy before the service refuses bodies of this size: raise its limit.';
  return typeof body === 'string' ? body.slice(0, MAX_DETAIL) : '';
}

const isMembers = (body: unknown): body is ProblemMembers =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

/** The service was not reached, or was too busy, in all the attempts that a request has. */
export class ServiceUnreachable extends Error {
  constructor(
    readonly operation: string,
    /** Why, in a few words. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${operation} did not reach the service: ${reason}`, options);
  }
}

/** Whether the service answered with one of these codes. */
export const isProblem = (error: unknown, ...codes: string[]): error is ServiceProblem =>
  error instanceof ServiceProblem && codes.includes(error.code);

/** Whether the same request may succeed later: the service is down or busy, or the token is replaced. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ServiceUnreachable ||
  (error instanceof ServiceProblem && (error.status >= 500 || [401, 403, 408, 429].includes(error.status)));
