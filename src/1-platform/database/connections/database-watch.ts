import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { DatabaseClient, DatabaseSilence, type DatabaseClientConfig, type Watch } from './database-client';
import { ConnectionsInUse } from './database-errors';
import { workingBackends, type WorkingBackends } from './working-backends.queries';

/** Interval between two checks of the connections. */
const LOOK_MS = 50;
/**
 * The maximum that a late check counts for: before it, this process was busy or had no processor, and could
 * not notice answers.
 */
const LONGEST_LOOK_MS = 75;

/** If nothing arrives for this long while a caller waits, the server is probed. */
const SUSPECT_MS = 200;
/** If it does not answer the probe for this long, it is silent. */
const SILENT_MS = 800;

/**
 * If nothing arrives on one connection for this long, although the server owes it an answer and answers
 * others, the server is asked what it does for it; and then once more in each such pause, while that lasts.
 * Two packets may be lost in a row before a connection counts as dead: TCP repeats them within 600 ms.
 */
const DOUBTFUL_MS = 700;
const EXAMINE_EVERY_MS = 350;
/** A server whose statements all take long is asked no more often than this. */
const EXAMINE_LEAST_MS = 100;

/** SQLSTATE of a server without room to write. */
export const DISK_FULL = '53100';

/** What the server did for a connection on which it owes an answer, when it was last asked. */
interface Examination {
  /** Since when the connection was quiet. */
  readonly quietSince: number | undefined;
  readonly at: number;
  /** It did nothing. */
  readonly isIdle: boolean;
}

/** A pool whose callers wait by the clock of the watch. */
export interface WatchedPool {
  /** Refuses callers whose time is over. @returns whether others still wait */
  refuse(now: number, error: Error): boolean;
}

/**
 * Ensures that nobody waits for a server that does not answer: a network that swallows everything, or a
 * server that hangs. A slow statement and a dead server look the same on one connection, so a second one
 * probes: while any connection receives data, the server is there. If none does, all connections are closed,
 * and new callers are refused at once, until the server answers again.
 *
 * A network can also lose the packets of a single connection. Node cannot limit how long TCP repeats them, so
 * the server is asked on the second connection: if it twice does nothing for a connection that waits, that
 * connection is closed.
 *
 * It is also the clock of all connection deadlines. That clock advances only while this process could have
 * noticed answers: its own lateness is not the database's.
 */
export class DatabaseWatch implements Watch, OnApplicationShutdown {
  /** Milliseconds in which this process could have noticed an answer. Stops while there is no connection. */
  now = 0;
  /** Whether the server does not answer at all. */
  silent = false;
  /** When (by `performance.now`) a statement last failed because the server's disk is full. */
  diskFullAt: number | undefined;

