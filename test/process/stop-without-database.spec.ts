import { QUEUE_SCHEMA } from '../../src/1-platform/scheduling/boss-connections';
import { DatabaseProxy } from '../support/database-proxy';
import { eventually } from '../support/eventually';
import { onThisMachine } from '../support/machine';
import { start, type Start } from '../support/start';
import { cloneDatabase, dropDatabase, testServer } from '../support/test-server';

/** The time that orchestrators give a process before they kill it. */
const KILLED_AFTER_MS = 30_000;

describe('a stop while the database does not answer', () => {
  let database: { name: string; url: string };
  let proxy: DatabaseProxy;
  let running: Start | undefined;

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
    await proxy.set('swallow');
    // Replicas look for due sweeps, and hear nothing.
    await eventually(() => expect(proxy.swallowed).toContain(QUEUE_SCHEMA));
    const signalledAt = performance.now();
    running.process.kill('SIGTERM');
    await running.exit;
    expect(performance.now() - signalledAt).toBeLessThan(onThisMachine(KILLED_AFTER_MS - 5_000));
  });
});
