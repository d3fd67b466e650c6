import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createLogger } from '../../../src/common/logger';
import { readEnvironment } from '../../../src/config/environment';
import { Sweeps, type Sweep } from '../../../src/scheduling/sweeps';
import { eventually } from '../../support/eventually';
import { cloneDatabase, dropDatabase, testServer } from '../../support/test-server';

describe('sweeps', () => {
  let database: { name: string; url: string };
  let db: pg.Pool;
  let replicas: Sweeps[];

  beforeEach(async () => {
    database = await cloneDatabase(testServer());
    db = new pg.Pool({ connectionString: database.url, max: 2 });
    replicas = [];
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.beforeApplicationShutdown();
    await db.end();
    await dropDatabase(testServer(), database.name);
  });

  /** A replica that knows some sweeps. */
  async function replica(...sweeps: Sweep[]): Promise<Sweeps> {
    const made = new Sweeps({ ...readEnvironment({}), databaseUrl: database.url }, createLogger('silent'));
    for (const sweep of sweeps) made.add(sweep);
    await made.onApplicationBootstrap();
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

  it('come at their pace, however many replicas there are', async () => {
    const { sweep, rounds } = counted('counted', 1);
    for (let count = 0; count < 3; count++) await replica(sweep);
    await sleep(6_500);
    expect(rounds.length).toBeGreaterThanOrEqual(3);
    expect(rounds.length).toBeLessThanOrEqual(7);
  });

  it('come earlier when a round says so', async () => {
    let told = 0;
    const { sweep, rounds } = counted('hastened', 2, () => Promise.resolve(told++ === 0 ? 0.1 : undefined));
    await replica(sweep);
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(2), 10_000);
    expect((rounds[1] ?? 0) - (rounds[0] ?? 0)).toBeLessThan(1_500);
  });

  it('go on after a round that failed, and beside one that hangs', async () => {
    const failing = counted('failing', 1, () => Promise.reject(new Error('as it happens')));
    let release: () => void = () => undefined;
    const hang = new Promise<void>((resolve) => (release = resolve));
    let hung = false;
    const hanging = counted('hanging', 1, () => {
      if (hung) return Promise.resolve();
      hung = true;
      return hang;
    });
    await replica(failing.sweep, hanging.sweep);
    await eventually(() => {
      expect(failing.rounds.length).toBeGreaterThanOrEqual(3);
      expect(hanging.rounds.length).toBeGreaterThanOrEqual(3);
    }, 15_000);
    release();
  });

  it('are taken over by another replica when one stops', async () => {
    const { sweep, rounds } = counted('taken-over', 1);
    const first = await replica(sweep);
    await replica(sweep);
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(1), 10_000);
    await stop(first);
    const before = rounds.length;
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(before + 2), 10_000);
  });

  it('are made up for once when nothing ran for long', async () => {
    const { sweep, rounds } = counted('made-up', 60);
    const first = await replica(sweep);
    await stop(first);
    await db.query("update pgboss.job set start_after = now() - interval '1 hour' where data ->> 'name' = 'made-up'");
    await replica(sweep);
    await eventually(() => expect(rounds).toHaveLength(1), 10_000);
    await sleep(1_500);
    expect(rounds).toHaveLength(1);
  });

  it('are left to a replica that knows them', async () => {
    const [known, unknown] = [counted('of-this-release', 1), counted('of-the-next-release', 1)];
    await replica(known.sweep);
    await replica(unknown.sweep);
    await eventually(() => {
      expect(known.rounds.length).toBeGreaterThanOrEqual(2);
      expect(unknown.rounds.length).toBeGreaterThanOrEqual(2);
    }, 30_000);
  });

  it('are planted anew when the queue lost them', async () => {
    const { sweep, rounds } = counted('lost', 1);
    await replica(sweep);
    await db.query("delete from pgboss.job where name = 'sweeps'");
    await db.query(
      `insert into pgboss.job (name, data, singleton_key) values ('sweeps', '{"name": "replant"}', 'replant')`,
    );
    await eventually(() => expect(rounds.length).toBeGreaterThanOrEqual(1), 10_000);
  });
});
