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
  /** Interval between the starts of two rounds. */
  readonly everySeconds: number;
  /**
   * One round, on one replica. Occasionally two rounds run concurrently on two replicas (one stalls, or a
   * round takes longer than the interval), so each row must be claimed by a statement that only one can win:
   * compare-and-swap, `for update skip locked`.
   * @returns the seconds until there is something to do, if that may be earlier than the next round
   */
  run(): Promise<number | void>;
}

/** The round that restores lost rounds. */
const REPLANT = 'replant';
/** Seconds of every minute at which it runs: the queue's own schedules have minutes only. */
const REPLANT_AT = [0, 15, 30, 45];

/** How often a replica looks into the queue. */
export interface QueueIntervals {
  /** Minimum time between two looks for a due round of one sweep. */
  readonly pollSeconds: number;
  /** Time between two looks for the round that restores lost rounds. */
  readonly replantSeconds: number;
}
export const QUEUE_INTERVALS = Symbol('QUEUE_INTERVALS');
export const DEFAULT_QUEUE_INTERVALS: QueueIntervals = { pollSeconds: 1, replantSeconds: 5 };

/** Rows that a sweep walks through. */
export interface Walk<Row> {
  /** Rows per page; a shorter page is the last one. */
  readonly pageSize: number;
  /** A longer round hands over to the next one. */
  readonly roundMs: number;
  /** The rows after a given one, or the first rows. */
  readonly page: (behind: Row | undefined) => Promise<Row[]>;
  readonly serve: (rows: readonly Row[]) => Promise<void>;
}

/** Owners of work, each of which may have more than one turn allows. */
export interface Turns<Owner> extends Omit<Walk<Owner>, 'serve'> {
  /** So that an owner with much work does not keep the others waiting. */
  readonly turnMs: number;
  /**
   * Works for one owner. @param until by `performance.now()`: when its turn is over
   * @returns whether nothing is left to do for it
   */
  readonly turn: (owner: Owner, until: number) => Promise<boolean>;
}

const QUEUE_OPTIONS = {
  // If a worker takes a round and dies, the next one still runs: rounds do not wait for each other.
  expireInSeconds: 300,
  retryLimit: 0,
  // Finished rounds are of no use to anybody.
  deleteAfterSeconds: 60,
};

/** How long rounds in progress have to end when the service stops. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * The service's own periodic work. The next round of a sweep is a job in PostgreSQL, created before the
 * current one runs. Any free replica takes it, and rounds that were missed while nothing ran are replaced by
 * one. A round that is lost because a connection broke is restored within 20 seconds.
 */
