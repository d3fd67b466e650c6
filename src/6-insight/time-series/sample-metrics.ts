import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { getToken, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge } from 'prom-client';
import { SampleBacklog } from './sample-backlog';
import { REFUSALS, type Outcome } from './rows/sample-outcome';
import { DROP_REASONS } from './columns/series-columns';

const SAMPLES = 'ingested_samples_total';
const UNDER_WAY = 'ingest_under_way';

export const sampleMetricProviders = [
  makeCounterProvider({
    name: SAMPLES,
    help: 'Reported samples, by protocol, by result (stored, dropped, refused), and by reason',
    labelNames: ['protocol', 'outcome', 'reason'],
  }),
  makeGaugeProvider({
    name: UNDER_WAY,
    help: 'Sample requests that this instance reads or writes, and their bytes',
    labelNames: ['of'],
  }),
];

const PROTOCOLS = ['remote_write_1', 'remote_write_2', 'otlp'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Metrics of incoming samples for the operator of the service. */
@Injectable()
export class SampleMetrics implements OnModuleInit {
  constructor(
    @Inject(getToken(SAMPLES)) private readonly samples: Counter<'protocol' | 'outcome' | 'reason'>,
    @Inject(getToken(UNDER_WAY)) private readonly underWay: Gauge<'of'>,
    private readonly backlog: SampleBacklog,
  ) {}

  onModuleInit(): void {
    // All series exist from the start: a scrape does not grow with use.
    for (const protocol of PROTOCOLS) {
      this.samples.inc({ protocol, outcome: 'stored', reason: '' }, 0);
      for (const reason of DROP_REASONS) this.samples.inc({ protocol, outcome: 'dropped', reason }, 0);
      for (const reason of Object.keys(REFUSALS)) this.samples.inc({ protocol, outcome: 'refused', reason }, 0);
    }
    Object.assign(this.underWay, {
      collect: () => {
        this.underWay.set({ of: 'requests' }, this.backlog.requests);
        this.underWay.set({ of: 'bytes' }, this.backlog.bytes);
      },
    });
  }

  count(protocol: Protocol, { stored, dropped, refused }: Outcome): void {
    this.samples.inc({ protocol, outcome: 'stored', reason: '' }, stored);
    for (const [reason, count] of dropped) this.samples.inc({ protocol, outcome: 'dropped', reason }, count);
    for (const [reason, count] of refused) this.samples.inc({ protocol, outcome: 'refused', reason }, count);
  }
}
