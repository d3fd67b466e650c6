import type pg from 'pg';
import { eventually } from './eventually';

const KEY = 20_260_128;

/** Resolves when a statement of this database waits for a lock. */
export const lockAwaited = (db: pg.Pool): Promise<void> =>
  eventually(async () => {
    const { rows } = await db.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(rows.length).toBeGreaterThan(0);
  });

/** Lets statements of one kind wait when they have begun: between what they see and what they change. */
export class Pause {
  private constructor(
    private readonly db: pg.Pool,
    /** The only connection whose own statements do not wait. */
    readonly session: pg.PoolClient,
  ) {}

  /** @param what such as `delete on outbox_consumers` */
  static async before(db: pg.Pool, what: string): Promise<Pause> {
    const session = await db.connect();
    await session.query('select pg_advisory_lock($1)', [KEY]);
    await db.query(`
      create function pause_of_a_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${KEY}); return null; end $$;
      create trigger pause_of_a_test before ${what} for each statement execute function pause_of_a_test()`);
    return new Pause(db, session);
  }

  /** Resolves when a statement waits. */
  reached(): Promise<void> {
    return lockAwaited(this.db);
  }

  async over(): Promise<void> {
    await this.session.query('select pg_advisory_unlock($1)', [KEY]);
  }

  async remove(): Promise<void> {
    await this.session.query('rollback; select pg_advisory_unlock_all()');
    this.session.release();
    await this.db.query('drop function pause_of_a_test cascade');
  }
}
