import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Sweeps } from '../scheduling/sweeps';
import { OldRowsOf, type AgingRows, type Holder } from './old-rows.queries';

/** Rows that are removed once they are this old. 0: never. */
export interface KeptRows extends AgingRows {
  readonly keptDays: number;
}

/** What is removed after how long, in the order of the removals. */
export const KEPT_ROWS = Symbol('KEPT_ROWS');

const SWEEP = 'old rows';

/** Rows that one transaction walks over. Some take others along, such as the stages of an attempt. */
const ROWS_AT_ONCE = 1_000;

/**
 * Deletes rows that are too old, table by table and organisation by organisation, each transaction a slice of
 * them. A round walks over all old rows once: those that are still needed stay, and delay no others.
 */
@Injectable()
export class OldRows implements OnModuleInit {
  private readonly tables: readonly { readonly of: OldRowsOf; readonly table: string; readonly keptDays: number }[];

  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    @Inject(KEPT_ROWS) kept: readonly KeptRows[],
  ) {
    this.tables = kept
      .filter(({ keptDays }) => keptDays > 0)
      .map((rows) => ({ of: new OldRowsOf(rows), table: rows.table, keptDays: rows.keptDays }));
  }

  onModuleInit(): void {
    this.sweeps.add({ name: SWEEP, everySeconds: 6 * 3_600, run: () => this.run() });
  }

  /** @param rowsAtOnce smaller in tests only */
  run(rowsAtOnce = ROWS_AT_ONCE): Promise<void> {
    return this.sweeps.each(SWEEP, this.tables, async ({ of, keptDays }) => {
      const holders = await this.unitOfWork.system('rows of every organisation grow old', (tx) =>
        of.held(tx, keptDays),
      );
      await this.sweeps.each(SWEEP, holders, (holder) => this.walk(of, holder, rowsAtOnce));
    });
  }

  private async walk(of: OldRowsOf, { orgId, before }: Holder, rowsAtOnce: number): Promise<void> {
    let place: Readonly<Record<string, unknown>> | undefined;
    do {
      const from = place;
      ({ place } = await this.unitOfWork.run({ orgId, operation: SWEEP }, (tx) =>
        of.remove(tx, before, from, rowsAtOnce),
      ));
    } while (place !== undefined && !this.sweeps.stopping);
  }
}
