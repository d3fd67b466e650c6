import type { Logger } from 'pino';
import { runEffects } from './effects';
import type { Tx } from './tx';

/** Learns of a change inside its transaction. An error undoes the change. */
export interface TransactionObserver<Notice> {
  observe(tx: Tx, notice: Notice): Promise<void>;
}

/** Notifies observers inside the transaction of a change, one after the other. Each port is a subclass. */
export abstract class InTransaction<Notice> {
  constructor(private readonly observers: readonly TransactionObserver<Notice>[]) {}

  async notify(tx: Tx, notice: Notice): Promise<void> {
    for (const observer of this.observers) await observer.observe(tx, notice);
  }
}

/** Learns of a change that is committed. An error is logged, and changes nothing. */
export interface CommitObserver<Notice> {
  committed(notice: Notice): Promise<void>;
}

/** Notifies observers after the commit of a change, one after the other. Each port is a subclass. */
export abstract class AfterCommit<Notice> {
  constructor(
    private readonly observers: readonly CommitObserver<Notice>[],
    private readonly logger: Logger,
  ) {}

  async notify(notice: Notice): Promise<void> {
    await runEffects(
      this.observers.map((observer) => () => observer.committed(notice)),
      this.logger,
    );
  }
}
