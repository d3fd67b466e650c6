import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Problem } from '../../common/answers/problem';
import { invariant } from '../../common/invariant';
import { LOGGER } from '../../common/logger';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment } from '../../config/environment';
import { connectionOptions } from '../connections/data-source-options';
import { isConnectionFault, isInUse, sqlState } from '../connections/database-errors';
import { DatabasePool, type PooledClient } from '../connections/database-pool';
import { DatabaseWatch } from '../connections/database-watch';
import { StatementPool } from '../connections/statement-pool';
import { bind, statement, unscoped } from '../transactions/statement';

/** How often the primary's time is written, and the replica looked at. */
const BEAT_MS = 500;
/**
 * Every replica of the service beats, and only one writes in this time: about two rows a second in all. Less
 * than a beat, so that one replica alone writes with each.
 */
const BEATEN_MS = 450;
/** A look at a replica that hangs. */
const LOOK_MS = 1_000;
/** By how much a heartbeat may be later than the primary's time, which is estimated. */
const MAX_AHEAD_MS = 1_000;
/** By how much the replica's clock may differ from the primary's: reports read "now" from it. */
const MAX_SKEW_MS = 2_000;

// Rounded down: a replica is at least as new as it says. A time in the future was written before the clock
// stepped back, or by a primary whose clock was faster: it is replaced, or it would hide how old rows are.
const BEAT = unscoped(
  'heartbeat',
  `
    with beat as (
      insert into heartbeats as h (id, beaten_at) values (1, date_trunc('milliseconds', clock_timestamp()))
      on conflict (id) do update set beaten_at = excluded.beaten_at
      where h.beaten_at < clock_timestamp() - make_interval(secs => $beaten_ms / 1000.0)
        or h.beaten_at > clock_timestamp() returning id
    )
    select clock_timestamp() as now, (select count(*) from beat) as written,
      (select system_identifier from pg_control_system()) || ' ' || current_database() as database`,
);

// A server that was promoted is no replica any more: it may have rows that the primary never had.
const SEEN = statement(
  'heartbeat-seen',
  `
    select beaten_at, clock_timestamp() as now,
      (select system_identifier from pg_control_system()) || ' ' || current_database() as database
    from heartbeats where id = 1 and pg_is_in_recovery()`,
  { query_timeout: LOOK_MS },
);

interface Seen {
  readonly beaten_at: Date;
  /** By the replica's clock. */
  readonly now: Date;
  /** A streaming replica has the identifier of its primary's files. */
  readonly database: string;
}

const ROLE = statement(
  'read-replica-role',
  'select rolsuper or rolbypassrls as bypass from pg_roles where rolname = current_user',
  { query_timeout: LOOK_MS },
);

/**
 * SQLSTATEs of a statement that count as lost connections elsewhere: it writes, or needs more memory or
 * temporary files than it may have.
 */
const OF_STATEMENT = /^(25006|53[124])/;

/** Whether the replica failed, and not only one statement. */
const isOfReplica = (error: unknown): boolean =>
  error instanceof ReplicaBehind ||
  (isConnectionFault(error) && !isInUse(error) && !OF_STATEMENT.test(sqlState(error) ?? ''));

/** For the metrics. */
export interface ReplicaState {
  readonly isInUse: boolean;
  /** Milliseconds by which it is behind the primary, at most; undefined if that is not known. */
  readonly lagMs: number | undefined;
}

/** What a replica shows is older than the bound, or its age is not known. */
export class ReplicaBehind extends Error {}

/** It is older than one caller accepts, which says nothing about the replica. */
class OlderThanAsked extends Error {}

/**
 * The read replica of `DATABASE_READ_URL`. How old its rows are is measured, not assumed: the service writes
 * the time of the primary into a row, and reads that row in the snapshot that the report is read from.
 * Everything committed before that time is in the snapshot. So a replica that is paused, cut off, promoted or
 * of another database cannot seem to be up to date.
 */
