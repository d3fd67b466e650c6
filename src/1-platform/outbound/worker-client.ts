import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy';

/** Connections to one worker, one per request in progress: further requests wait until one ends. */
const MAX_CONNECTIONS_PER_ORIGIN = 4_096;

/** For resolving, connecting and the handshake. */
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Below the 5 s after which common engines close an idle connection: a request on a closing connection is
 * lost.
 */
const KEEP_ALIVE_MS = 4_000;

/** A worker may request a longer time, up to this. */
const MAX_KEEP_ALIVE_MS = 60_000;

/** For the names and values of all headers of an answer. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Bytes of an answer that are buffered for a slow reader; the rest stays in the network. */
const BODY_BUFFER_BYTES = 64 * 1024;

export type UnreachableReason =
  /** The address is not permitted; no connection was made. */
  | 'address_refused'
  /** No connection: the worker has not seen the request. */
  | 'connect'
  /** No connection within the time of the caller: one may come later. Nothing was sent. */
  | 'slow_connect'
  /** Connected, and silent for too long. */
  | 'timeout'
  /** The connection broke, or the answer is not HTTP: the worker may have seen the request. */
  | 'broken';

const MESSAGES: Record<UnreachableReason, string> = {
  address_refused: 'the address of the worker is not permitted',
  connect: 'the worker cannot be connected to',
  slow_connect: 'connecting to the worker took too long',
  timeout: 'the worker does not answer',
  broken: 'the worker broke off',
};

/** The message is public. The cause is for the log: it may contain addresses, but no credentials. */
export class WorkerUnreachable extends Error {
  constructor(
    readonly reason: UnreachableReason,
    cause?: unknown,
  ) {
    super(MESSAGES[reason], { cause });
  }
}

export interface WorkerRequest {
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
  readonly signal: AbortSignal;
  /** For callers that wait for less time than the client does to connect: see `slow_connect`. */
  readonly connectWithinMs?: number;
}

export interface WorkerAnswer {
  readonly status: number;
  /** By lower-case names; several headers of one name are a list. */
  readonly headers: Record<string, string | string[] | undefined>;
  /**
   * The body as it arrives. It ends with an error that is a `WorkerUnreachable` or the signal's reason;
   * destroying it closes the connection. An answer that is not read to its end holds a connection.
   */
  readonly body: Readable;
}

export interface WorkerClientOptions {
  /**
   * How long a worker may send nothing: from the request to the answer's headers, and between two pieces of
   * the body. An answer without a stream comes when all of it is computed.
   */
  readonly answerTimeoutMs: number;
  readonly connectTimeoutMs?: number;
  /** Another resolver than the system's. */
  readonly resolve?: typeof systemLookup;
}

const TIMEOUT_CODES: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** An error of a connection, in the terms of this client. */
function unreachable(error: Error & { code?: unknown }): Error {
  // A request that cannot be written is a defect of ours.
  if (error instanceof WorkerUnreachable || error.code === 'UND_ERR_INVALID_ARG') return error;
  return new WorkerUnreachable(TIMEOUT_CODES.has(error.code) ? 'timeout' : 'broken', error);
}

/** The body of an answer. */
class AnswerBody extends Readable {
  constructor(
    private readonly controller: Dispatcher.DispatchController,
    private readonly left: () => void,
  ) {
    super({ highWaterMark: BODY_BUFFER_BYTES });
    // If a worker breaks off before anybody reads, a later reader gets the error, and the process does not
    // end.
    this.on('error', () => undefined);
  }

  arrived(chunk: Buffer): void {
    if (!this.push(chunk)) this.controller.pause();
  }

  whole(): void {
    this.push(null);
  }

  override _read(): void {
    this.controller.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.left();
    // Has no effect if all of it has arrived.
    if (!this.readableEnded) this.controller.abort(error ?? new Error('the reader left'));
    // Not before the recipient of the body could listen.
    if (error) setImmediate(done, error);
    else done(null);
  }
}

/**
 * One request and its answer.
 *
 * Hot: its functions are bound. A constructor whose closures hold its `this` or its parameters
 * makes V8 keep what a request was made of until the next full collection (measured with Node
 * 24.21: 12 of the 65 KB of a chat, and a fifth of its time).
 */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private body: AnswerBody | undefined;
  private readonly abort = this.aborted.bind(this);
  private readonly release = this.forgetSignal.bind(this);
  /** Why nobody waits for it any more. */
  private givenUp: Error | undefined;
  private readonly timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly signal: AbortSignal,
    private readonly resolve: (answer: WorkerAnswer) => void,
    private readonly reject: (reason: unknown) => void,
    connectWithinMs: number | undefined,
  ) {
    signal.addEventListener('abort', this.abort);
    if (connectWithinMs !== undefined) this.timer = setTimeout(Exchange.unconnected, connectWithinMs, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.timer);
    // Given up while it was connecting or queued: nothing was sent.
    if (this.givenUp) controller.abort(this.givenUp);
    else this.controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WorkerAnswer['headers']): void {
    if (status < 200) return;
    this.body = new AnswerBody(controller, this.release);
    this.resolve({ status, headers, body: this.body });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body?.arrived(chunk);
  }

  onResponseEnd(): void {
    this.body?.whole();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.release();
    const fault = unreachable(error);
    this.reject(fault);
    this.body?.destroy(fault);
  }

  private aborted(): void {
    this.giveUp(this.signal.reason as Error);
  }

  private static unconnected(this: void, exchange: Exchange): void {
    exchange.giveUp(new WorkerUnreachable('slow_connect'));
  }

  private giveUp(reason: Error): void {
    this.givenUp = reason;
    this.release();
    // At once, whatever the state of the connection: a connecting client cannot be aborted.
    this.reject(reason);
    if (this.body) this.body.destroy(reason);
    else this.controller?.abort(reason);
  }

  private forgetSignal(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.abort);
  }
}

