import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { DatabaseClient, DatabaseSilence, type DatabaseClientConfig, type Watch } from './database-client';

/** How often connections are looked at. */
const LOOK_MS = 50;
/**
 * A look that comes later than this counts for no more: this process was busy, or had
 * no processor, and could not notice what was there.
 */
const LONGEST_LOOK_MS = 75;

/** When nothing was heard for this long while somebody waits, the server is asked whether it is there. */
const SUSPECT_MS = 200;
/** When it has not answered that for this long, it is silent. */
const SILENT_MS = 800;

/** SQLSTATE of a server that has no room to write. */
export const DISK_FULL = '53100';

/** A pool whose callers wait by the time of the watch. */
export interface WatchedPool {
  /** Refuses those who waited until now. @returns whether anybody waits still */
  refuse(now: number, error: Error): boolean;
}

/**
 * Sees to it that nobody waits for a server that does not answer: a network that swallows everything, a
 * server that stands still. A slow statement and a dead server look the same on one connection, so a second
 * one asks: while any connection is heard of, the server is there. When none is, all connections are closed,
 * and who asks for one is refused at once, until the server answers again.
 *
 * It also keeps the time of all deadlines of connections. The time passes only as far as this process could
 * notice answers: its own lateness is not the database's.
 */
export class DatabaseWatch implements Watch, OnApplicationShutdown {
  /**
   * Milliseconds in which this process could have noticed an
   * answer. Stands still while there is no connection.
   */
  now = 0;
  /** Whether the server does not answer at all. */
  silent = false;
  /** Moment (`performance.now`) of the last statement that failed because the server's disk is full. */
  diskFullAt: number | undefined;

  private readonly clients = new Set<DatabaseClient>();
  private readonly pools = new Set<WatchedPool>();
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;
  /** Since when somebody waits and nothing is heard. */
  private quietSince = 0;
  /** Since when the server has been asked, and nothing was heard. */
  private suspectedAt: number | undefined;
  /** The connection that only asks whether the server is there. */
  private asking: DatabaseClient | undefined;
  private underWay = false;
  private stopping = false;

  constructor(
    private readonly config: DatabaseClientConfig,
    private readonly logger: Logger,
  ) {}

  add(client: DatabaseClient): void {
    this.clients.add(client);
    this.keepLooking();
  }

  remove(client: DatabaseClient): void {
    this.clients.delete(client);
    if (this.asking === client) this.asking = undefined;
  }

  /** A pool in which somebody waits. */
  attend(pool: WatchedPool): void {
    this.pools.add(pool);
    this.keepLooking();
  }

  refused(state: string): void {
    if (state === DISK_FULL) this.diskFullAt = performance.now();
  }

  /** A server that is silent is asked no longer. */
  onApplicationShutdown(): void {
    this.stopping = true;
  }

  private keepLooking(): void {
    if (this.timer) return;
    this.lookedAt = performance.now();
    this.calm();
    // Timers come before what has arrived is read, so a look waits until that was done.
    this.timer = setInterval(() => setImmediate(() => this.look()), LOOK_MS).unref();
  }

  private look(): void {
    const moment = performance.now();
    this.now += Math.min(moment - this.lookedAt, LONGEST_LOOK_MS);
    this.lookedAt = moment;

    let heard = false;
    let waits = false;
    for (const client of this.clients) {
      if (client.heard(this.now)) heard = true;
      if (client.waits) waits = true;
    }
    if (heard || !waits) this.calm();
    for (const client of this.clients)
      if (client.overdue(this.now)) client.abandon(new DatabaseSilence('the database did not answer in time'));
    for (const pool of this.pools)
      if (!pool.refuse(this.now, new Error('timeout exceeded when trying to connect'))) this.pools.delete(pool);

    if (!this.silent && this.suspectedAt !== undefined && this.now - this.suspectedAt >= SILENT_MS) this.fallSilent();
    if (!this.underWay && (this.silent || this.now - this.quietSince >= SUSPECT_MS)) void this.ask();
    this.rest(waits);
  }

  /** Something was heard, or nobody waits. */
  private calm(): void {
    this.quietSince = this.now;
    this.suspectedAt = undefined;
  }

  private fallSilent(): void {
    this.silent = true;
    this.logger.error('the database does not answer: its connections are closed');
    // Idle ones too: each of them would have to be found out about one by one.
    for (const client of this.clients) client.abandon(new DatabaseSilence('the database does not answer'));
    for (const pool of this.pools) pool.refuse(Infinity, new DatabaseSilence('the database does not answer'));
  }

  /** Asks whether the server is there. Any answer will do, also a refusal. */
  private async ask(): Promise<void> {
    this.underWay = true;
    this.suspectedAt ??= this.now;
    try {
      await this.askOnce();
    } catch (error) {
      this.asking = undefined;
      if (error instanceof DatabaseSilence) return;
    } finally {
      this.underWay = false;
    }
    this.calm();
    if (!this.silent) return;
    this.silent = false;
    this.logger.info('the database answers again');
  }

  private async askOnce(): Promise<void> {
    if (this.asking && !this.asking.lost) {
      await this.asking.query('select 1');
      return;
    }
    // The watch's own time counts, not the driver's.
    const times = { connectionTimeoutMillis: 0, query_timeout: 0, answerWithinMs: SILENT_MS };
    this.asking = new DatabaseClient({ ...this.config, ...times, watch: this });
    await this.asking.connect();
  }

  /** Stops looking when nobody has a connection. */
  private rest(waits: boolean): void {
    if (!this.stopping || !this.silent) {
      if (waits || this.silent || this.pools.size > 0) return;
      const { asking } = this;
      if (asking && this.clients.size === 1 && this.clients.has(asking)) {
        this.asking = undefined;
        asking.end().catch(() => undefined);
      }
      if (this.clients.size > 0) return;
    }
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
