import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { Logger } from 'pino';
import type pg from 'pg';
import type { Counter, Gauge } from 'prom-client';
import { KnownBearers, type KnownBearer } from '../../auth/bearers/known-bearers';
import { BOUNDED_WORK, isByNumber, type Work } from '../../endpoints/work';
import { LOGGER } from '../../common/logger';
import type { ServiceRequest } from '../../common/work/request';
import { TransactionPool } from '../../database/connections/database-pool';
import { StatementPool } from '../../database/connections/statement-pool';
import { WORK_LIMIT, WORK_REQUESTS, WORK_UNDER_WAY } from './admission-metrics';
import { DelayWindow } from './delay-window';
import { Draining } from './draining';
import { requestIdOf } from '../edge.middleware';
import { occupy, overloaded, Place } from './place';
import { OperationTable, operationsOf, type KnownOperation } from './operation-table';
import { problemView } from '../problem.filter';
import { RefusedConnections } from './refused-connections';
import { sendStatus } from '../status-errors';
import { Lane, WorkLimits, type Waiter } from './work-limits';

/** Interval between checks of the event loop's delay while there are requests. */
const LOOK_EVERY_MS = 10;
/**
 * Of the time between two checks, no more than this counts for deadlines: beyond it, this process had no
 * processor, and requests could not have ended. It is longer than the turns of an overloaded process, whose
 * deadlines must not stretch.
 */
const LONGEST_LOOK_MS = 250;
/** After this long without requests, the checks pause. */
const QUIET_MS = 1_000;

/** Limits for requests that wait for another service most of their time, and for files. */
const MAX_REMOTE = 1_000;
/** Of one organisation: it leaves a quarter to the others, as of files (`TransferShares`). */
const MAX_REMOTE_OF_ONE = 750;
/** Of strangers: they must not keep known callers from what another service does. */
const MAX_REMOTE_OF_STRANGERS = 40;
const MAX_TRANSFERS = 1_000;

/** Refusals are logged together. */
const LOG_EVERY_MS = 1_000;

const OVERLOADED = overloaded();
const UNKNOWN: KnownOperation = {
  work: 'request',
  isPublic: false,
  isApart: false,
  openAiErrors: false,
  statusErrors: false,
};

/**
 * Refuses requests that the service cannot answer in time, before the framework or anything else has worked
 * on them. Each class of work has a limit of requests in progress. The limits follow how long work waits for
 * the event loop and for connections.
 */
