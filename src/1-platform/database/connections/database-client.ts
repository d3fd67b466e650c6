import pg from 'pg';
import { requestCancel } from './cancel-request';
import { isConnectionFault } from './database-errors';
import { PooledQuery, settingsOf, type TransactionSettings } from './pooled-query';

/** Monitors the connections of this process: see `DatabaseWatch`. */
export interface Watch {
  /** Milliseconds in which this process could have noticed an answer. */
  readonly now: number;
  add(client: DatabaseClient): void;
  remove(client: DatabaseClient): void;
  /** The server refused a statement. @param state its SQLSTATE */
  refused(state: string): void;
}

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Missing for tools that run once and end: their connections have plain timeouts. */
  watch?: Watch;
  /**
   * How long the server may be silent while it owes an answer. A statement's own `query_timeout` overrides
   * it.
   */
  answerWithinMs?: number;
  /** Settings of the session. Those that the server's platform lacks are omitted. */
  session?: Readonly<Record<string, string>>;
  /**
   * Settings of each transaction, where a pooler lends connections for one transaction: the session has none
   * then, and statements have no names.
   */
  transaction?: Readonly<Record<string, string>>;
}

/** The server's status between two transactions. */
const OUTSIDE_TRANSACTIONS = 'I';

/** The time limit for each step of a new connection, and for its end. */
const HANDSHAKE_MS = 1_000;

interface Asked {
  since: number;
  withinMs: number;
  /** Bytes that the connection had sent before. */
  sentBefore: number;
}

/** A connection whose statement arrives more slowly may count as dead: 0.5 MB/s. */
const SLOWEST_BYTES_PER_MS = 500;

/** The process of the server behind a connection. */
interface Backend {
  readonly pid: number;
  /** When that server started, as text: another server has another time. */
  readonly serverStart: string;
}

type Connected = (error: Error | null) => void;

/** The error of a connection on which the server owed an answer and was silent. */
export class DatabaseSilence extends Error {
  readonly code = 'ETIMEDOUT';
}

/**
 * The function of PostgreSQL that warns when somebody cancels the wait of a commit for a standby. The commit
 * then counts as done, although a fail-over would lose it. No time limit of PostgreSQL ends that wait.
 */
const COMMIT_WITHOUT_STANDBY = 'SyncRepWaitForLSN';

/** The error of a commit that no standby has confirmed. Its outcome is unknown to the caller. */
export class UnconfirmedCommit extends Error {
  /** Unknown resolution of a transaction, in the class of lost connections. */
  readonly code = '08007';
}

/** The settings that a pooled connection gives its transactions. */
class CurrentTransaction implements TransactionSettings {
  applied = false;

  constructor(private readonly text: string) {}

  apply(): string | undefined {
    if (this.applied) return undefined;
    this.applied = true;
    return this.text;
  }
}

/**
 * A connection of any pool. It has an error listener from the beginning: pools remove theirs while they hand
 * out a client, and a server that closes the connection at that moment would end this process.
 */
export class DatabaseClient extends pg.Client {
  /** Why the connection must not be used again; undefined while it may. A pool discards such a client. */
  lost: Error | undefined;
  private readonly watch: Watch | undefined;
  private readonly answerWithinMs: number;
  private readonly session: Readonly<Record<string, string>>;
  /** Undefined unless a pooler lends connections for one transaction. */
  private readonly transaction: CurrentTransaction | undefined;
  /** Statements and steps of the handshake without an answer. */
  private unanswered = 0;
  private asked: Asked | undefined;
  private bytesRead = 0;
  private receivedAt = 0;
  /** Undefined unless the connection has a session of its own. */
  backend: Backend | undefined;

  constructor(config: DatabaseClientConfig) {
    super(config);
    this.watch = config.watch;
    this.answerWithinMs = config.answerWithinMs ?? Infinity;
    this.session = config.session ?? {};
    this.transaction = config.transaction && new CurrentTransaction(settingsOf(config.transaction));
    this.on('error', (error) => (this.lost ??= error));
    this.on('end', () => {
      this.lost ??= new Error('Connection terminated');
      this.asked = undefined;
      this.watch?.remove(this);
    });
    this.connection.on('readyForQuery', ({ status }: { status?: string }) => {
      if (this.transaction && status === OUTSIDE_TRANSACTIONS) this.transaction.applied = false;
      this.answered();
    });
    this.connection.on('notice', ({ routine }: { routine?: string }) => {
      if (routine === COMMIT_WITHOUT_STANDBY) this.refuseCommit();
    });
    this.connection.on('errorMessage', ({ code = '' }: { code?: string }) => this.watch?.refused(code));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | void {
    if (!callback)
      return new Promise((resolve, reject) => this.connect((error) => (error ? reject(error) : resolve(this))));
    this.watch?.add(this);
    this.ask(HANDSHAKE_MS);
    super.connect((error: Error | null) => {
      if (error) {
        // A refused connection may still be open.
        this.asked = undefined;
        this.watch?.remove(this);
        callback(error);
        return;
      }
      this.applySession().then(
        () => callback(null),
        (failed: Error) => {
          this.end(() => undefined);
          callback(failed);
        },
      );
    });
  }

  // Overloads that no signature of one function matches; what is passed and returned is the driver's own.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(asked: any, ...rest: any[]): any {
    const own = (asked as { query_timeout?: number } | null)?.query_timeout;
    this.ask(own ?? this.answerWithinMs);
    // The driver's own timer would count time in which this process was blocked.
    const statement: unknown =
      own === undefined || !this.watch ? asked : { ...(asked as object), query_timeout: undefined };
    const answer: unknown = this.transaction
      ? this.sendPooled(this.transaction, statement, rest)
      : super.query(statement as string, ...(rest as []));
    if (answer instanceof Promise)
      answer.catch((error: Error) => {
        if (isConnectionFault(error)) this.lost ??= error;
      });
    return answer;
  }

