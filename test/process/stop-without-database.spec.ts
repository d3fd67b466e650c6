import { QUEUE_SCHEMA } from '../../src/1-platform/scheduling/boss-connections';
import { DatabaseProxy } from '../support/database-proxy';
import { eventually } from '../support/eventually';
import { onThisMachine } from '../support/machine';
import { start, type Start } from '../support/start';
import { asAdmin, cloneDatabase, dropDatabase, testServer } from '../support/test-server';

/** The time that orchestrators give a process before they kill it. */
const KILLED_AFTER_MS = 30_000;

describe('a stop while the database does not answer', () => {
  let database: { name: string; url: string };
  let proxy: DatabaseProxy;
  let running: Start | undefined;

  const plannedRounds = (): Promise<number> =>
    asAdmin(database.url, async (client) => {
      const { rows } = await client.query<{ rounds: number }>(
        `select count(*)::int as rounds from ${QUEUE_SCHEMA}.job`,
      );
      return rows[0]?.rounds ?? 0;
    });

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    proxy = await DatabaseProxy.before(database.url);
  });
  afterAll(async () => {
    running?.kill();
    await proxy.close();
    await dropDatabase(testServer(), database.name);
  });

  it('ends in time', async () => {
    running = start({ DATABASE_URL: proxy.url });
    await running.address();
    // Sweeps start once the service listens. Planned rounds show that their connections are open: one that
    // opens later would send no statement into the black hole.
    await eventually(async () => expect(await plannedRounds()).toBeGreaterThan(0));
    // The next look for a due sweep hears nothing, and then nothing else does.
    proxy.lose({ sends: QUEUE_SCHEMA, delivered: false });
    await eventually(() => expect(proxy.lost).toBe(1));
    await proxy.set('swallow');
    const signalledAt = performance.now();
    running.process.kill('SIGTERM');
    await running.exit;
    expect(performance.now() - signalledAt).toBeLessThan(onThisMachine(KILLED_AFTER_MS - 5_000));
  });
});