/**
 * The one client for workers. The policy checks its target three times: the URL before anything is done, each
 * address that the host resolves to (so the checked address is the one connected to), and the address that
 * the socket is finally connected to. Redirects are answers like any other.
 */
@Injectable()
export class WorkerClient implements OnApplicationShutdown {
  /** By origin; those without a connection are forgotten. */
  private readonly pools = new Map<string, Pool>();
  /** Those that are closed when the last of their answers is complete. */
  private readonly closing = new Set<Pool>();
  private isStopped = false;
  private readonly poolOptions: Pool.Options;
  private readonly resolve: typeof systemLookup;
  private readonly connectTimeoutMs: number;

  constructor(
    private readonly policy: Pick<AddressPolicy, 'fault' | 'permits'>,
    options: WorkerClientOptions,
  ) {
    this.resolve = options.resolve ?? systemLookup;
    this.connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
    this.poolOptions = {
      connections: MAX_CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      headersTimeout: options.answerTimeoutMs,
      bodyTimeout: options.answerTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    };
  }

  /**
   * Hot. Resolves when the headers of the answer have arrived, whatever its status.
   * @throws WorkerUnreachable
   * @throws the signal's reason, at once, if it is aborted; the worker then sees its connection close
   */
  post(url: string, { headers, body, signal, connectWithinMs }: WorkerRequest): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.policy.fault(url) !== undefined) throw new WorkerUnreachable('address_refused');
      if (this.isStopped) throw new WorkerUnreachable('broken', new Error('the service stops'));
      const { origin, pathname, search } = new URL(url);
      const exchange = new Exchange(signal, resolve, reject, connectWithinMs);
      this.poolOf(origin).dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    });
  }

  /**
   * Closes the connections to an address that nobody needs any more: idle ones now, others when their answers
   * are complete. A later request opens a new one.
   */
  leave(url: string): void {
    const origin = URL.parse(url)?.origin;
    const pool = origin === undefined ? undefined : this.pools.get(origin);
    if (origin !== undefined && pool) this.forget(origin, pool);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    const pools = [...this.pools.values(), ...this.closing];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private poolOf(origin: string): Pool {
    const known = this.pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, { ...this.poolOptions, connect: this.connector(new URL(origin)) });
    let connections = 0;
    const unused = (): void => {
      if (connections === 0) this.forget(origin, pool);
    };
    pool.on('connect', () => connections++);
    pool.on('disconnect', () => {
      connections--;
      unused();
    });
    pool.on('connectionError', unused);
    this.pools.set(origin, pool);
    return pool;
  }

  private forget(origin: string, pool: Pool): void {
    if (this.pools.get(origin) !== pool) return;
    this.pools.delete(origin);
    this.closing.add(pool);
    pool
      .close()
      // It was destroyed meanwhile.
      .catch(() => undefined)
      .finally(() => this.closing.delete(pool));
  }

  /** Connects to one origin: a resolver does not know the port, so it is fixed here. */
  private connector({ hostname, protocol, port: digits }: URL): buildConnector.connector {
    const port = Number(digits) || (protocol === 'https:' ? 443 : 80);
    const permits = (address: string) => this.policy.permits(hostname, address, port);
    const connect = buildConnector({ timeout: this.connectTimeoutMs, lookup: this.lookup(permits) });
    return (target, done) => {
      // Addresses are not resolved, so the resolver below does not check them.
      if (isIP(target.hostname) !== 0 && !permits(target.hostname)) return done(refused(target.hostname), null);
      connect(target, (error, socket) => {
        if (error)
          return done(error instanceof WorkerUnreachable ? error : new WorkerUnreachable('connect', error), null);
        if (permits(socket.remoteAddress ?? '')) return done(null, socket);
        socket.destroy();
        done(refused(socket.remoteAddress), null);
      });
    };
  }

  /** Resolves a name into its permitted addresses. */
  private lookup(permits: (address: string) => boolean): LookupFunction {
    return (name, options, done) =>
      this.resolve(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        if (error) return done(error, '');
        const permitted = addresses.filter(({ address }) => permits(address));
        const [first] = permitted;
        if (first === undefined) return done(refused(addresses.map(({ address }) => address).join()), '');
        if (options.all) done(null, permitted);
        else done(null, first.address, first.family);
      });
  }
}

const refused = (address: string | undefined): WorkerUnreachable =>
  new WorkerUnreachable('address_refused', new Error(`not permitted: ${address}`));
