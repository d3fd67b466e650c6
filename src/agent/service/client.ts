import createClient, { type Client } from 'openapi-fetch';
import { timestamp } from '../clock';
import { ServiceProblem, ServiceUnreachable } from './problems';
import { DEFAULT_RETRIES, pause, pauseBefore, type RetrySettings } from './retries';
import type { paths } from './schema';
import { TokenSource, TokenUnreadable, type TokenSettings } from './token';

export interface ServiceSettings extends TokenSettings {
  readonly url: string;
  readonly retries?: RetrySettings;
  /** Time for one attempt. */
  readonly deadlineMs?: number;
  /** Runs each request, such as only so many at once. */
  readonly limit?: <T>(request: () => Promise<T>) => Promise<T>;
  /** Ends requests and pauses: the agent stops. */
  readonly signal?: AbortSignal;
}

const DEFAULT_DEADLINE_MS = 30_000;

/** Statuses of a service, or of a proxy before it, that may answer a later attempt. */
const TRANSIENT = new Set([429, 502, 503, 504]);

/** What an operation needs beside its members. */
interface Attempts {
  /** Added to the deadline of an attempt: the time for which the service waits by design. */
  readonly waitMs?: number;
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The service, typed by its description. Each request has a deadline and is repeated where that is safe, but
 * not after a signal of its own; a refusal is a `ServiceProblem`, an outage a `ServiceUnreachable`.
 * @typeParam Paths the part of the description that its user calls; by default, the agent's
 */
export class ServiceClient<Paths extends object = paths> {
  private readonly token: TokenSource;
  private readonly url: string;

  constructor(private readonly settings: ServiceSettings) {
    this.token = new TokenSource(settings);
    this.url = settings.url.replace(/(?<!\/)\/+$/, '');
  }

  /**
   * @param operation its name for messages, such as `create_checkpoint`
   * @param call sends it with the client that it gets
   */
  async send<T>(
    operation: string,
    call: (api: Client<Paths>) => Promise<Answer<T>>,
    attempts: Attempts = {},
  ): Promise<T> {
    const { limit = (request) => request() } = this.settings;
    const { data, error, response } = await limit(() => call(this.api(operation, attempts)));
    if (!response.ok) throw ServiceProblem.of(operation, response.status, error);
    return data as T;
  }

  /**
   * For callers that read refusals themselves.
   * @param operation its name for messages
   */
  api(operation: string, attempts: Attempts = {}): Client<Paths> {
    return createClient<Paths>({
      baseUrl: this.url,
      bodySerializer: (body: unknown) => JSON.stringify(body, storable),
      fetch: (request) => this.fetch(operation, request, attempts),
    });
  }

  private async fetch(operation: string, request: Request, { waitMs = 0 }: Attempts): Promise<Response> {
    const { retries = DEFAULT_RETRIES, deadlineMs = DEFAULT_DEADLINE_MS, signal } = this.settings;
    // Its caller waits only so long, for all attempts.
    const { signal: own } = request;
    const end = signal ? AbortSignal.any([signal, own]) : own;
    const body = request.body === null ? undefined : await request.arrayBuffer();
    // A POST without a key may have had its effect when its answer was lost.
    const repeatable = request.method !== 'POST' || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const deadline = AbortSignal.timeout(deadlineMs + waitMs);
      const headers = await this.withToken(operation, request.headers);
      let reason: string;
      let retryAfter: string | null = null;
      let fault: unknown;
      try {
        const response = await fetch(request.url, {
          method: request.method,
          headers,
          body,
          signal: AbortSignal.any([end, deadline]),
        });
        // Read here, so that a body that breaks off is an attempt that failed.
        const text = await response.text();
        if (!TRANSIENT.has(response.status) || attempt >= retries.attempts || !repeatable)
          return new Response(hasBody(response) ? text : null, response);
        reason = `it answered ${response.status}`;
        retryAfter = response.headers.get('retry-after');
      } catch (error) {
        signal?.throwIfAborted();
        fault = error;
        const inMs = own.aborted ? 'in time' : `in ${deadlineMs + waitMs} ms`;
        reason = own.aborted || deadline.aborted ? `no answer ${inMs}` : faultText(error);
      }
      const isLast = fault !== undefined && (attempt >= retries.attempts || !repeatable);
      if (!isLast) await pause(pauseBefore(attempt, retries, retryAfter, Date.parse(timestamp())), end);
      if (isLast || own.aborted) throw new ServiceUnreachable(operation, reason, { cause: fault });
    }
  }

  private async withToken(operation: string, sent: Headers): Promise<Headers> {
    const headers = new Headers(sent);
    try {
      const token = await this.token.current();
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    } catch (error) {
      if (error instanceof TokenUnreadable) throw new ServiceUnreachable(operation, error.message, { cause: error });
      throw error;
    }
    return headers;
  }
}

/**
 * A text that PostgreSQL can store. Reports quote command lines, logs and hooks, which hold anything, and one
 * bad character would have the whole report refused.
 */
const storable = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value;

/** Statuses whose answer may have no body, by the Fetch standard. */
const hasBody = ({ status }: Response): boolean => ![101, 204, 205, 304].includes(status);

/** The cause of a failed fetch in a few words: its code, where it has one. */
function faultText(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    // Several addresses were tried: the first one says enough.
    if (at instanceof AggregateError && at.errors[0] instanceof Error) return faultText(at.errors[0]);
  }
  return error instanceof Error ? error.message : 'unknown';
}
