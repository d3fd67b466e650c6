import { Injectable, type OnApplicationBootstrap, type OnModuleInit, Inject } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../1-platform/common/clock';
import { LOGGER } from '../../../1-platform/common/logger';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { dropDays, forgetKinds, forgetPods, forgetSeries, makeDay } from '../samples.queries';

export const DAY_MS = 86_400_000;

/** Days that are created ahead. */
const DAYS_AHEAD = 2;

/** Rows that one transaction deletes. */
const ROWS_AT_ONCE = 5_000;

export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / DAY_MS) * DAY_MS;
const dateText = (day: number): string => new Date(day).toISOString().slice(0, 10);

/**
 * Samples are partitioned by day (UTC): days are created ahead, or when a late sample needs one, and dropped
 * as a whole when they expire.
 */
@Injectable()
export class SamplePartitions implements OnModuleInit, OnApplicationBootstrap {
  /** Days that exist, as far as this replica knows. */
  private readonly made = new Set<number>();

  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'metric samples', everySeconds: 6 * 3_600, run: () => this.run() });
  }

  /** If this fails, the first sample of a day creates it. */
  async onApplicationBootstrap(): Promise<void> {
    await this.makeAhead().catch((error: unknown) =>
      this.logger.warn({ err: error }, 'the days of metric samples could not be created ahead'),
    );
  }

  /** @param rowsAtOnce smaller in tests only */
  async run(rowsAtOnce = ROWS_AT_ONCE): Promise<void> {
    // The database is asked again: another replica may have dropped days.
    this.made.clear();
    await this.makeAhead();
    const { metricsRetentionDays: days } = this.environment;
    await this.unitOfWork.system('days of samples are of every organisation', (tx) => dropDays(tx, days));
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
    await this.unitOfWork.system('a day of samples is of every organisation', async (tx) => {
      for (const day of missing) await makeDay(tx, dateText(day));
    });
    for (const day of missing) this.made.add(day);
  }

  /** The cached days were wrong. */
  doubt(): void {
    this.made.clear();
  }

  private async makeAhead(): Promise<void> {
    const today = dayOf(this.clock.now().getTime());
    await this.ensure(Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => today + ahead * DAY_MS));
  }
}
