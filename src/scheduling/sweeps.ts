import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PgBoss, type Job } from 'pg-boss';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logger';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { isConnectionFault } from '../database/database-errors';
import { BossConnections, QUEUE_SCHEMA } from './boss-connections';

export interface Sweep {
  /** Unique, and stable over releases: replicas of two releases share the queue. */
  readonly name: string;
  /** Pause from the start of one round to the start of the next. */
  readonly everySeconds: number;
  /**
   * One round, on one replica. Now and then two of them run side by side (a replica that stalls, a round that takes longer
   * than the pause), so each row must be claimed by a statement that only one can win: compare-and-swap, `for update skip
   * locked`.
   * @returns in how many seconds there is something to do, where that may be earlier than the next round
   */
  run(): Promise<number | void>;
}

const QUEUE = 'sweeps';
/** The round that puts back sweeps which got lost, and rounds before it is asked for again. */
const REPLANT = { name: 'replant', cron: '* * * * *' };

/** How long a queued round waits at the most before a replica sees that it is due. */
const POLL_SECONDS = 1;

/** Rounds that one replica runs side by side, so that a long one keeps no other waiting. */
const CONCURRENCY = 3;

/**
 * The service's own periodic work. The next round of a sweep is a job in PostgreSQL, put there before the present one
 * runs: whichever replica is free takes it, none is lost with a process, and one that fell due while nothing ran is made up
 * for once.
 */
@Injectable()
export class Sweeps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sweeps = new Map<string, Sweep>();
  private readonly connections: BossConnections;
  private readonly boss: PgBoss;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.connections = new BossConnections(environment, logger);
    this.boss = new PgBoss({
      db: this.connections,
      schema: QUEUE_SCHEMA,
      // Rounds that are done are of no use to anybody.
      maintenanceIntervalSeconds: 300,
    });
    this.boss.on('error', (error) => this.tell(error));
    this.boss.on('warning', ({ message, data }) => logger.warn({ data }, message));
  }

  /** Before the application starts: in a constructor, or `onModuleInit`. */
  add(sweep: Sweep): void {
    this.sweeps.set(sweep.name, sweep);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.boss.start();
    await this.boss.createQueue(QUEUE, {
      // One round of a name waits at a time, whoever asks for it, and never for one that a dead process has in hand.
      policy: 'short',
      expireInSeconds: 300,
      retryLimit: 3,
      retryDelay: 1,
      deleteAfterSeconds: 60,
    });
    await this.boss.schedule(QUEUE, REPLANT.cron, { name: REPLANT.name }, { singletonKey: REPLANT.name });
    await this.plantAll();
    const options = { pollingIntervalSeconds: POLL_SECONDS, localConcurrency: CONCURRENCY };
    await this.boss.work<{ name: string }>(QUEUE, options, async ([job]) => {
      if (job) await this.round(job);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.boss.stop({ close: false, timeout: 20_000 });
    await this.connections.close();
  }

  /** Does the same for each item, one after the other; one that fails is logged and keeps no other waiting. */
  async each<T>(sweep: string, items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      await work(item).catch((error: unknown) =>
        this.logger.error({ err: error, sweep, item }, 'an item of a sweep failed'),
      );
    }
  }

  private async round({ data: { name } }: Job<{ name: string }>): Promise<void> {
    if (name === REPLANT.name) return this.plantAll();
    const sweep = this.sweeps.get(name);
    // A replica of another release knows it.
    if (!sweep) return this.plant(name, 1);
    await this.plant(name, sweep.everySeconds);
    try {
      const dueSeconds = await sweep.run();
      if (typeof dueSeconds === 'number' && dueSeconds < sweep.everySeconds) await this.hasten(name, dueSeconds);
    } catch (error) {
      // No retry: the next round is on its way.
      this.logger.error({ err: error, sweep: name }, 'a sweep failed');
    }
  }

  private async plantAll(): Promise<void> {
    for (const { name, everySeconds } of this.sweeps.values()) await this.plant(name, everySeconds);
  }

  /** Does nothing where a round of that name waits already. */
  private async plant(name: string, startAfter: number): Promise<void> {
    await this.boss.send(QUEUE, { name }, { singletonKey: name, startAfter });
  }

  private async hasten(name: string, startAfter: number): Promise<void> {
    await this.boss.update(QUEUE, undefined, { singletonKey: name, startAfter });
  }

  /** A database that is down is told by readiness, not by every poll of the queue. */
  private tell(error: Error): void {
    if (isConnectionFault(error)) this.logger.debug({ err: error }, 'the queue of sweeps cannot be reached');
    else this.logger.error({ err: error }, 'the queue of sweeps failed');
  }
}
