import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { unavailable } from '../common/answers/problem';
import { invariant } from '../common/invariant';
import {
  dropPartition,
  endOfOldPartition,
  makePartition,
  makePartitionsAhead,
  type Outcome,
  type PartitionWidth,
} from '../database/partitions/partitions.queries';
import type { Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Sweeps } from '../scheduling/sweeps';

/** A table that is partitioned by time, so that old rows go as a whole. */
export interface PartitionedTable {
  /** A constant. */
  readonly table: string;
  readonly width: PartitionWidth;
  /** A partition is dropped when all of it is older. 0: never. */
  readonly keptDays: number;
  /**
   * What has to be done before rows before this moment go.
   * @throws Error if they have to stay; the log has it
   */
  readonly beforeDrop?: (before: Date) => Promise<void>;
  /** No longer written: its partitions are only dropped. */
  readonly isRetired?: boolean;
}

/** Partitions that exist ahead of the current one. */
const AHEAD: Readonly<Record<PartitionWidth, number>> = { day: 2, week: 4, month: 1 };

/** Rows are kept for up to a week longer than this many days, and beyond that for up to a month. */
const MAX_DAYS_IN_WEEKS = 180;

/** A list is planned over every partition that there is, so what is kept for long has wider ones. */
export const widthFor = (keptDays: number): PartitionWidth =>
  keptDays > 0 && keptDays <= MAX_DAYS_IN_WEEKS ? 'week' : 'month';

/** How often a busy table is tried in a row, each time for a tenth of a second. */
const ATTEMPTS = 10;
const PAUSE_MS = 100;

const REASON = 'partitions hold rows of every organisation';

/**
 * Makes partitions ahead for every table that a domain adds, and drops those that are older than what is
 * kept. Every replica does, and two that do it together do it once. `UnitOfWork` makes a partition that is
 * missing all the same.
 */
@Injectable()
export class Partitions implements OnApplicationBootstrap {
  private readonly tables = new Map<string, PartitionedTable>();

  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {
    sweeps.add({ name: 'partitions', everySeconds: 600, run: () => this.makeAhead() });
    // Apart from the former, so that a removal that fails or waits does not delay it.
    sweeps.add({ name: 'old partitions', everySeconds: 600, run: () => this.dropOld() });
  }

  /** In a constructor, or `onModuleInit`. */
  add(table: PartitionedTable): void {
    invariant(!this.tables.has(table.table), `the partitions of ${table.table} are added once`);
    this.tables.set(table.table, table);
  }

  /** All that were added. */
  get all(): readonly PartitionedTable[] {
    return [...this.tables.values()];
  }

  onApplicationBootstrap(): Promise<void> {
    return this.makeAhead();
  }

  makeAhead(): Promise<void> {
    const written = this.all.filter(({ isRetired }) => !isRetired);
    return this.sweeps.each('partitions', written, ({ table, width }) =>
      this.untilDone((tx) => makePartitionsAhead(tx, table, width, AHEAD[width])),
    );
  }

  dropOld(): Promise<void> {
    return this.sweeps.each('old partitions', this.all, async (table) => {
      // One in a transaction, so that a busy one keeps no other.
      if (table.keptDays > 0) while ((await this.dropOldest(table)) && !this.sweeps.stopping);
    });
  }

  /**
   * Makes the partitions that hold these moments, where they are missing.
   * @throws Problem 503 if others lock the table all the while
   */
  async make(table: string, moments: readonly Date[]): Promise<void> {
    const { width } = this.tables.get(table) ?? {};
    invariant(width, `the partitions of ${table} are added`);
    for (const moment of moments) await this.untilDone((tx) => makePartition(tx, table, width, moment));
  }

  /** @returns whether there may be another one to drop */
  private async dropOldest({ table, keptDays, beforeDrop }: PartitionedTable): Promise<boolean> {
    const ends = await this.unitOfWork.system(REASON, (tx) => endOfOldPartition(tx, table, keptDays));
    if (!ends) return false;
    await beforeDrop?.(ends);
    await this.untilDone((tx) => dropPartition(tx, table, ends));
    return true;
  }

  private async untilDone(work: (tx: Tx) => Promise<Outcome>): Promise<void> {
    for (let attempt = 1; (await this.unitOfWork.system(REASON, work)) === 'busy'; attempt++) {
      if (attempt === ATTEMPTS || this.sweeps.stopping)
        throw unavailable('database_busy', 'The database cannot store this now; try again.');
      await sleep(PAUSE_MS);
    }
  }
}
