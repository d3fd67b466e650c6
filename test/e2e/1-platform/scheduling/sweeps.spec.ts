import type pg from 'pg';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { readEnvironment } from '../../../../src/1-platform/config/environment';
import { DatabaseWatch } from '../../../../src/1-platform/database/connections/database-watch';
import { BossConnections } from '../../../../src/1-platform/scheduling/boss-connections';
import { Sweeps, type Sweep } from '../../../../src/1-platform/scheduling/sweeps';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { asAdmin, cloneDatabase, dropDatabase, poolOf, testServer } from '../../../support/test-server';

/** Shorter than the product's, so that a test does not wait for the queue. */
const INTERVALS = { pollSeconds: 0.5, replantSeconds: 1 };

describe('sweeps', () => {
  let database: { name: string; url: string };
  let db: pg.Pool;
  let replicas: Sweeps[];
  /** What the replicas logged, at the level `info` and above. */
  let messages: string[];

  beforeEach(async () => {
    database = await cloneDatabase(testServer());
    db = poolOf(database.url);
    replicas = [];
    messages = [];
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.beforeApplicationShutdown();
    await db.end();
    await dropDatabase(testServer(), database.name);
  });

  /** A replica that runs some sweeps. */
  async function replica(...sweeps: Sweep[]): Promise<Sweeps> {
    const environment = { ...readEnvironment({}), databaseUrl: database.url };
    const logger = createLogger('info', {
      write: (line) => messages.push((JSON.parse(line) as { msg: string }).msg),
    });
    const watch = new DatabaseWatch({ connectionString: database.url }, logger);
    const made = new Sweeps(environment, logger, watch, INTERVALS);
    for (const sweep of sweeps) made.add(sweep);
    await made.start();
    replicas.push(made);
    return made;
  }

  async function stop(stopped: Sweeps): Promise<void> {
    replicas = replicas.filter((other) => other !== stopped);
    await stopped.beforeApplicationShutdown();
  }

  /** A sweep whose rounds are counted. */
  function counted(name: string, everySeconds: number, run: () => Promise<number | void> = () => Promise.resolve()) {
    const rounds: number[] = [];
    const sweep: Sweep = {
      name,
      everySeconds,
      run: () => {
        rounds.push(performance.now());
        return run();
      },
    };
    return { sweep, rounds };
  }

  /** Ends the wait for the next round of a sweep. */
  const makeDue = (name: string, ago = '0 seconds') =>
    db.query('update pgboss.job set start_after = now() - $2::interval where name = $1', [`sweep-${name}`, ago]);

  it('run at their interval, however many replicas there are', async () => {
    const { sweep, rounds } = counted('counted', 0.4);
    for (let count = 0; count < 3; count++) await replica(sweep);
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(4));
    // Three intervals lie between these, less the delay of the first one on a busy machine. Three replicas
    // that each ran rounds of their own would start all four within one interval.
    const [first = 0, , , fourth = 0] = rounds;
    expect(fourth - first).toBeGreaterThan(2 * 400);
  });

  it('run earlier when a round requests it', async () => {
    let requests = 0;
    const { sweep, rounds } = counted('hastened', 2, () => Promise.resolve(requests++ === 0 ? 0.1 : undefined));
    await replica(sweep);
    await makeDue('hastened');
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(2), 10_000);
    expect((rounds[1] ?? 0) - (rounds[0] ?? 0)).toBeLessThan(onThisMachine(1_500));
  });

  it('continue after a failed round, and next to one that hangs', async () => {
    const failing = counted('failing', 0.4, () => Promise.reject(new Error('as it happens')));
    let release: () => void = () => undefined;
    const hang = new Promise<void>((resolve) => (release = resolve));
    const hanging = counted('hanging', 0.4, () => hang);
    await replica(failing.sweep, hanging.sweep);
    await eventually(() => {
      expect(failing.rounds.length).toBeGreaterThanOrEqual(3);
      expect(hanging.rounds).toHaveLength(1);
    }, 15_000);
    // Another replica takes it over.
    await replica(hanging.sweep);
    await eventually(() => expect(hanging.rounds).toHaveLength(2), 10_000);
    release();
  });

  it('are taken over by another replica when one stops', async () => {
    const { sweep, rounds } = counted('taken-over', 0.4);
    const first = await replica(sweep);
    await replica(sweep);
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(1), 10_000);
    await stop(first);
    const before = rounds.length;
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(before + 2), 10_000);
  });

  it('run once after a long gap, not once per missed round', async () => {
    const { sweep, rounds } = counted('made-up', 60);
    const first = await replica(sweep);
    await stop(first);
    await makeDue('made-up', '1 hour');
    await replica(sweep);
    await eventually(() => expect(rounds).toHaveLength(1), 10_000);
    // The only round that is left is due one interval after the one that ran.
    await eventually(async () => {
      const { rows } = await db.query(
        `select state, start_after - created_on as wait from pgboss.job
         where name = 'sweep-made-up' and state <> 'completed'`,
      );
      expect(rows).toEqual([{ state: 'created', wait: expect.objectContaining({ minutes: 1 }) }]);
    });
    expect(rounds).toHaveLength(1);
  });

  it('are left alone by a replica that does not know them', async () => {
    const [known, unknown] = [counted('of-this-release', 0.4), counted('of-the-next-release', 0.4)];
    await replica(known.sweep);
    const other = await replica(unknown.sweep);
    await eventually(() => {
      expect(known.rounds.length).toBeGreaterThanOrEqual(2);
      expect(unknown.rounds.length).toBeGreaterThanOrEqual(2);
    }, 15_000);
    await stop(other);
    await makeDue('of-the-next-release');
    // The replica that is left takes rounds all the time.
    const before = known.rounds.length;
    await eventually(() => expect(known.rounds.length).toBeGreaterThanOrEqual(before + 2), 10_000);
    const waiting = await db.query(
      "select state from pgboss.job where name = 'sweep-of-the-next-release' and state <> 'completed'",
    );
    expect(waiting.rows).toEqual([{ state: 'created' }]);
  });

  it('change only queues of an older release when they start', async () => {
    const { sweep: one } = counted('of-an-older-release', 60);
    const { sweep: other } = counted('of-this-release', 60);
    await stop(await replica(one, other));
    await db.query(`
      update pgboss.queue set updated_on = '2000-01-01',
        expire_seconds = case name when 'sweep-of-an-older-release' then 1 else expire_seconds end`);
    await replica(one, other);
    const queues = await db.query(`
      select name, expire_seconds, updated_on < '2000-01-02' as "isUntouched" from pgboss.queue
      where name like 'sweep-of-%-release' or name = 'sweep-replant' order by name`);
    expect(queues.rows).toEqual([
      { name: 'sweep-of-an-older-release', expire_seconds: 300, isUntouched: false },
      { name: 'sweep-of-this-release', expire_seconds: 300, isUntouched: true },
      { name: 'sweep-replant', expire_seconds: 300, isUntouched: true },
    ]);
  });

  it('plan only what is not planned yet when they start', async () => {
    const sweeps = ['planned', 'unplanned'].map((name) => counted(name, 60).sweep);
    await stop(await replica(...sweeps));
    await db.query("delete from pgboss.job where name = 'sweep-unplanned'");
    await db.query(`
      update pgboss.schedule set updated_on = '2000-01-01',
        cron = case key when '15' then '1 1 1 1 *' else cron end,
        options = case key when '30' then '{}' else options end`);
    const statements = jest.spyOn(BossConnections.prototype, 'executeSql');
    await replica(...sweeps);
    const written = statements.mock.calls.flatMap(([text]) => /insert into .*'sweep-(\w+)' as name/is.exec(text)?.[1]);
    statements.mockRestore();
    expect(written.filter((name) => name?.endsWith('planned'))).toEqual(['unplanned']);
    const rounds = await db.query("select name from pgboss.job where name like 'sweep-%planned' order by name");
    expect(rounds.rows).toEqual([{ name: 'sweep-planned' }, { name: 'sweep-unplanned' }]);
    const schedules = await db.query(`
      select cron, options, updated_on < '2000-01-02' as "isUntouched" from pgboss.schedule order by key::int`);
    expect(schedules.rows).toEqual(
      [0, 15, 30, 45].map((second) => ({
        cron: `${second} * * * * *`,
        options: { key: String(second), singletonKey: 'next' },
        isUntouched: second === 0 || second === 45,
      })),
    );
  });

  it('are scheduled again if the queue lost them', async () => {
    const { sweep, rounds } = counted('lost', 0.4);
    await replica(sweep);
    await db.query("delete from pgboss.job where name = 'sweep-lost'");
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(1), 40_000);
  });

  it('keep a failed round as failed, without the text of its error', async () => {
    const { sweep, rounds } = counted('of-no-luck', 0.4, () => Promise.reject(new Error('Key (name)=(secret)')));
    await replica(sweep);
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(2));
    await eventually(async () => {
      const { rows } = await db.query<{ output: { message: string } }>(
        "select output from pgboss.job where name = 'sweep-of-no-luck' and state = 'failed'",
      );
      expect(rows.length).toBeGreaterThanOrEqual(1);
      expect(JSON.stringify(rows)).not.toContain('secret');
    });
  });

  it('report once that the database takes no writes, and run again when it does', async () => {
    const { sweep, rounds } = counted('refused', 0.4);
    const made = await replica(sweep);
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(1));
    /** A default applies to connections that begin later, so all others end. */
    const setDefault = (change: string) =>
      asAdmin(testServer().adminUrl, async (client) => {
        await client.query(`alter database ${database.name} ${change}`);
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          database.name,
        ]);
      });
    const times = (message: string) => messages.filter((one) => one === message).length;

    await setDefault('set default_transaction_read_only = on');
    await eventually(() => expect(times('the database is read only: no sweep runs')).toBe(1));
    const { connections } = made as unknown as { connections: { executeSql: () => Promise<unknown> } };
    const polls = jest.spyOn(connections, 'executeSql');
    await eventually(() => expect(polls.mock.calls.length).toBeGreaterThanOrEqual(5));
    expect(times('the database is read only: no sweep runs')).toBe(1);
    expect(times('the database takes writes again: sweeps go on')).toBe(0);

    await setDefault('reset default_transaction_read_only');
    const before = rounds.length;
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(before + 2));
    expect(times('the database takes writes again: sweeps go on')).toBe(1);
    expect(times('the database is read only: no sweep runs')).toBe(1);
  });

  describe('with turns of owners', () => {
    /** Owners in pages of two, with this many turns of work each. Every turn takes one. */
    function owners(work: Record<string, number>, roundMs = 60_000) {
      const names = Object.keys(work).toSorted();
      const taken: string[] = [];
      const page = (behind: string | undefined) =>
        Promise.resolve(names.filter((name) => work[name] !== 0 && name > (behind ?? '')).slice(0, 2));
      const turn = (name: string) => {
        taken.push(name);
        work[name] = (work[name] ?? 0) - 1;
        return Promise.resolve(work[name] === 0);
      };
      return { taken, options: { pageSize: 2, roundMs, turnMs: 1_000, page, turn } };
    }

    it('gives each owner a turn until nobody has more', async () => {
      const { taken, options } = owners({ a: 3, b: 1, c: 2 });
      expect(await (await replica()).takeTurns('turns', options)).toBeUndefined();
      expect(taken).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
    });

    it('begins the next round with the owners that got no turn in this one', async () => {
      const sweeps = await replica();
      const { taken, options } = owners({ a: 2, b: 2, c: 2 }, 0);
      expect(await sweeps.takeTurns('turns', options)).toBe(0);
      expect(taken).toEqual(['a', 'b']);
      expect(await sweeps.takeTurns('turns', options)).toBe(0);
      expect(taken).toEqual(['a', 'b', 'c']);
    });

    it('delays no owner by one that fails', async () => {
      const { taken, options } = owners({ a: 2, b: 2 });
      const turn = (name: string) => (name === 'a' ? Promise.reject(new Error('as it happens')) : options.turn(name));
      expect(await (await replica()).takeTurns('turns', { ...options, turn })).toBeUndefined();
      expect(taken).toEqual(['b', 'b']);
    });
  });
});
