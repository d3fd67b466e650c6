import { getToken, makeCounterProvider, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { TransactionPool } from '../database/connections/database-pool';
import { ENDINGS, type Ending } from './unreadable-requests';
import { StatementPool } from '../database/connections/statement-pool';

const POOL_CONNECTIONS = 'database_pool_connections';
const DURATIONS = 'http_request_duration_seconds';
const RESPONSES = 'http_responses_total';
const ENDED = 'http_connections_ended_total';

export const serviceMetricProviders = [
  makeHistogramProvider({
    name: DURATIONS,
    help: 'Time from the first byte of a request to the end of its response, by declared route',
    labelNames: ['method', 'route'],
    // Few: each is a line of every route in every scrape.
    buckets: [0.01, 0.05, 0.25, 1, 5],
  }),
  makeCounterProvider({
    name: RESPONSES,
    help: 'Responses by status class; a request whose client disconnected before the end counts as aborted',
    labelNames: ['class'],
  }),
  makeCounterProvider({
    name: ENDED,
    help: 'Connections that the service ended because of what their clients sent, by reason; no response counts them',
    labelNames: ['reason'],
  }),
  makeGaugeProvider({
    name: POOL_CONNECTIONS,
    help: 'Connections of a pool by state; waiting counts the callers that wait for one',
    labelNames: ['pool', 'state'],
  }),
];

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** For requests that no declared route answers: anybody can send any method. */
const UNKNOWN = { method: 'any', route: 'unknown' } as const;

/** The parts of Express' router that contain its routes. */
interface ExpressRouter {
  readonly router: { readonly stack: readonly { route?: { path: string; methods: Record<string, boolean> } }[] };
}

/**
 * Counts responses. All series exist from the start, so a scrape never grows, and its size does not reveal
 * how the service is used.
 */
@Injectable()
export class RequestMetrics implements OnApplicationBootstrap {
  constructor(
    @Inject(getToken(DURATIONS)) private readonly durations: Histogram<'method' | 'route'>,
    @Inject(getToken(RESPONSES)) private readonly responses: Counter<'class'>,
    @Inject(getToken(ENDED)) private readonly ended: Counter<'reason'>,
    private readonly adapter: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    for (const one of CLASSES) this.responses.inc({ class: one }, 0);
    for (const reason of ENDINGS) this.ended.inc({ reason }, 0);
    this.durations.zero(UNKNOWN);
    for (const { route } of this.adapter.httpAdapter.getInstance<ExpressRouter>().router.stack) {
      if (typeof route?.path !== 'string') continue;
      for (const method of METHODS)
        if (route.methods[method.toLowerCase()]) this.durations.zero({ method, route: route.path });
    }
  }

  /**
   * @param route undefined if no declared route matched
   * @param status undefined if the client disconnected
   */
  count(method: string, route: string | undefined, status: number | undefined, seconds: number): void {
    this.responses.inc({ class: status === undefined ? 'aborted' : (`${Math.floor(status / 100)}xx` as const) });
    // A HEAD is answered by the route of its GET.
    const labels = route === undefined ? UNKNOWN : { method: method === 'HEAD' ? 'GET' : method, route };
    this.durations.observe(labels, seconds);
  }

  countEnding(reason: Ending): void {
    this.ended.inc({ reason });
  }
}

/** Reads the pools at each scrape. */
@Injectable()
export class PoolMetrics implements OnModuleInit {
  constructor(
    @Inject(getToken(POOL_CONNECTIONS)) private readonly gauge: Gauge<'pool' | 'state'>,
    private readonly transactions: TransactionPool,
    private readonly statements: StatementPool,
  ) {}

  onModuleInit(): void {
    const pools = { transactions: this.transactions, statements: this.statements.pool };
    Object.assign(this.gauge, {
      collect: () => {
        for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
          this.gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
          this.gauge.set({ pool, state: 'idle' }, idleCount);
          this.gauge.set({ pool, state: 'waiting' }, waitingCount);
        }
      },
    });
  }
}
