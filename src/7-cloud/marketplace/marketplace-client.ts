import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector } from 'undici';
import { invariant } from '../../1-platform/common/invariant';
import { isJsonObject, jsonIfAny } from '../../1-platform/common/json/json';
import { definedMembers } from '../../1-platform/common/fields/defined-members';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment, MarketplaceSettings } from '../../1-platform/config/environment';
import { ProviderFault, type ProviderFaultKind } from '../instances/providers/instance-provider';
import { plain, containsSecret } from '../instances/providers/secret-redaction';
import { ConcurrencyLimit } from './concurrency-limit';
import { MarketplaceMetrics, type MarketplaceOperation, type MarketplaceOutcome } from './marketplace-metrics';

/** Resolving, connecting and the handshake. */
const CONNECT_TIMEOUT_MS = 3_000;

/** Of a reply; some thousand machines, or all types of some hundred clouds. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Characters of an error message that are kept. */
const MAX_WORDS = 300;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Concurrent requests to the marketplace, per replica: others wait for a place, for at most half of their
 * time.
 */
const MAX_CONNECTIONS = 16;

/** Only reads are retried, if the marketplace could not answer them. */
const ATTEMPTS = 3;
const PAUSE_MS = 250;
/** A read does not wait if it must come back later than this. */
const MAX_PAUSE_MS = 2_000;

export interface MarketplaceAsk<T> {
  readonly operation: MarketplaceOperation;
  readonly method: 'GET' | 'POST';
  /** After the base of the API; its parts are encoded. */
  readonly path: string;
  readonly body?: object;
  /**
   * Reads a reply of 2xx, which is undefined if it is not JSON. @returns undefined if it cannot be read: only
   * a reply that was read counts as one
   */
  readonly reader: (reply: unknown) => T | undefined;
}

/** No connection was established: nothing was sent. */
class NotConnected extends Error {}

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/**
 * Speaks HTTP with the marketplace, whatever the request. Only the operator configures its address: callers
 * cannot influence it. Each request has its own connection, so that none is sent into a closing one, after
 * which its arrival would be unknown. Redirects are failures: the key goes nowhere else.
 */
@Injectable()
export class MarketplaceClient implements OnApplicationShutdown {
  readonly settings: MarketplaceSettings | undefined;
  private readonly agent: Agent | undefined;
  private readonly connections = new ConcurrencyLimit(MAX_CONNECTIONS);

  constructor(
    @Inject(ENVIRONMENT) { marketplace }: Environment,
    private readonly metrics: MarketplaceMetrics,
  ) {
    this.settings = marketplace;
    this.agent = marketplace && agentOf(marketplace);
  }

  /** @throws ProviderFault */
  async read<T>(ask: Omit<MarketplaceAsk<T>, 'method'>): Promise<T> {
    const limit = this.timeLimit();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once({ ...ask, method: 'GET' }, limit);
      } catch (error) {
        const pause = pauseBeforeRetry(error, attempt);
        if (pause === undefined) throw error;
        await sleep(pause);
        if (limit.aborted) throw error;
      }
    }
  }

  /** Sends the request once, whatever happens. @throws ProviderFault */
  async once<T>(ask: MarketplaceAsk<T>, limit = this.timeLimit()): Promise<T> {
    const began = performance.now();
    const observe = (outcome: MarketplaceOutcome): void =>
      this.metrics.count(ask.operation, outcome, (performance.now() - began) / 1_000);
    try {
      const value = ask.reader(await this.send(ask, limit));
      // A reply of 2xx that cannot be read means that the request was executed.
      if (value === undefined) throw new ProviderFault('unreadable', { mayHaveHappened: true });
      observe('done');
      return value;
    } catch (error) {
      observe(error instanceof ProviderFault ? error.kind : 'defect');
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent?.destroy();
  }

  /** The total time that one caller waits. */
  private timeLimit(): AbortSignal {
    invariant(this.settings, 'the marketplace is asked where there is one');
    return AbortSignal.timeout(this.settings.timeoutMs);
  }

  /** @returns a reply of 2xx if it is JSON, else undefined */
  private async send(ask: MarketplaceAsk<unknown>, limit: AbortSignal): Promise<unknown> {
    invariant(this.settings, 'the marketplace is asked where there is one');
    // A request that is sent when its time is nearly up would end with an unknown result.
    if (!(await this.connections.take(this.settings.timeoutMs / 2))) throw new ProviderFault('busy');
    try {
      return await this.sendNow(ask, limit);
    } finally {
      this.connections.giveBack();
    }
  }

  private async sendNow(
    { operation, method, path, body }: MarketplaceAsk<unknown>,
    limit: AbortSignal,
  ): Promise<unknown> {
    invariant(this.agent && this.settings, 'the marketplace is asked where there is one');
    const { url, key } = this.settings;
    const { origin, pathname } = new URL(`${url}${path}`);
    let reply: Reply;
    try {
      const {
        statusCode,
        headers,
        body: stream,
      } = await this.agent.request({
        origin,
        path: pathname,
        method,
        headers: {
          'x-api-key': key,
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: limit,
      });
      const after = headers['retry-after'];
      reply = { status: statusCode, retryAfter: Array.isArray(after) ? after[0] : after, text: await textOf(stream) };
    } catch (error) {
      throw faultOf(error, limit.aborted);
    }
    if (reply.status >= 200 && reply.status < 300) return jsonIfAny(reply.text);
    throw refusal(reply, operation, key);
  }
}

function agentOf({ timeoutMs }: MarketplaceSettings): Agent {
  const connect = buildConnector({ timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) });
  return new Agent({
    connections: MAX_CONNECTIONS,
    // Every connection is closed after its request.
    pipelining: 0,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: (target, done) =>
      connect(target, (error, socket) =>
        error ? done(new NotConnected('not connected', { cause: error }), null) : done(null, socket),
      ),
  });
}

