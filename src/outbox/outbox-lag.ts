import { getToken, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { StatementPool } from '../database/statement-pool';
import { consumerLags } from './outbox.queries';

const LAG = 'outbox_consumer_lag_events';

export const outboxLagProvider = makeGaugeProvider({
  name: LAG,
  help: 'Events that a consumer seen in the last day has not acknowledged yet',
  labelNames: ['organisation', 'consumer'],
});

/** Reads how far consumers are whenever metrics are asked for. */
@Injectable()
export class OutboxLag implements OnModuleInit {
  constructor(
    @Inject(getToken(LAG)) private readonly gauge: Gauge<'organisation' | 'consumer'>,
    private readonly statements: StatementPool,
  ) {}

  onModuleInit(): void {
    Object.assign(this.gauge, {
      collect: async () => {
        // A database that is down must not take the other metrics along.
        const lags = await consumerLags(this.statements).catch(() => []);
        this.gauge.reset();
        for (const { org_id: organisation, consumer_id: consumer, lag } of lags)
          this.gauge.set({ organisation, consumer }, lag);
      },
    });
  }
}