  private readonly clients = new Set<DatabaseClient>();
  private readonly pools = new Set<WatchedPool>();
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;
  /** Since when a caller waits and nothing arrives. */
  private quietSince = 0;
  /** Since when the server is being probed without an answer. */
  private suspectedAt: number | undefined;
  /** The connection of the probe. */
  private asking: DatabaseClient | undefined;
  private underWay = false;
  private examinedAt = -Infinity;
  /** The last examination of each quiet connection. */
  private readonly examined = new Map<DatabaseClient, Examination>();
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
    this.examined.delete(client);
    if (this.asking === client) this.asking = undefined;
  }

  /** Registers a pool with a waiting caller. */
  attend(pool: WatchedPool): void {
    this.pools.add(pool);
    this.keepLooking();
  }

  refused(state: string): void {
    if (state === DISK_FULL) this.diskFullAt = performance.now();
  }

  /** A silent server gets no more statements. */
  onApplicationShutdown(): void {
    this.stopping = true;
  }

  private keepLooking(): void {
    if (this.timer) return;
    this.lookedAt = performance.now();
    this.calm();
    // Timers run before arrived data is read, so the check waits until that was read.
    this.timer = setInterval(() => setImmediate(() => this.look()), LOOK_MS).unref();
  }

  private look(): void {
    const moment = performance.now();
    this.now += Math.min(moment - this.lookedAt, LONGEST_LOOK_MS);
    this.lookedAt = moment;

    let received = false;
    let waits = false;
    let due = false;
    for (const client of this.clients) {
      if (client.received(this.now)) received = true;
      if (client.waits) waits = true;
      if (this.doubts(client) && this.isDue(client)) due = true;
    }
    if (received || !waits) this.calm();
    for (const client of this.clients)
      if (client.overdue(this.now)) client.giveUp(new DatabaseSilence('the database did not answer in time'));
    for (const pool of this.pools)
      if (!pool.refuse(this.now, new ConnectionsInUse('all connections to the database are in use')))
        this.pools.delete(pool);

    if (!this.silent && this.suspectedAt !== undefined && this.now - this.suspectedAt >= SILENT_MS) this.fallSilent();
    const suspect = this.silent || this.now - this.quietSince >= SUSPECT_MS;
    // Whatever was asked before is a probe too.
    if (suspect) this.suspectedAt ??= this.now;
    if (suspect && !this.underWay) void this.ask();
    else if (due && !this.underWay && this.now - this.examinedAt >= EXAMINE_LEAST_MS) void this.examine();
    this.rest(waits);
  }

  private doubts(client: DatabaseClient): boolean {
    const { quietSince, sendingMs } = client;
    if (quietSince === undefined || client.backend === undefined) return false;
    return this.now - quietSince >= DOUBTFUL_MS + sendingMs;
  }

  private isDue(client: DatabaseClient): boolean {
    const last = this.examined.get(client);
    return !last || last.quietSince !== client.quietSince || this.now - last.at >= EXAMINE_EVERY_MS;
  }

  /** Asks what the server does for connections that are quiet, and closes those that it does nothing for. */
  private async examine(): Promise<void> {
    this.underWay = true;
    const at = this.now;
    this.examinedAt = at;
    // With one that is due, those that the server works for: all of these come due together then.
    const quiet = [...this.clients].filter(
      (client) => this.doubts(client) && (this.isDue(client) || !this.examined.get(client)?.isIdle),
    );
    const before = quiet.map((client) => {
      const { quietSince } = client;
      const last = this.examined.get(client);
      const wasIdle = last !== undefined && last.isIdle && last.quietSince === quietSince;
      this.examined.set(client, { quietSince, at, isIdle: wasIdle });
      return { quietSince, wasIdle };
    });
    let found: WorkingBackends;
    try {
      const pids = quiet.flatMap(({ backend }) => backend?.pid ?? []);
      found = await workingBackends(await this.connected(), pids);
    } catch {
      this.asking = undefined;
      return;
    } finally {
      this.underWay = false;
    }
    // What arrived together with the answer is read before the turn ends.
    await new Promise((resolve) => setImmediate(resolve));
    for (const [place, client] of quiet.entries()) {
      client.received(this.now);
      const { quietSince } = client;
      const { quietSince: since, wasIdle } = before[place] ?? { wasIdle: false };
      const isIdle = quietSince !== undefined && quietSince === since && !isWorking(client, found);
      // The first time, its answer may have been on its way.
      if (!isIdle || !wasIdle) this.examined.set(client, { quietSince, at, isIdle });
      else {
        this.logger.warn('a connection to the database is dead: the server does nothing for it');
        client.giveUp(new DatabaseSilence('the connection to the database is dead'));
      }
    }
  }

  /** Data arrived, or nobody waits. */
  private calm(): void {
    this.quietSince = this.now;
    this.suspectedAt = undefined;
  }

  private fallSilent(): void {
    this.silent = true;
    this.logger.error('the database does not answer: its connections are closed');
    // Idle ones too: otherwise each of them would have to time out.
    for (const client of this.clients) client.abandon(new DatabaseSilence('the database does not answer'));
    for (const pool of this.pools) pool.refuse(Infinity, new DatabaseSilence('the database does not answer'));
  }

  /** Probes the server. Any answer counts, even a refusal. */
  private async ask(): Promise<void> {
    this.underWay = true;
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
    const { asking } = this;
    const client = await this.connected();
    // A new connection is an answer.
    if (client === asking) await client.query('select 1');
  }

  private async connected(): Promise<DatabaseClient> {
    if (this.asking && !this.asking.lost) return this.asking;
    // The watch's own time counts, not the driver's.
    const times = { connectionTimeoutMillis: 0, query_timeout: 0, answerWithinMs: SILENT_MS };
    const asking = new DatabaseClient({ ...this.config, ...times, watch: this });
    this.asking = asking;
    await asking.connect();
    return asking;
  }

  /** Stops when nobody has a connection. */
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

/** Whether the server works for the connection, or another server was asked. */
const isWorking = ({ backend }: DatabaseClient, { serverStart, working }: WorkingBackends): boolean =>
  backend === undefined || backend.serverStart !== serverStart || working.includes(backend.pid);
