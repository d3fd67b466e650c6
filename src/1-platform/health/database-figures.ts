import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../common/clock';
import { LOGGER } from '../common/logger';
import { inTime } from '../common/work/in-time';
import { SharedLook } from '../common/work/shared-look';
import { StatementPool } from '../database/connections/statement-pool';
import { oldestUnnumbered } from '../outbox/outbox.queries';
import { Partitions } from '../partitions/partitions';
import { partitionStates, type PartitionState } from '../partitions/partition-states.queries';
import { lastSuccesses } from '../scheduling/sweep-rounds.queries';
import { queueOf, Sweeps } from '../scheduling/sweeps';

/** Anybody may scrape, as often as they like. So each figure is read at most once in this time. */
const SHARED = { reuseMs: 5_000 } as const;
/** A scrape waits no longer for them, and gets what was read before. */
const WAIT_MS = 1_000;

export interface Figures {
  /** When a round of each sweep last succeeded, on any replica; in seconds since 1970, 0 while unknown. */
  readonly successes: ReadonlyMap<string, number>;
  /** Age of the oldest event without a number; NaN while unknown. */
  readonly unnumberedSeconds: number;
  readonly partitions: ReadonlyMap<string, PartitionState>;
  /** When all of this was read; in seconds since 1970. */
  readonly readAt: number;
}

const UNKNOWN: Figures = { successes: new Map(), unnumberedSeconds: NaN, partitions: new Map(), readAt: 0 };

/**
 * Figures of work without a request, which the database has: all replicas read the same. Each statement reads
 * a bounded number of rows, whatever is stored, and no more than a few in five seconds are sent.
 */
@Injectable()
export class DatabaseFigures {
  private last = UNKNOWN;
  private readonly shared = new SharedLook(() => this.read(), SHARED);
  /** Reported once, not once per scrape. */
  private reported = false;

  constructor(
    private readonly statements: StatementPool,
    private readonly sweeps: Sweeps,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The newest figures. If they cannot be read now, times stay as they are, and grow old; ages and numbers
   * are unknown.
   */
  async get(): Promise<Figures> {
    await inTime(this.shared.get(), WAIT_MS);
    return this.last;
  }

  /** One statement after the other: they need one connection. One that fails hides no other figure. */
  private async read(): Promise<void> {
    const errors: unknown[] = [];
    const orElse = <T>(read: Promise<T>, unread: T): Promise<T> =>
      read.catch((error: unknown) => {
        errors.push(error);
        return unread;
      });
    const successes = await orElse(this.readSuccesses(), this.last.successes);
    const unnumberedSeconds = await orElse(oldestUnnumbered(this.statements), UNKNOWN.unnumberedSeconds);
    const partitions = await orElse(this.readPartitions(), UNKNOWN.partitions);
    const readAt = errors.length === 0 ? this.clock.now().getTime() / 1_000 : this.last.readAt;
    this.last = { successes, unnumberedSeconds, partitions, readAt };
    if (errors.length > 0 && !this.reported)
      this.logger.warn({ err: errors[0] }, 'figures for /metrics cannot be read from the database');
    this.reported = errors.length > 0;
  }

  private async readSuccesses(): Promise<Figures['successes']> {
    const queues = this.sweeps.all.map(({ name }) => queueOf(name));
    const byQueue = await lastSuccesses(this.statements, queues);
    return new Map(this.sweeps.all.map(({ name }) => [name, byQueue.get(queueOf(name)) ?? 0]));
  }

  private async readPartitions(): Promise<Figures['partitions']> {
    const keptDays = new Map(this.partitions.all.map((one) => [one.table, one.keptDays]));
    const states = await partitionStates(this.statements, keptDays);
    return new Map(states.map((state) => [state.table, state]));
  }
}
