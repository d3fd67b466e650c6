import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Partitions, widthFor } from '../partitions/partitions';
import { Sweeps } from '../scheduling/sweeps';
import { forgetAuditEntries } from './audit-entry.queries';

/** Rows that one transaction deletes. */
const ROWS_AT_ONCE = 5_000;

/** Drops old entries by weeks or months, if the settings limit their age. */
@Injectable()
export class AuditHistory implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly partitions: Partitions,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    const { auditRetentionDays: keptDays } = this.environment;
    this.partitions.add({ table: 'audit_entries', width: widthFor(keptDays), keptDays });
    this.sweeps.add({ name: 'audit history', everySeconds: 6 * 3_600, run: () => this.run() });
  }

  /** @param rowsAtOnce smaller in tests only */
  async run(rowsAtOnce = ROWS_AT_ONCE): Promise<void> {
    const { auditRetentionDays: days } = this.environment;
    if (days === 0) return;
    await this.sweeps.repeat(rowsAtOnce, (limit) =>
      this.unitOfWork.system('the audit trail of every organisation grows old', (tx) =>
        forgetAuditEntries(tx, days, limit),
      ),
    );
  }
}
