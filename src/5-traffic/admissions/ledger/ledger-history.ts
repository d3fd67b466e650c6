import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../1-platform/common/clock';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Partitions, widthFor } from '../../../1-platform/partitions/partitions';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { newestBeginning, takeBalances, unbalancedOrganisations } from './ledger-balances.queries';

const SWEEP = 'ledger balances';

const REASON = 'partitions of the ledger hold entries of every organisation';

/**
 * Takes the balances of all keys where a partition of the ledger begins, soon after it has begun. Entries,
 * and balances before them, are dropped when they are old: never before every key has a balance that stands
 * for what goes.
 */
@Injectable()
export class LedgerHistory implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    const { ledgerRetentionDays: keptDays } = this.environment;
    const beforeDrop = (before: Date) => this.balanceSince(before);
    for (const table of ['ledger_entries', 'ledger_balances'])
      this.partitions.add({ table, width: widthFor(keptDays), keptDays, beforeDrop });
    this.sweeps.add({ name: SWEEP, everySeconds: 600, run: () => this.run() });
  }

  async run(): Promise<void> {
    const at = await this.newest();
    if (at) await this.take(at);
  }

  /** @throws Error if a key has no balance at this moment or later, for all that was before */
  private async balanceSince(before: Date): Promise<void> {
    const newest = await this.newest();
    if (!newest || newest < before)
      throw new Error('entries of the ledger stay while a transaction may still commit others of their time');
    await this.take(newest);
    if ((await this.unbalanced(newest)).length > 0)
      throw new Error('entries of the ledger stay while keys have no balance');
  }

  private async take(at: Date): Promise<void> {
    const organisations = await this.unbalanced(at);
    if (organisations.length > 0) await this.partitions.make('ledger_balances', [at]);
    await this.sweeps.each(SWEEP, organisations, (orgId) =>
      this.unitOfWork.run({ orgId, operation: SWEEP }, (tx) => takeBalances(tx, at)),
    );
  }

  private newest(): Promise<Date | undefined> {
    return this.unitOfWork.system(REASON, (tx) => newestBeginning(tx, this.clock.now()));
  }

  private unbalanced(at: Date): Promise<string[]> {
    return this.unitOfWork.system(REASON, (tx) => unbalancedOrganisations(tx, at));
  }
}
