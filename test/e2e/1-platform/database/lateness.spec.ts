import { createLogger } from '../../../../src/1-platform/common/logger';
import { CONNECTION_WAIT_MS, DatabasePool } from '../../../../src/1-platform/database/connections/database-pool';
import { connectionOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { DatabaseWatch } from '../../../../src/1-platform/database/connections/database-watch';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { eventually } from '../../../support/eventually';
import { Service } from '../../../support/service';
import { cloneDatabase, dropDatabase, testServer } from '../../../support/test-server';

/** Longer than the time limits for a connection and for the first statement of a transaction. */
const LATE_MS = 1_800;

/** Blocks the event loop, as a starved machine would, and leaves the processor to other tests. */
function beLate(milliseconds = LATE_MS): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe('a process whose event loop was blocked', () => {
  let database: { name: string; url: string };
  let pool: DatabasePool;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
  });
  beforeEach(() => {
    const settings = { databaseUrl: database.url, poolSize: 1, statementTimeoutMs: 2_000 };
    const watch = new DatabaseWatch(connectionOptions(settings), createLogger('silent'));
    pool = new DatabasePool(connectionOptions({ ...settings, watch }));
  });
  afterEach(() => pool.end());
  afterAll(() => dropDatabase(testServer(), database.name));

  it('opens a connection although it was blocked for longer than the connection timeout', async () => {
    const opened = pool.connect();
    beLate();
    (await opened).release();
  });

  it('gets a connection that was released while it was blocked', async () => {
    const first = await pool.connect();
    void first.query('select pg_sleep(0.2)').then(() => first.release());
    const second = pool.connect();
    beLate();
    (await second).release();
  });

  it('receives an answer that arrived in time', async () => {
    const client = await pool.connect();
    const answer = client.query({ text: 'select 1 as one', query_timeout: 1_000 } as { text: string });
    beLate();
    expect((await answer).rows).toEqual([{ one: 1 }]);
    client.release();
  });

  it('is refused a connection after the timeout when all of them stay in use', async () => {
    const first = await pool.connect();
    const began = performance.now();
    await expect(pool.connect()).rejects.toThrow('in use');
    const waited = performance.now() - began;
    expect(waited).toBeGreaterThanOrEqual(CONNECTION_WAIT_MS - 100);
    expect(waited).toBeLessThan(2 * CONNECTION_WAIT_MS);
    expect(pool.waitingCount).toBe(0);
    first.release();
    (await pool.connect()).release();
  });

  it('gives up a statement without an answer, and discards its connection', async () => {
    const client = await pool.connect();
    const began = performance.now();
    const asked = client.query({ text: 'select pg_sleep(1.8)', query_timeout: 500 } as { text: string });
    await expect(asked).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(performance.now() - began).toBeLessThan(1_500);
    client.release();
    // The connection was discarded, not returned to the pool.
    const next = await pool.connect();
    expect(next).not.toBe(client);
    next.release();
  });

  it('answers seven clients that call at that moment while the database is idle', async () => {
    const service = await Service.start();
    try {
      const org = await service.organisation();
      const asked = Array.from({ length: 7 }, (_, n) =>
        org.operator.post('/v1/cluster', { cluster_name: `cluster-${n}` }),
      );
      for (let turn = 0; turn < 3; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        beLate();
      }
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    } finally {
      await service.close();
    }
  });

  it('answers seven clients that wait for a place while it is late for longer than they may wait', async () => {
    const service = await Service.start();
    try {
      const org = await service.organisation();
      // Its bearer is known from then on: unknown ones have a class of their own.
      expect((await org.viewer.get('/v1/cluster')).status).toBe(200);
      const { request: lane } = service.app.get(Admission).limits.lanes;
      Object.assign(lane, { most: 1, leastCalm: 1, leastRefusing: 1, limit: 1 });
      expect(lane.enter()).toBe(true);
      const asked = Array.from({ length: 7 }, () => org.viewer.get('/v1/cluster'));
      await eventually(() => expect(lane.waiting).toBe(7));
      for (let turn = 0; turn < 4; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        beLate();
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(lane.waiting).toBe(7);
      lane.leave();
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    } finally {
      await service.close();
    }
  });
});
