import { makeGaugeProvider, makeHistogramProvider, getToken } from '@willsoto/nestjs-prometheus';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import type pg from 'pg';
import { StatementPool } from '../database/statement-pool';

const POOL_CONNECTIONS = 'database_pool_connections';
export const REQUEST_DURATIONS = getToken('http_request_duration_seconds');

export const serviceMetricProviders = [
  makeHistogramProvider({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer, by declared route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
  makeGaugeProvider({
    name: POOL_CONNECTIONS,
    help: 'Connections of a pool by state; waiting counts the callers that wait for one',
    labelNames: ['pool', 'state'],
  }),
];

/** Reads the pools whenever metrics are asked for. */
@Injectable()
export class PoolMetrics implements OnModuleInit {
  constructor(
    @Inject(getToken(POOL_CONNECTIONS)) private readonly gauge: Gauge<'pool' | 'state'>,
    private readonly dataSource: DataSource,
    private readonly statements: StatementPool,
  ) {}

  onModuleInit(): void {
    const { master } = this.dataSource.driver as unknown as { master: pg.Pool };
    const pools = { transactions: master, statements: this.statements.pool };
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
