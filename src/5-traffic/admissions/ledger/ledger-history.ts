import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Partitions, widthFor } from '../../../1-platform/partitions/partitions';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { beginningsOfPartitions, takeBalances, unbalancedOrganisations } from './ledger-balances.queries';

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
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    const { ledgerRetentionDays: keptDays } = this.environment;
    const beforeDrop = (before: Date) => this.isBalancedSince(before);
    for (const table of ['ledger_entries', 'ledger_balances'])
      this.partitions.add({ table, width: widthFor(keptDays), keptDays, beforeDrop });
    this.sweeps.add({ name: SWEEP, everySeconds: 600, run: () => this.run() });
  }

  /** From the newest beginning to the first one at which no balance is missing. */
  async run(): Promise<void> {
    for (const at of await this.beginnings()) if ((await this.take(at)) === 0) return;
  }

  /** Whether every key has a balance at this moment or later, for all that was before. */
  private async isBalancedSince(before: Date): Promise<boolean> {
    const [newest] = await this.beginnings();
    if (!newest || newest < before) return false;
    await this.take(newest);
    return (await this.unbalanced(newest)).length === 0;
  }

  /** @returns how many organisations lacked balances */
  private async take(at: Date): Promise<number> {
    const organisations = await this.unbalanced(at);
    if (organisations.length > 0) await this.partitions.make('ledger_balances', [at]);
    await this.sweeps.each(SWEEP, organisations, (orgId) =>
      this.unitOfWork.run({ orgId, operation: SWEEP }, (tx) => takeBalances(tx, at)),
    );
    return organisations.length;
  }

  private beginnings(): Promise<Date[]> {
    return this.unitOfWork.system(REASON, beginningsOfPartitions);
  }

  private unbalanced(at: Date): Promise<string[]> {
    return this.unitOfWork.system(REASON, (tx) => unbalancedOrganisations(tx, at));
  }
}