class TooLong extends Error {}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new TooLong('the reply is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The error of a connection. */
function faultOf(error: unknown, timeIsUp: boolean): ProviderFault {
  if (error instanceof NotConnected) return new ProviderFault('unreachable', { cause: error.cause });
  const { code } = error as { code?: string };
  const silent = timeIsUp || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const kind: ProviderFaultKind = error instanceof TooLong ? 'unreadable' : silent ? 'silent' : 'broken';
  return new ProviderFault(kind, { mayHaveHappened: true, cause: error });
}

const NO_CAPACITY = /capacity|out of stock|sold out|unavailable|not available|no longer available/i;

/**
 * What every valid key may read: such a request has nothing to refuse. A 403 to another operation may be
 * about one machine, or about a limit of the account, and says nothing of the key.
 */
const OF_THE_ACCOUNT: ReadonlySet<MarketplaceOperation> = new Set(['list', 'types']);

const OF_ONE_MACHINE: ReadonlySet<MarketplaceOperation> = new Set(['info', 'delete']);

/** The meaning of a status other than 2xx. */
function refusal({ status, retryAfter, text }: Reply, operation: MarketplaceOperation, key: string): ProviderFault {
  // Seconds, as this API sends them; a date is treated as missing.
  const seconds = /^\d{1,5}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  const body = jsonIfAny(text);
  const said = isJsonObject(body) ? [body.message, body.error].find((word) => typeof word === 'string') : undefined;
  // Cut before anything else: it may be as long as a reply.
  const shown = said === undefined ? undefined : plain(said.slice(0, MAX_WORDS));
  const words = shown === undefined || containsSecret(shown, [key]) ? undefined : shown;
  const details = definedMembers({ status, retryAfterSeconds: seconds });
  const isOfKey = status === 401 || (status === 403 && OF_THE_ACCOUNT.has(operation));
  if (isOfKey) return new ProviderFault('key_refused', details);
  if (status === 429) return new ProviderFault('busy', details);
  // "See Other": the request was executed.
  if (status < 400) return new ProviderFault('failing', { ...details, mayHaveHappened: status === 303 });
  if (status === 408 || status >= 500) return new ProviderFault('failing', { ...details, mayHaveHappened: true });
  if (OF_THE_ACCOUNT.has(operation)) return new ProviderFault('failing', details);
  if (status === 404 && OF_ONE_MACHINE.has(operation)) return new ProviderFault('unknown', details);
  const full = operation === 'create' && NO_CAPACITY.test(words ?? '');
  return new ProviderFault(full ? 'no_capacity' : 'refused', definedMembers({ ...details, words }));
}

/** @returns milliseconds, or undefined if the request is not retried */
function pauseBeforeRetry(error: unknown, attempt: number): number | undefined {
  if (attempt === ATTEMPTS || !(error instanceof ProviderFault)) return undefined;
  if (error.kind !== 'busy' && (error.kind !== 'failing' || (error.status ?? 0) < 500)) return undefined;
  const pause = error.retryAfterSeconds === undefined ? PAUSE_MS * attempt : error.retryAfterSeconds * 1_000;
  return pause <= MAX_PAUSE_MS ? pause : undefined;
}
