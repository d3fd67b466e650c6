import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { invariant } from '../common/invariant';
import { LOGGER } from '../common/logger';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { isConnectionFault } from '../database/connections/database-errors';
import { DatabaseWatch } from '../database/connections/database-watch';
import { BossConnections, QUEUE_SCHEMA } from './boss-connections';

export interface Sweep {
  /** Unique, and stable over releases: replicas of two releases share its queue. */
  readonly name: string;
  /** Pause from the start of one round to the start of the next. */
  readonly everySeconds: number;
  /**
   * One round, on one replica. Now and then two of them run side by side on two replicas (one stalls, or
   * a round takes longer than the pause), so each row must be claimed by a statement that only one can
   * win: compare-and-swap, `for update skip locked`.
   * @returns in how many seconds there is something to do, where that may be earlier than the next round
   */
  run(): Promise<number | void>;
}

/** The round that puts back rounds which got lost. */
const REPLANT = 'replant';
/** Seconds of every minute at which it is asked for: the queue's own schedules are of minutes. */
const REPLANT_AT = [0, 15, 30, 45];

/** Rows that a sweep walks through. */
export interface Walk<Row> {
  /** Rows of a page; one with fewer is the last. */
  readonly pageSize: number;
  /** A round that takes longer hands over to the next one. */
  readonly roundMs: number;
  /** The next rows behind one, or the first. */
  readonly page: (behind: Row | undefined) => Promise<Row[]>;
  readonly serve: (rows: readonly Row[]) => Promise<void>;
}

const QUEUE_OPTIONS = {
  // A worker that takes a round and dies keeps the next one from nothing: rounds wait for no other.
  expireInSeconds: 300,
  retryLimit: 0,
  // Rounds that are done are of no use to anybody.
  deleteAfterSeconds: 60,
};

/** How long rounds under way have to end when the service stops. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * The service's own periodic work. The next round of a sweep is a job in PostgreSQL, put there
 * before the present one runs: whichever replica is free takes it, and one that fell due while
 * nothing ran is made up for once. A round that is lost all the same, with a connection that broke
 * while it was taken, is put back within 20 seconds.
 */
