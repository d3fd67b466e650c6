import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { forgetPhases } from '../activations/activations.queries';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { forgetEvents } from './lifecycle-events.queries';

/** Rows that one transaction deletes. */
const ROWS_AT_ONCE = 5_000;

/** Deletes old events and phases. Starts have a time of their own: see `kept-rows.ts`. */
@Injectable()
export class LifecycleHistory implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'lifecycle history', everySeconds: 6 * 3_600, run: () => this.run() });
  }

  /** @param rowsAtOnce smaller in tests only */
  async run(rowsAtOnce = ROWS_AT_ONCE): Promise<void> {
    const { lifecycleRetentionDays: days } = this.environment;
    for (const forget of [forgetEvents, forgetPhases])
      await this.sweeps.repeat(rowsAtOnce, (limit) =>
        this.unitOfWork.system('history of every organisation grows old', (tx) => forget(tx, days, limit)),
      );
  }
}
