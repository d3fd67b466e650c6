import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { getToken, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import type { Counter, Histogram } from 'prom-client';
import { PROVIDER_FAULT_KINDS, type ProviderFaultKind } from '../instances/providers/instance-provider';

export const MARKETPLACE_OPERATIONS = ['list', 'types', 'info', 'create', 'delete'] as const;
export type MarketplaceOperation = (typeof MARKETPLACE_OPERATIONS)[number];

/** `defect` is a fault of this service. */
const OUTCOMES = ['done', ...PROVIDER_FAULT_KINDS, 'defect'] as const;
export type MarketplaceOutcome = 'done' | ProviderFaultKind | 'defect';

const DURATIONS = 'marketplace_ask_seconds';
const ASKS = 'marketplace_asks_total';

export const marketplaceMetricProviders = [
  makeHistogramProvider({
    name: DURATIONS,
    help: 'Duration of requests to the marketplace, by operation',
    labelNames: ['operation'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  }),
  makeCounterProvider({
    name: ASKS,
    help: 'Requests to the marketplace, by operation and result',
    labelNames: ['operation', 'outcome'],
  }),
];

/** All series exist from the start: their number does not reveal how the service is used. */
@Injectable()
export class MarketplaceMetrics implements OnModuleInit {
  constructor(
    @Inject(getToken(DURATIONS)) private readonly durations: Histogram<'operation'>,
    @Inject(getToken(ASKS)) private readonly asks: Counter<'operation' | 'outcome'>,
  ) {}

  onModuleInit(): void {
    for (const operation of MARKETPLACE_OPERATIONS) {
      this.durations.zero({ operation });
      for (const outcome of OUTCOMES) this.asks.inc({ operation, outcome }, 0);
    }
  }

  count(operation: MarketplaceOperation, outcome: MarketplaceOutcome, seconds: number): void {
    this.durations.observe({ operation }, seconds);
    this.asks.inc({ operation, outcome });
  }
}
