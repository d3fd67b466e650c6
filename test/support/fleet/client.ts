import type { Journal } from './journal';
import { Stopped, type Pace } from './pace';

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** An answer that the simulation cannot handle, or a crashed actor. */
export interface Fault {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

/** The answer is already in `faults`; the caller continues with something else. */
export class Unexpected extends Error {}

/** Calls the service, and continues whatever it answers. */
export async function goOn(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
  }
}

/** The service is not running, or not yet running again. */
export const UNAVAILABLE = new Set([429, 502, 503, 504]);
const RETRY_AFTER_MS = 250;

/** A call without any answer is repeated after this time. */
const ANSWER_WITHIN_MS = 45_000;

/** A call that waits for events takes as long as it was allowed. */
const WAITS = 'wait_ms=';

interface Expectation {
  /** Error statuses that have a meaning to the caller. */
  readonly also?: readonly number[];
  /** Statuses that only mean that an earlier attempt, whose answer was lost, took effect. */
  readonly onRetry?: readonly number[];
}

/** Calls the service as one role and repeats until it answers, so a lost answer means "at least once". */
export class Client {
  constructor(
    private readonly url: string,
    private readonly role: string,
    private readonly token: string,
    private readonly pace: Pace,
    private readonly journal: Journal,
    readonly faults: Fault[],
  ) {}

  get<Body>(path: string, expectation?: Expectation): Promise<Answer<Body>> {
    return this.send<Body>('GET', path, undefined, expectation);
  }
  post<Body>(path: string, body?: object, expectation?: Expectation): Promise<Answer<Body>> {
    return this.send<Body>('POST', path, body, expectation);
  }
  put<Body>(path: string, body: object): Promise<Answer<Body>> {
    return this.send<Body>('PUT', path, body);
  }
  patch<Body>(path: string, body: object, expectation?: Expectation): Promise<Answer<Body>> {
    return this.send<Body>('PATCH', path, body, expectation);
  }

  /** @throws Unexpected; Stopped */
  private async send<Body>(
    method: string,
    path: string,
    body?: object,
    { also = [], onRetry = [] }: Expectation = {},
  ): Promise<Answer<Body>> {
    for (let tries = 1; ; tries++) {
      this.pace.check();
      const answer = await this.once<Body>(method, path, body);
      if (answer && !UNAVAILABLE.has(answer.status)) {
        const { status } = answer;
        if (status < 300 || also.includes(status) || (tries > 1 && onRetry.includes(status))) return answer;
        this.faults.push({ method, path, status, body: JSON.stringify(answer.body) });
        throw new Unexpected(`${method} ${path} answered ${status}`);
      }
      this.journal.did(this.role, 'retried', { method, path, status: answer?.status ?? 0 });
      await this.pace.sleep(RETRY_AFTER_MS);
    }
  }

  /** @returns undefined if the connection broke */
  private async once<Body>(method: string, path: string, body?: object): Promise<Answer<Body> | undefined> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    try {
      const signal = AbortSignal.any([this.pace.patience, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
      const began = performance.now();
      const response = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body), signal });
      const text = await response.text();
      if (!path.includes(WAITS)) this.pace.answered(performance.now() - began);
      const type = response.headers.get('content-type') ?? '';
      return {
        status: response.status,
        body: (type.includes('json') ? JSON.parse(text) : text) as Body,
        headers: response.headers,
      };
    } catch (error) {
      if (this.pace.patience.aborted) throw new Stopped('the fleet stops');
      // The connection broke, or no answer arrived.
      if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return undefined;
      throw error;
    }
  }
}