@Injectable()
export class Sweeps implements BeforeApplicationShutdown {
  private readonly sweeps = new Map<string, Sweep>();
  private readonly connections: BossConnections;
  private readonly boss: PgBoss;
  /** By sweep, the row where the last round of this replica handed over. */
  private readonly handedOver = new Map<string, unknown>();
  /**
   * A round that is under way ends as soon as it can: another replica, or the next start, goes on with it.
   */
  stopping = false;
  private started = false;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    watch: DatabaseWatch,
  ) {
    this.connections = new BossConnections(environment, logger, watch);
    this.boss = new PgBoss({
      db: this.connections,
      schema: QUEUE_SCHEMA,
      maintenanceIntervalSeconds: 300,
      cronMonitorIntervalSeconds: 5,
      cronWorkerIntervalSeconds: 5,
    });
    this.boss.on('error', (error) => this.tell(error));
    this.boss.on('warning', ({ message, data }) => logger.warn({ data }, message));
  }

  /** Before the rounds start: in a constructor, or `onModuleInit`. */
  add(sweep: Sweep): void {
    invariant(!this.started, `the sweep ${sweep.name} is added before the rounds start`);
    invariant(!this.sweeps.has(sweep.name), `the sweep ${sweep.name} is added once`);
    this.sweeps.set(sweep.name, sweep);
  }

  /** The application does not start them by itself: its process does, once it listens. */
  async start(): Promise<void> {
    this.started = true;
    await this.boss.start();
    for (const sweep of this.sweeps.values()) await this.work(sweep.name, pollSeconds(sweep), () => this.round(sweep));
    await this.work(REPLANT, 5, () => this.plantAll());
    for (const second of REPLANT_AT)
      await this.boss.schedule(queueOf(REPLANT), `${second} * * * * *`, null, { key: String(second), ...ONE_WAITS });
    await this.plantAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    if (!this.started) return;
    // A database that stands still must not keep the process: it leaves rounds for others to do.
    const stopped = this.boss.stop({ close: false, timeout: STOP_TIMEOUT_MS }).then(() => this.connections.close());
    await Promise.race([stopped, sleep(STOP_TIMEOUT_MS + 1_000, undefined, { ref: false })]);
  }

  /** A round of this replica, due or not. @throws what the round throws */
  async runNow(name: string): Promise<void> {
    const sweep = this.sweeps.get(name);
    invariant(sweep, `a sweep is called ${name}`);
    await sweep.run();
  }

  /**
   * Does the same for each item, one after the other; one that fails is logged and keeps no other waiting.
   */
  async each<T>(sweep: string, items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      if (this.stopping) return;
      await work(item).catch((error: unknown) =>
        this.logger.error({ err: error, sweep, item }, 'an item of a sweep failed'),
      );
    }
  }

  /**
   * Does the same again and again until there is less to do than one time takes.
   * @param work how much it did, `atOnce` at the most
   */
  async repeat(atOnce: number, work: (atOnce: number) => Promise<number>): Promise<void> {
    while (!this.stopping && (await work(atOnce)) === atOnce);
  }

  /**
   * Walks through rows page by page to the end, so that those which cannot be served keep none waiting behind
   * them: neither in this round nor, when it takes too long, in the next.
   * @returns 0 when there is more to do
   */
  async walk<Row>(sweep: string, { pageSize, roundMs, page, serve }: Walk<Row>): Promise<0 | undefined> {
    const until = performance.now() + roundMs;
    let last = this.handedOver.get(sweep) as Row | undefined;
    this.handedOver.delete(sweep);
    do {
      const rows = await page(last);
      await serve(rows);
      last = rows.length < pageSize ? undefined : rows.at(-1);
      if (last !== undefined && performance.now() > until) {
        this.handedOver.set(sweep, last);
        return 0;
      }
    } while (last !== undefined && !this.stopping);
    return undefined;
  }

  /**
   * A queue of its own for each: a round that takes long, or hangs, keeps rounds of no other name waiting.
   */
  private async work(name: string, pollingIntervalSeconds: number, run: () => Promise<void>): Promise<void> {
    const queue = queueOf(name);
    await this.boss.createQueue(queue, { policy: 'short', ...QUEUE_OPTIONS });
    // The queue may be of an older release.
    await this.boss.updateQueue(queue, QUEUE_OPTIONS);
    await this.boss.work(queue, { pollingIntervalSeconds }, run);
  }

  private async round(sweep: Sweep): Promise<void> {
    await this.plant(sweep);
    try {
      const dueSeconds = await sweep.run();
      if (typeof dueSeconds === 'number' && dueSeconds < sweep.everySeconds) await this.hasten(sweep, dueSeconds);
    } catch (error) {
      // The next round is on its way.
      this.logger.error({ err: error, sweep: sweep.name }, 'a sweep failed');
    }
  }

  private async plantAll(): Promise<void> {
    for (const sweep of this.sweeps.values()) await this.plant(sweep);
  }

  /** Does nothing where a round of that name waits already. */
  private async plant({ name, everySeconds }: Sweep): Promise<void> {
    await this.boss.send(queueOf(name), null, { ...ONE_WAITS, startAfter: everySeconds });
  }

  private async hasten({ name }: Sweep, startAfter: number): Promise<void> {
    await this.boss.update(queueOf(name), undefined, { ...ONE_WAITS, startAfter });
  }

  /** A database that is down is told by readiness, not by every poll of the queue. */
  private tell(error: Error): void {
    if (isConnectionFault(error)) this.logger.debug({ err: error }, 'the queue of sweeps cannot be reached');
    else this.logger.error({ err: error }, 'the queue of sweeps failed');
  }
}

/**
 * With the policy of the queues: one round waits at a time,
 * whoever asks for it, and however many are under way.
 */
const ONE_WAITS = { singletonKey: 'next' };

const queueOf = (name: string): string => `sweep-${name.replaceAll(' ', '-')}`;

/** How long a round that is due waits at the most before a replica sees it. */
const pollSeconds = ({ everySeconds }: Sweep): number => Math.min(30, Math.max(1, everySeconds / 5));