@Injectable()
export class Admission implements OnModuleInit, OnApplicationShutdown {
  readonly limits = new WorkLimits();
  /** Limited by number only. */
  private readonly others = {
    remote: new Lane({ most: MAX_REMOTE, least: MAX_REMOTE, room: 0, mostOfOne: MAX_REMOTE_OF_ONE }),
    strangersRemote: new Lane({ most: MAX_REMOTE_OF_STRANGERS, least: MAX_REMOTE_OF_STRANGERS, room: 0 }),
    transfer: new Lane({ most: MAX_TRANSFERS, least: MAX_TRANSFERS, room: 0 }),
  };
  private operations = new OperationTable();
  private pools: Readonly<Record<string, pg.Pool>> = {};
  private readonly waitingSince = new Map<string, number>();
  /** The last known bearer of each connection, and the header in which it was sent. */
  private readonly knownOn = new WeakMap<Socket, { readonly header: string; readonly known: KnownBearer }>();
  private readonly refused = new RefusedConnections();
  private window = new DelayWindow(0);
  private timer: NodeJS.Timeout | undefined;
  private dueAt = 0;
  private lastRequestAt = 0;
  private loggedAt = 0;
  private refusedUnlogged = 0;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly transactions: TransactionPool,
    private readonly statements: StatementPool,
    private readonly draining: Draining,
    private readonly bearers: KnownBearers,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(WORK_UNDER_WAY) private readonly underWay: Gauge<'work' | 'state'>,
    @Inject(WORK_LIMIT) private readonly limit: Gauge<'work'>,
    @Inject(WORK_REQUESTS) private readonly requests: Counter<'work' | 'outcome'>,
  ) {}

  onModuleInit(): void {
    this.operations = operationsOf(this.discovery, this.scanner, this.reflector);
    this.pools = { transactions: this.transactions, statements: this.statements.pool };
    this.showMetrics();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.refused.readAll();
  }

  /** Handles a request now, or as soon as there is a place for it, or refuses it. */
  admit(req: IncomingMessage, res: ServerResponse, handle: RequestListener): void {
    const operation = this.operations.find(req.method ?? '', req.url ?? '') ?? UNKNOWN;
    const lane = this.laneOf(operation.work);
    // While the service stops, the edge refuses with a reason of its own.
    if (lane === undefined || this.draining.closing) return handle(req, res);
    this.watch();
    const known = operation.isApart ? this.knownBearer(req) : undefined;
    if (operation.isApart && !known) return this.apart(lane, operation, req, res, handle);
    if (!lane.enter(known?.orgId)) return this.crowded(lane, operation, req, res, handle);
    this.begin(lane, req, res, handle, { orgId: known?.orgId });
  }

  /**
   * @param more `own`: the class in which a request of a stranger continues once its caller is known;
   * `orgId`: the organisation for which it has entered its class
   */
  private begin(
    lane: Lane,
    req: IncomingMessage,
    res: ServerResponse,
    handle: RequestListener,
    more: { readonly own?: Lane | undefined; readonly orgId?: string | undefined } = {},
  ): void {
    const { remote, strangersRemote } = this.others;
    const elsewhere = lane === this.limits.lanes.stranger ? strangersRemote : remote;
    occupy(new Place(lane, elsewhere, { ...more, remote }), req, res);
    handle(req, res);
  }

  /** Known callers have a queue of their own, because anybody can send requests with invalid bearers. */
  private crowded(
    lane: Lane,
    operation: KnownOperation,
    req: IncomingMessage,
    res: ServerResponse,
    handle: RequestListener,
  ): void {
    // All unknown ones are one sender: anybody can invent bearers, and none of them gets a turn for each.
    const known = this.knownBearer(req);
    const sender = known?.bearer ?? '';
    if (known && lane.enterBeside(known)) {
      occupy(new Place(lane, this.others.remote, { beside: known }), req, res);
      return handle(req, res);
    }
    if (known || operation.isPublic) return this.wait(lane, sender, operation, req, res, handle);
    this.apart(lane, operation, req, res, handle);
  }

  /** In the class of strangers: they take nothing of the class that known callers share. */
  private apart(
    lane: Lane,
    operation: KnownOperation,
    req: IncomingMessage,
    res: ServerResponse,
    handle: RequestListener,
  ): void {
    const { stranger } = this.limits.lanes;
    // A full class has no place for it later either.
    const own = isByNumber(operation.work) ? lane : undefined;
    if (stranger.enter()) this.begin(stranger, req, res, handle, { own });
    else this.wait(stranger, '', operation, req, res, handle, own);
  }

  /** One client usually keeps a connection: its bearer is hashed once. */
  private knownBearer({ headers: { authorization: header }, socket }: IncomingMessage): KnownBearer | undefined {
    if (header === undefined) return undefined;
    const before = this.knownOn.get(socket);
    if (before?.header === header) return before.known;
    const known = this.bearers.find(header);
    if (known) this.knownOn.set(socket, { header, known });
    return known;
  }

  private wait(
    lane: Lane,
    sender: string,
    operation: KnownOperation,
    req: IncomingMessage,
    res: ServerResponse,
    handle: RequestListener,
    own?: Lane,
  ): void {
    const refused = (): void => {
      this.refusedUnlogged++;
      refuse(req, res, operation);
      this.refused.add(req.socket);
    };
    // Under a flood most requests end here, so nothing is allocated for a request that cannot wait.
    if (lane.refuses(sender)) return refused();
    const waiter: Waiter = {
      sender,
      begin: () => this.begin(lane, req, res, handle, { own }),
      refuse: refused,
    };
    lane.wait(waiter, this.lastRequestAt);
    (req as ServiceRequest).receivedAt = this.lastRequestAt;
    // Without an effect if it waits no longer.
    res.once('close', () => lane.forget(waiter));
  }

  private laneOf(work: Work): Lane | undefined {
    if (work === 'probe') return undefined;
    return isByNumber(work) ? this.others[work] : this.limits.lanes[work];
  }

  /** Measures while there are requests. */
  private watch(): void {
    this.lastRequestAt = performance.now();
    if (this.timer !== undefined) return;
    this.window = new DelayWindow(this.lastRequestAt);
    this.lookSoon(this.lastRequestAt);
  }

  private lookSoon(now: number): void {
    this.dueAt = now + LOOK_EVERY_MS;
    this.timer = setTimeout(() => this.look(), LOOK_EVERY_MS).unref();
  }

  private look(): void {
    const now = performance.now();
    const lateMs = Math.max(0, now - this.dueAt);
    const pausedMs = lateMs + LOOK_EVERY_MS - LONGEST_LOOK_MS;
    this.window.lag(lateMs);
    if (pausedMs > 0) {
      this.window.paused(pausedMs);
      this.limits.paused(pausedMs);
    }
    for (const [name, pool] of Object.entries(this.pools)) this.measure(name, pool, now);
    this.limits.expire(now);
    this.refused.look();
    const closed = this.window.close(now);
    if (closed) {
      this.limits.adjust(closed.delay, closed.elapsedMs);
      this.log(closed.delay, now);
    }
    this.timer = undefined;
    const isQuiet = now - this.lastRequestAt >= QUIET_MS && this.limits.isIdle && this.refused.waiting === 0;
    // The last refusals of a burst are logged too.
    if (!isQuiet || this.refusedUnlogged > 0) this.lookSoon(now);
  }

  /** Waits for a connection like a request, whenever some of them wait. */
  private measure(name: string, pool: pg.Pool, now: number): void {
    const since = this.waitingSince.get(name);
    if (since !== undefined) return this.window.wait(name, now - since);
    if (pool.waitingCount === 0) return this.window.wait(name, 0);
    this.waitingSince.set(name, now);
    const done = () => {
      this.waitingSince.delete(name);
      this.window.wait(name, performance.now() - now);
    };
    pool.connect().then(
      (client) => {
        done();
        client.release();
      },
      // The waiting time counts, whatever the result.
      done,
    );
  }

  private log(delay: number, now: number): void {
    if (this.refusedUnlogged === 0 || now - this.loggedAt < LOG_EVERY_MS) return;
    const limits = Object.fromEntries(BOUNDED_WORK.map((work) => [work, this.limits.lanes[work].limit]));
    this.logger.warn({ refused: this.refusedUnlogged, delay, limits }, 'requests were refused: overloaded');
    this.refusedUnlogged = 0;
    this.loggedAt = now;
  }

  private showMetrics(): void {
    const { strangersRemote, ...others } = this.others;
    const lanes = Object.entries({ ...this.limits.lanes, ...others, stranger_remote: strangersRemote });
    Object.assign(this.underWay, {
      collect: () =>
        lanes.forEach(([work, { inProgress, waiting }]) => {
          this.underWay.set({ work, state: 'under_way' }, inProgress);
          this.underWay.set({ work, state: 'waiting' }, waiting);
        }),
    });
    Object.assign(this.limit, {
      collect: () => lanes.forEach(([work, { limit }]) => this.limit.set({ work }, limit)),
    });
    Object.assign(this.requests, {
      collect: () => {
        this.requests.reset();
        for (const [work, { admitted, refused }] of lanes) {
          this.requests.inc({ work, outcome: 'admitted' }, admitted);
          this.requests.inc({ work, outcome: 'refused' }, refused);
        }
      },
    });
  }
}

/** As cheap as possible: under overload most requests get this answer. */
function refuse(req: IncomingMessage, res: ServerResponse, { openAiErrors, statusErrors }: KnownOperation): void {
  const requestId = requestIdOf(req);
  const headers = {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...OVERLOADED.headers,
  };
  if (statusErrors) {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    return sendStatus(req, res, OVERLOADED);
  }
  const body = JSON.stringify(problemView(OVERLOADED, requestId, openAiErrors));
  res.writeHead(OVERLOADED.status, {
    ...headers,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  // Everything is ASCII, so headers and body are one write.
  res.end(body, 'latin1');
}
