import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { invariant } from '../common/invariant';
import { LOGGER } from '../common/logger';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { isConnectionFault, isReadOnly } from '../database/connections/database-errors';
import { DatabaseWatch } from '../database/connections/database-watch';
import { BossConnections, QUEUE_SCHEMA } from './boss-connections';
import { withWaitingRound } from './sweep-rounds.queries';

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

/**
 * What failed: a whole round, or one of the items that it works for, which delays no other. A round with such
 * items, however many, is a partial one.
 */
export const FAILING = ['round', 'partial_round', 'item'] as const;
export type Failing = (typeof FAILING)[number];

/** The round that restores lost rounds. */
const REPLANT = 'replant';
/** Seconds of every minute at which it runs: the queue's own schedules have minutes only. */
const REPLANT_AT = [0, 15, 30, 45];
const REPLANT_SECONDS = 60 / REPLANT_AT.length;

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

/** By then, a round has ended, or counts as failed. */
const ROUND_SECONDS = 300;

interface QueueOptions {
  readonly expireInSeconds: number;
  readonly retryLimit: number;
  readonly deleteAfterSeconds: number;
}

const queueOptions = (everySeconds: number): QueueOptions => ({
  // If a worker takes a round and dies, the next one still runs: rounds do not wait for each other.
  expireInSeconds: ROUND_SECONDS,
  retryLimit: 0,
  // Finished rounds show when a sweep last succeeded, until three of its rounds are missing.
  deleteAfterSeconds: Math.ceil(3 * everySeconds) + ROUND_SECONDS,
});

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
  /** Sweeps with an item that has failed in their round in progress. */
  private readonly partial = new Set<string>();
  private started = false;
  private readonly failureListeners: ((sweep: string, failing: Failing) => void)[] = [];
  /** Reported once per outage, not once per poll. */
  private refusalReported = false;

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

  /** All that were added. */
  get all(): readonly Sweep[] {
    return [...this.sweeps.values()];
  }

  /** @param listener called for each failure on this replica, after it was logged */
  onFailure(listener: (sweep: string, failing: Failing) => void): void {
    this.failureListeners.push(listener);
  }

  /** The application does not start them by itself: its process does, once it listens. */
  async start(): Promise<void> {
    this.started = true;
    await this.boss.start();
    await this.prepareQueues([...this.all, { name: REPLANT, everySeconds: REPLANT_SECONDS }]);
    await this.scheduleReplanting();
    await this.plantAll();
    // Last, because each looks for a round at once, and others would wait behind 30 looks and the rounds due.
    for (const sweep of this.sweeps.values())
      await this.work(sweep.name, this.pollSeconds(sweep), () => this.round(sweep));
    await this.work(REPLANT, this.intervals.replantSeconds, () => this.plantAll());
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
      await work(item).catch((error: unknown) => {
        this.logger.error({ err: error, sweep, item }, 'an item of a sweep failed');
        this.partial.add(sweep);
        this.failed(sweep, 'item');
      });
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
  private async prepareQueues(sweeps: readonly Pick<Sweep, 'name' | 'everySeconds'>[]): Promise<void> {
    const names = sweeps.map(({ name }) => queueOf(name));
    const found = new Map((await this.boss.getQueues(names)).map((queue) => [queue.name, queue]));
    for (const { name: sweep, everySeconds } of sweeps) {
      const name = queueOf(sweep);
      const options = queueOptions(everySeconds);
      const queue = found.get(name);
      if (!queue) await this.boss.createQueue(name, { policy: 'short', ...options });
      // It is of an older release.
      else if (!isMatch(queue, options)) await this.boss.updateQueue(name, options);
    }
  }

  /** A look first: usually all are there. */
  private async scheduleReplanting(): Promise<void> {
    const queue = queueOf(REPLANT);
    const found = new Map((await this.boss.getSchedules(queue)).map((schedule) => [schedule.key, schedule]));
    for (const second of REPLANT_AT) {
      const [key, cron] = [String(second), `${second} * * * * *`];
      const options = { key, ...ONE_WAITS };
      const schedule = found.get(key);
      if (schedule?.cron !== cron || !isDeepStrictEqual(schedule.options, options))
        await this.boss.schedule(queue, cron, null, options);
    }
  }

  private async work(name: string, pollingIntervalSeconds: number, run: () => Promise<void>): Promise<void> {
    await this.boss.work(queueOf(name), { pollingIntervalSeconds }, run);
  }

  private async round(sweep: Sweep): Promise<void> {
    await this.plant(sweep);
    this.written();
    if (await this.succeeds(sweep)) return;
    // The queue keeps what it gets, and the error itself may quote rows. The next round is planned.
    throw new Error(`the sweep ${sweep.name} failed: the log has the reason`);
  }

  private async succeeds(sweep: Sweep): Promise<boolean> {
    this.partial.delete(sweep.name);
    try {
      const dueSeconds = await sweep.run();
      if (typeof dueSeconds === 'number' && dueSeconds < sweep.everySeconds) await this.hasten(sweep, dueSeconds);
      return true;
    } catch (error) {
      this.logger.error({ err: error, sweep: sweep.name }, 'a sweep failed');
      this.failed(sweep.name, 'round');
      return false;
    } finally {
      if (this.partial.delete(sweep.name)) this.failed(sweep.name, 'partial_round');
    }
  }

  private failed(sweep: string, failing: Failing): void {
    for (const listener of this.failureListeners) listener(sweep, failing);
  }

  /** A look first: usually a round of each sweep waits, and 30 writes would change nothing. */
  private async plantAll(): Promise<void> {
    const queues = [...this.sweeps.keys()].map(queueOf);
    const waiting = await withWaitingRound(this.connections, queues, ONE_WAITS.singletonKey);
    for (const sweep of this.sweeps.values()) if (!waiting.has(queueOf(sweep.name))) await this.plant(sweep);
  }

  /** Has no effect if a round of that name is already waiting. */
  private async plant({ name, everySeconds }: Sweep): Promise<void> {
    await this.boss.send(queueOf(name), null, { ...ONE_WAITS, startAfter: everySeconds });
  }

  private async hasten({ name }: Sweep, startAfter: number): Promise<void> {
    await this.boss.update(queueOf(name), undefined, { ...ONE_WAITS, startAfter });
  }

  /** The queue has taken a write. */
  private written(): void {
    if (this.refusalReported) this.logger.info('the database takes writes again: sweeps go on');
    this.refusalReported = false;
  }

  /** Readiness reports an unavailable database, so polls of the queue do not. */
  private report(error: Error): void {
    if (isReadOnly(error)) {
      if (!this.refusalReported) this.logger.warn({ err: error }, 'the database is read only: no sweep runs');
      this.refusalReported = true;
    } else if (isConnectionFault(error)) this.logger.debug({ err: error }, 'the queue of sweeps cannot be reached');
    else this.logger.error({ err: error }, 'the queue of sweeps failed');
  }
}

/** With the policy of the queues: one round waits at a time, however many are in progress. */
const ONE_WAITS = { singletonKey: 'next' };

const isMatch = (queue: Partial<QueueOptions>, options: QueueOptions): boolean =>
  (Object.keys(options) as (keyof QueueOptions)[]).every((name) => queue[name] === options[name]);

export const queueOf = (name: string): string => `sweep-${name.replaceAll(' ', '-')}`;