@Injectable()
export class Sweeps implements BeforeApplicationShutdown {
  private readonly sweeps = new Map<string, Sweep>();
  private readonly connections: BossConnections;
  private readonly boss: PgBoss;
  /** By sweep, the row at which the last round of this replica handed over. */
  private readonly handedOver = new Map<string, unknown>();
  /**
   * When the service stops, a round in progress ends as soon as it can; another replica, or the next start,
   * continues.
   */
  stopping = false;
  private started = false;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    watch: DatabaseWatch,
    @Inject(QUEUE_INTERVALS) private readonly intervals: QueueIntervals,
  ) {
    this.connections = new BossConnections(environment, logger, watch);
    this.boss = new PgBoss({
      db: this.connections,
      schema: QUEUE_SCHEMA,
      maintenanceIntervalSeconds: 300,
      cronMonitorIntervalSeconds: intervals.replantSeconds,
      cronWorkerIntervalSeconds: intervals.replantSeconds,
    });
    this.boss.on('error', (error) => this.report(error));
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
    await this.prepareQueues([...this.sweeps.keys(), REPLANT].map(queueOf));
    for (const sweep of this.sweeps.values())
      await this.work(sweep.name, this.pollSeconds(sweep), () => this.round(sweep));
    await this.work(REPLANT, this.intervals.replantSeconds, () => this.plantAll());
    for (const second of REPLANT_AT)
      await this.boss.schedule(queueOf(REPLANT), `${second} * * * * *`, null, { key: String(second), ...ONE_WAITS });
    await this.plantAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    if (!this.started) return;
    // A hanging database must not keep the process alive: other replicas take its rounds.
    const stopped = this.boss.stop({ close: false, timeout: STOP_TIMEOUT_MS }).then(() => this.connections.close());
    await Promise.race([stopped, sleep(STOP_TIMEOUT_MS + 1_000, undefined, { ref: false })]);
  }

  /** Runs a round on this replica, due or not. @throws what the round throws */
  async runNow(name: string): Promise<void> {
    const sweep = this.sweeps.get(name);
    invariant(sweep, `a sweep is called ${name}`);
    await sweep.run();
  }

  /** Processes items one after the other; a failure is logged and does not delay the others. */
  async each<T>(sweep: string, items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      if (this.stopping) return;
      await work(item).catch((error: unknown) =>
        this.logger.error({ err: error, sweep, item }, 'an item of a sweep failed'),
      );
    }
  }

  /**
   * Repeats the work until there is less to do than one call handles.
   * @param work returns how much it did, at most `atOnce`
   */
  async repeat(atOnce: number, work: (atOnce: number) => Promise<number>): Promise<void> {
    while (!this.stopping && (await work(atOnce)) === atOnce);
  }

  /**
   * Walks through rows page by page to the end, so that failing rows delay no others, neither in this round
   * nor, if it takes too long, in the next.
   * @returns 0 if there is more to do
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
   * Gives each owner with work a turn, and again while some have more and the round lasts.
   * @returns 0 if there is more to do
   */
  async takeTurns<Owner>(sweep: string, { turnMs, turn, ...walk }: Turns<Owner>): Promise<0 | undefined> {
    const roundEnd = performance.now() + walk.roundMs;
    for (;;) {
      let more = false;
      const serve = (owners: readonly Owner[]): Promise<void> =>
        this.each(sweep, owners, async (owner) => {
          if (!(await turn(owner, performance.now() + turnMs))) more = true;
        });
      const handedOver = await this.walk(sweep, { ...walk, roundMs: roundEnd - performance.now(), serve });
      if (handedOver === 0) return 0;
      if (!more) return undefined;
      if (this.stopping || performance.now() > roundEnd) return 0;
    }
  }

  /** Maximum delay until a replica sees a due round. */
  private pollSeconds({ everySeconds }: Sweep): number {
    return Math.min(30, Math.max(this.intervals.pollSeconds, everySeconds / 5));
  }

  /**
   * One queue per sweep, so that a long or hanging round does not delay sweeps of other names. Usually all
   * are there, which one look shows: two writes for each would be most of the waiting of a start.
   */
  private async prepareQueues(names: readonly string[]): Promise<void> {
    const found = new Map((await this.boss.getQueues([...names])).map((queue) => [queue.name, queue]));
    for (const name of names) {
      const queue = found.get(name);
      if (!queue) await this.boss.createQueue(name, { policy: 'short', ...QUEUE_OPTIONS });
      // It is of an older release.
      else if (!isMatch(queue, QUEUE_OPTIONS)) await this.boss.updateQueue(name, QUEUE_OPTIONS);
    }
  }

  private async work(name: string, pollingIntervalSeconds: number, run: () => Promise<void>): Promise<void> {
    await this.boss.work(queueOf(name), { pollingIntervalSeconds }, run);
  }

  private async round(sweep: Sweep): Promise<void> {
    await this.plant(sweep);
    try {
      const dueSeconds = await sweep.run();
      if (typeof dueSeconds === 'number' && dueSeconds < sweep.everySeconds) await this.hasten(sweep, dueSeconds);
    } catch (error) {
      // The next round is scheduled.
      this.logger.error({ err: error, sweep: sweep.name }, 'a sweep failed');
    }
  }

  private async plantAll(): Promise<void> {
    for (const sweep of this.sweeps.values()) await this.plant(sweep);
  }

  /** Has no effect if a round of that name is already waiting. */
  private async plant({ name, everySeconds }: Sweep): Promise<void> {
    await this.boss.send(queueOf(name), null, { ...ONE_WAITS, startAfter: everySeconds });
  }

  private async hasten({ name }: Sweep, startAfter: number): Promise<void> {
    await this.boss.update(queueOf(name), undefined, { ...ONE_WAITS, startAfter });
  }

  /** Readiness reports an unavailable database, so polls of the queue do not. */
  private report(error: Error): void {
    if (isConnectionFault(error)) this.logger.debug({ err: error }, 'the queue of sweeps cannot be reached');
    else this.logger.error({ err: error }, 'the queue of sweeps failed');
  }
}

/** With the policy of the queues: one round waits at a time, however many are in progress. */
const ONE_WAITS = { singletonKey: 'next' };

const isMatch = (queue: Partial<typeof QUEUE_OPTIONS>, options: typeof QUEUE_OPTIONS): boolean =>
  (Object.keys(options) as (keyof typeof options)[]).every((name) => queue[name] === options[name]);

const queueOf = (name: string): string => `sweep-${name.replaceAll(' ', '-')}`;
