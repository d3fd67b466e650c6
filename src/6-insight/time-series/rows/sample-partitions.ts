import { Injectable, type OnModuleInit, Inject } from '@nestjs/common';
import { Clock } from '../../../1-platform/common/clock';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Partitions } from '../../../1-platform/partitions/partitions';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { forgetKinds, forgetPods, forgetSeries } from '../samples.queries';

export const DAY_MS = 86_400_000;

/** Rows that one transaction deletes. */
const ROWS_AT_ONCE = 5_000;

const TABLE = 'grouped_samples';
/** Of the release before, which stored each sample in a row. */
const OLD_TABLE = 'metric_samples';

export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / DAY_MS) * DAY_MS;

/**
 * Samples are partitioned by day (UTC): days are created ahead, or when a late sample needs one, and dropped
 * as a whole when they expire.
 */
@Injectable()
export class SamplePartitions implements OnModuleInit {
  /** Days that exist, as far as this replica knows. */
  private readonly made = new Set<number>();

  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    const { metricsRetentionDays: keptDays } = this.environment;
    this.partitions.add({ table: TABLE, width: 'day', keptDays });
    this.partitions.add({ table: OLD_TABLE, width: 'day', keptDays, isRetired: true });
    this.sweeps.add({ name: 'metric samples', everySeconds: 6 * 3_600, run: () => this.run() });
  }

  /** @param rowsAtOnce smaller in tests only */
  async run(rowsAtOnce = ROWS_AT_ONCE): Promise<void> {
    // The database is asked again: another replica may have dropped days.
    this.made.clear();
    const { metricsRetentionDays: days } = this.environment;
    for (const forget of [forgetSeries, forgetKinds, forgetPods])
      await this.sweeps.repeat(rowsAtOnce, (limit) =>
        this.unitOfWork.system('series and pods of every organisation are no longer reported', (tx) =>
          forget(tx, days, limit),
        ),
      );
  }

  /**
   * The times from and until which samples are stored: those of the kept days, and of a clock that is a day
   * ahead.
   */
  window(): { from: number; until: number } {
    const now = this.clock.now().getTime();
    return { from: dayOf(now) - this.environment.metricsRetentionDays * DAY_MS, until: now + DAY_MS };
  }

  async ensure(days: Iterable<number>): Promise<void> {
    const missing = [...days].filter((day) => !this.made.has(day)).sort((a, b) => a - b);
    if (missing.length === 0) return;
    await this.partitions.make(
      TABLE,
      missing.map((day) => new Date(day)),
    );
    for (const day of missing) this.made.add(day);
  }

  /** The cached days were wrong. */
  doubt(): void {
    this.made.clear();
  }
}
