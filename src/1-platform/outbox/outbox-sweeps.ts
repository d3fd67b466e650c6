import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StatementPool } from '../database/connections/statement-pool';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Sweeps } from '../scheduling/sweeps';
import { OutboxFeed } from './outbox-feed';
import { forgetEvents, organisationsToNumber } from './outbox.queries';

/** Days for which events are stored. */
const KEPT_DAYS = 7;
/** Events that one transaction deletes. */
const DELETED_AT_ONCE = 5_000;

/** Numbers and removes events that nobody reads. */
@Injectable()
export class OutboxSweeps implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly feed: OutboxFeed,
    private readonly statements: StatementPool,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'outbox numbers', everySeconds: 15, run: () => this.number() });
    this.sweeps.add({ name: 'outbox retention', everySeconds: 600, run: () => this.forget() });
  }

  /** Numbers events even without a consumer, so that lag and age are known. */
  async number(): Promise<void> {
    const waiting = await organisationsToNumber(this.statements);
    await this.sweeps.each('outbox numbers', waiting, (orgId) => this.feed.number(orgId));
  }

  forget(): Promise<void> {
    return this.sweeps.repeat(DELETED_AT_ONCE, (limit) =>
      this.unitOfWork.system('events of every organisation grow old', (tx) => forgetEvents(tx, KEPT_DAYS, limit)),
    );
  }
}
