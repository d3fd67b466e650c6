import { Inject, Injectable } from '@nestjs/common';
import { getToken, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import type { Counter } from 'prom-client';

const DEPRECATED = 'policy_checkpoints_deprecated_total';

export const retentionMetricProviders = [
  makeCounterProvider({
    name: DEPRECATED,
    help: 'Checkpoints that this replica deprecated because their policy keeps newer ones',
  }),
];

@Injectable()
export class RetentionMetrics {
  constructor(@Inject(getToken(DEPRECATED)) private readonly deprecated: Counter) {}

  count(checkpoints: number): void {
    this.deprecated.inc(checkpoints);
  }
}
