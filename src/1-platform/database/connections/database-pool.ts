import pg from 'pg';
import { DatabaseClient, DatabaseSilence } from './database-client';
import type { DatabaseWatch, WatchedPool } from './database-watch';

/**
 * How long a caller waits for a connection that others use: a few dozen large answers have all of them for
 * seconds. Nobody waits so long for a server that does not answer: the watch refuses those.
 */
export const CONNECTION_WAIT_MS = 3_000;

export interface DatabasePoolConfig extends pg.PoolConfig {
  /** Missing for tools that run once and end. */
  watch?: DatabaseWatch;
}

export type PooledClient = pg.PoolClient & Pick<DatabaseClient, 'lost'>;

type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

interface Waiting {
  readonly taken: Taken;
  readonly until: number;
}

const nothing = (): void => undefined;

/**
 * A connection whose server no longer answers must not go back to the pool: its next user would wait behind
 * the dead statement. So a plain release discards a client that has noted a fault of its connection.
 */
const handingOut =
  (taken: Taken): Taken =>
  (error, client, release) => {
    if (!client) return taken(error, client, release);
    const released = (failed?: unknown): void => release(failed ?? (client as PooledClient).lost);
    client.release = released;
    taken(undefined, client, released);
  };

/**
 * A pool with its own queue of callers, so that the watch measures their waiting time: a blocked process does
 * not refuse free connections, and a silent server is reported to all waiting and new callers at once.
 */
export class DatabasePool extends pg.Pool implements WatchedPool {
  private readonly watch: DatabaseWatch | undefined;
  private readonly waiting: Waiting[] = [];
  /** Connections in use, or being opened for a caller. */
  private taken = 0;

  constructor(config: DatabasePoolConfig = {}) {
    // The driver creates clients with the pool's whole configuration, which its type does not show.
    super({ ...config, Client: DatabaseClient as unknown as pg.PoolConfig['Client'] });
    this.watch = config.watch;
    // The pool accepts a returned connection after this event.
    this.on('release', () => {
      this.taken--;
      process.nextTick(() => this.serve());
    });
    Object.defineProperty(this, 'waitingCount', { get: () => this.waiting.length });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  override connect(taken?: Taken): Promise<pg.PoolClient> | void {
    if (!taken)
      return new Promise((resolve, reject) =>
        this.connect((error, client) =>
          client ? resolve(client) : reject(error ?? new Error('there is no connection')),
        ),
      );
    if (!this.watch || this.ending) super.connect(handingOut(taken));
    else if (this.watch.silent) taken(new DatabaseSilence('the database does not answer'), undefined, nothing);
    else {
      this.waiting.push({ taken, until: this.watch.now + CONNECTION_WAIT_MS });
      this.watch.attend(this);
      this.serve();
    }
  }

  override end(): Promise<void>;
  override end(ended: () => void): void;
  override end(ended?: () => void): Promise<void> | void {
    this.refuse(Infinity, new Error('Cannot use a pool after calling end on the pool'));
    return ended ? super.end(ended) : super.end();
  }

  /** Refuses callers that have waited too long. @returns whether others still wait */
  refuse(now: number, error: Error): boolean {
    while (this.waiting[0] && this.waiting[0].until <= now) this.waiting.shift()?.taken(error, undefined, nothing);
    return this.waiting.length > 0;
  }

  private serve(): void {
    while (this.taken < this.options.max) {
      const next = this.waiting.shift();
      if (!next) return;
      this.taken++;
      const opened = handingOut((error, client, release) => {
        if (client) {
          next.taken(undefined, client, release);
          return;
        }
        this.taken--;
        process.nextTick(() => this.serve());
        next.taken(error, undefined, nothing);
      });
      try {
        super.connect(opened);
      } catch (error) {
        // The driver reads the files that the address names, such as `sslrootcert`, before it connects.
        opened(error as Error, undefined, nothing);
      }
    }
  }
}

/** The connections of transactions. TypeORM uses it too, and ends it with its data source. */
export class TransactionPool extends DatabasePool {}