  private sendPooled(settings: TransactionSettings, statement: unknown, [values, callback]: unknown[]): unknown {
    const send = (done?: unknown): void => {
      const query = new PooledQuery(settings, statement, values, done);
      super.query(query);
    };
    if (typeof values === 'function' || callback !== undefined) return send(callback);
    return new Promise((resolve, reject) => {
      send((error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.ask(HANDSHAKE_MS);
    return callback ? super.end(callback) : super.end();
  }

  /** Whether the server owes an answer. */
  get waits(): boolean {
    return this.asked !== undefined;
  }

  /** Records received data. @returns whether there was any since the last call */
  received(now: number): boolean {
    const { bytesRead = 0 } = this.connection.stream as { bytesRead?: number };
    if (bytesRead === this.bytesRead) return false;
    this.bytesRead = bytesRead;
    this.receivedAt = now;
    return true;
  }

  /** Since when the server owes an answer and nothing arrives; undefined if it owes none. */
  get quietSince(): number | undefined {
    return this.asked && Math.max(this.asked.since, this.receivedAt);
  }

  /**
   * Milliseconds that the network may need for what was sent: the server shows no work while it receives a
   * large statement.
   */
  get sendingMs(): number {
    return this.asked ? (this.sentBytes - this.asked.sentBefore) / SLOWEST_BYTES_PER_MS : 0;
  }

  private get sentBytes(): number {
    return (this.connection.stream as { bytesWritten?: number }).bytesWritten ?? 0;
  }

  /** Whether the server has been silent for longer than its current work may take. */
  overdue(now: number): boolean {
    return this.asked !== undefined && now - Math.max(this.asked.since, this.receivedAt) > this.asked.withinMs;
  }

  /** Closes the connection at once. Callers that wait for an answer get the error. */
  abandon(error: Error): void {
    this.connection.stream.destroy(error);
  }

  /**
   * As `abandon`, for a server that answers others. It would go on with the statement, and wait for a standby
   * for ever, with its locks, so it is also asked to cancel that.
   */
  giveUp(error: Error): void {
    this.lost ??= error;
    this.asked = undefined;
    const { processID, secretKey } = this as unknown as { processID: number | null; secretKey: number | null };
    if (processID === null || secretKey === null) return this.abandon(error);
    const server = this.host.startsWith('/') ? `${this.host}/.s.PGSQL.${this.port}` : this;
    const cancelled = requestCancel(server, processID, secretKey);
    if (!this.transaction) return this.abandon(error);
    // A pooler forgets which statement was meant as soon as this connection closes.
    void cancelled.then(() => this.abandon(error));
  }

  /**
   * The answer that follows says that the commit succeeded. The caller must not believe it, so the statement
   * fails here, as if the connection had broken before the answer.
   */
  private refuseCommit(): void {
    const error = new UnconfirmedCommit('no standby has confirmed the commit in time');
    this.lost ??= error;
    this.connection.emit('errorMessage', error);
    this.abandon(error);
  }

  private ask(withinMs: number): void {
    if (!this.watch) return;
    this.unanswered++;
    this.asked = { since: this.watch.now, withinMs, sentBefore: this.sentBytes };
  }

  private answered(): void {
    this.unanswered = Math.max(0, this.unanswered - 1);
    if (this.unanswered === 0) this.asked = undefined;
  }

  private async applySession(): Promise<void> {
    const settings = Object.entries(this.session);
    if (settings.length === 0) return;
    const pairs = settings.map(([name, value]) => `[${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}]`).join(', ');
    const [, known] = (await this.query({
      query_timeout: HANDSHAKE_MS,
      text: `do $do$ declare setting text[]; begin
        foreach setting slice 1 in array array[${pairs}] loop
          begin
            perform set_config(setting[1], setting[2], false);
          exception when invalid_parameter_value or feature_not_supported or undefined_object then null;
          end;
        end loop;
      end $do$;
      select pg_backend_pid() as pid, pg_postmaster_start_time()::text as "serverStart"`,
    })) as pg.QueryResult<Backend>[];
    this.backend = known?.rows[0];
  }
}