@Injectable()
export class ReadReplica implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pool: DatabasePool | undefined;
  private readonly watch: DatabaseWatch | undefined;
  private readonly maxLagMs: number;
  /** The primary's time at a moment of this process's clock; it was that late at most. */
  private primary: { readonly time: number; readonly at: number; readonly database: string } | undefined;
  /** Whether the last look found it within the bound. Undefined before the first one, which is logged too. */
  private usable: boolean | undefined;
  /** What the last look has measured; undefined if it could not. */
  private lastLag: number | undefined;
  private inspected = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly statements: StatementPool,
  ) {
    const { databaseReadUrl: databaseUrl, databasePoolSize: poolSize, databaseStatementTimeoutMs } = environment;
    this.maxLagMs = environment.databaseReadMaxLagMs;
    if (databaseUrl === undefined) return;
    const settings = { databaseUrl, statementTimeoutMs: databaseStatementTimeoutMs };
    const ofReplica = logger.child({ database: 'the read replica' });
    this.watch = new DatabaseWatch(connectionOptions({ ...settings, poolSize: 1 }), ofReplica);
    this.pool = new DatabasePool(connectionOptions({ ...settings, poolSize, watch: this.watch }));
    this.pool.on('error', (error) => logger.debug({ err: error }, 'an idle connection of the read replica was lost'));
  }

  /** Undefined where none is configured. */
  get state(): ReplicaState | undefined {
    return this.pool && { isInUse: this.isUsable, lagMs: this.lastLag };
  }

  /** Whether to try it. A replica that the last look did not find in order is not tried. */
  get isUsable(): boolean {
    return this.usable === true;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.pool) await this.look();
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.usable = false;
    this.watch?.onApplicationShutdown();
    const { pool } = this;
    if (pool && !pool.ended) await pool.end();
  }

  connect(): Promise<PooledClient> {
    invariant(this.pool, 'a read replica is configured');
    return this.pool.connect() as Promise<PooledClient>;
  }

  /**
   * Call it as the first statement of a transaction that sees one snapshot.
   * @param accepted milliseconds that the caller accepts
   * @returns milliseconds by which the snapshot is older than the primary, at most
   * @throws ReplicaBehind, or another error if it is older than accepted
   */
  async lagOf(client: PooledClient, accepted = Infinity): Promise<number> {
    const lag = await this.measure(client);
    this.checkBound(lag);
    if (lag > accepted) throw new OlderThanAsked(`the read replica is ${lag} ms behind, and ${accepted} are accepted`);
    return lag;
  }

  private checkBound(lag: number): void {
    if (lag > this.maxLagMs) throw new ReplicaBehind(`the read replica is ${lag} ms behind`);
  }

  /** @throws ReplicaBehind if it cannot be known */
  private async measure(client: PooledClient): Promise<number> {
    const asked = this.primaryTime();
    const { rows } = await client.query<Seen>(bind(SEEN, {}));
    const [seen] = rows;
    const answered = this.primaryTime();
    if (!seen || asked === undefined || answered === undefined)
      throw new ReplicaBehind('how old the read replica is, is not known');
    if (seen.database !== this.primary?.database) throw new ReplicaBehind('the read replica is of another database');
    const now = seen.now.getTime();
    if (now < asked - MAX_SKEW_MS || now > answered + MAX_SKEW_MS)
      throw new ReplicaBehind("the read replica's clock differs from the primary's");
    const lag = Math.ceil(answered - seen.beaten_at.getTime());
    if (lag < -MAX_AHEAD_MS) throw new ReplicaBehind("the read replica shows a time after the primary's");
    return Math.max(0, lag);
  }

  /**
   * Whether the primary may answer what failed there. A statement that took too long would there too. What is
   * not found may have been created a moment ago.
   */
  static isFault(error: unknown): boolean {
    if (error instanceof ReplicaBehind || error instanceof OlderThanAsked || isConnectionFault(error)) return true;
    if (error instanceof Problem) return error.status === 404;
    const state = sqlState(error);
    return state?.length === 5 && state !== '57014';
  }

  /** A replica that failed is not tried until the next look. A fault of one read changes nothing. */
  failed(error: unknown): void {
    if (isOfReplica(error)) this.become(false, error);
  }

  private async look(): Promise<void> {
    let lag: number | undefined;
    try {
      await this.beat();
      const client = await this.connect();
      try {
        lag = await this.measure(client);
        this.checkBound(lag);
        await this.inspect(client);
      } finally {
        client.release();
      }
      this.become(true);
    } catch (error) {
      // Every report measures the lag itself, so a look may be missed.
      if (!isInUse(error)) this.become(false, error);
    }
    this.lastLag = lag;
    if (this.pool?.ending === false) this.timer = setTimeout(() => void this.look(), BEAT_MS).unref();
  }

  private async inspect(client: PooledClient): Promise<void> {
    if (this.inspected) return;
    const { rows } = await client.query<{ bypass: boolean }>(bind(ROLE, {}));
    this.inspected = true;
    if (rows[0]?.bypass === true)
      this.logger.warn('the role of DATABASE_READ_URL bypasses row level security: use one that is not a superuser');
  }

  private primaryTime(): number | undefined {
    return this.primary && this.primary.time + (performance.now() - this.primary.at);
  }

  private async beat(): Promise<void> {
    // The primary's clock was read after this moment, so its time is estimated too late, never too early.
    const at = performance.now();
    const [row] = await this.statements.run<{ now: Date; database: string }>(BEAT, { beaten_ms: BEATEN_MS });
    if (row) this.primary = { time: row.now.getTime() + 1, at, database: row.database };
  }

  private become(usable: boolean, error?: unknown): void {
    if (this.usable === usable) return;
    this.usable = usable;
    if (usable) this.logger.info('the read replica is in use');
    else this.logger.warn({ err: error }, 'everything is read from the primary: the read replica is behind, or fails');
  }
}
