import { setImmediate as turnIsOver } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { bind, type Statement, type Values } from '../../../../src/1-platform/database/transactions/statement';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import {
  SeriesDirectory,
  type ReadiedSeries,
  type ReportedSeries,
} from '../../../../src/6-insight/time-series/series/series-directory';
import type { SeriesCount } from '../../../../src/6-insight/time-series/samples.queries';
import { eventually } from '../../../support/eventually';
import { seriesOf } from '../../../support/metric-series';
import { Service, type Organisation } from '../../../support/service';

/** As many as one statement of a request looks up. */
const AT_ONCE = 2_000;

describe('a new series', () => {
  let service: Service;
  let org: Organisation;
  let client: pg.PoolClient;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    // One connection: it caches its plans as those of the service do, and can publish its own statistics at
    // once.
    client = await service.app.get(StatementPool).pool.connect();
  });
  afterAll(async () => {
    client.release();
    await service.close();
  });

  const directory = (unitOfWork: Pick<UnitOfWork, 'read'> = service.app.get(UnitOfWork)) => {
    const run = async (statement: Statement, values: Values) => (await client.query(bind(statement, values))).rows;
    return new SeriesDirectory(
      { run } as unknown as StatementPool,
      unitOfWork as UnitOfWork,
      service.environment,
      pino({ enabled: false }),
    );
  };
  const batch = (from: number, count: number): Map<string, ReportedSeries> =>
    new Map(
      Array.from({ length: count }, (_, n) => {
        const labels = { instance: `host-${from + n}`, cpu: '0', mode: 'idle' };
        const mapped = seriesOf({ name: 'node_cpu_seconds_total', labels });
        return [mapped.digest, { mapped, newest: service.clock.now().getTime() }];
      }),
    );

  /** Rows of the table and entries of its indexes that the connection has read. */
  async function read(): Promise<number> {
    await client.query('select pg_stat_force_next_flush()');
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ read: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0)
          + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'metric_series'))::float8 as read
       from pg_stat_user_tables where relname = 'metric_series'`,
    );
    return rows[0]?.read ?? NaN;
  }

  it('costs the database as much with many known series as with few', async () => {
    // As in production, where the statistics of the table are older than the request that fills it.
    await client.query('alter table metric_series set (autovacuum_enabled = false)');
    await client.query('analyze metric_series');
    const series = directory();
    const costs: number[] = [];
    for (let round = 0; round < 12; round++) {
      const before = await read();
      const { ready } = await series.ready(org.id, batch(round * AT_ONCE, AT_ONCE));
      expect(ready.size).toBe(AT_ONCE);
      costs.push(((await read()) - before) / AT_ONCE);
    }
    // The second round finds a table that has rows, but none of its own.
    expect(Math.max(...costs.slice(2))).toBeLessThanOrEqual(Math.max(2, 1.5 * (costs[1] as number)));
    const before = await read();
    await series.ready(org.id, batch(0, AT_ONCE));
    expect(((await read()) - before) / AT_ONCE).toBeLessThanOrEqual(10);
  });

  describe('of a replica that counts them', () => {
    const most = () => service.environment.metricsMaxSeries;
    /** Answers of the database to counts, one after the other. */
    const counting = (...answers: (() => Promise<SeriesCount>)[]) => {
      const read = jest.fn(() => (answers.shift() ?? fails)());
      return { read, series: directory({ read } as unknown as Pick<UnitOfWork, 'read'>) };
    };
    const of = async (readied: Promise<ReadiedSeries>) => {
      const { ready, isRoomKnown } = await readied;
      return [ready.size, isRoomKnown];
    };
    const fails = () => Promise.reject(new Error('as it happens'));
    const room = (left: number) => () => Promise.resolve({ stored: 0, alive: most() - left });
    let passed = 0;
    beforeEach(async () => {
      org = await service.organisation();
      passed = 0;
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    });
    afterEach(() => jest.restoreAllMocks());

    it('waits for the count in progress if there is no room by the last one', async () => {
      const gate = Promise.withResolvers<SeriesCount>();
      const { read, series } = counting(room(10), () => gate.promise);
      await series.ready(org.id, batch(0, 1));
      passed = 61_000;
      await series.ready(org.id, batch(1, 1));
      expect(read).toHaveBeenCalledTimes(2);
      const many = series.ready(org.id, batch(2, 20));
      // The one that was made meanwhile counts beside them.
      gate.resolve({ stored: 0, alive: most() - 21 });
      expect(await of(many)).toEqual([20, true]);
    });

    it('goes on with known series while it cannot be counted, and counts once a minute', async () => {
      await directory().ready(org.id, batch(0, 5));
      const { read, series } = counting(fails, room(10));
      for (let times = 0; times < 3; times++) expect(await of(series.ready(org.id, batch(0, 8)))).toEqual([5, false]);
      expect(read).toHaveBeenCalledTimes(1);
      passed = 61_000;
      expect(await of(series.ready(org.id, batch(0, 8)))).toEqual([8, true]);
    });

    it('is counted after those of another organisation, not beside them', async () => {
      const gate = Promise.withResolvers<SeriesCount>();
      const { read, series } = counting(() => gate.promise, room(10));
      const other = await service.organisation();
      const both = [series.ready(org.id, batch(0, 1)), series.ready(other.id, batch(0, 1))];
      await eventually(() => expect(read).toHaveBeenCalledTimes(1));
      // Each look-up of the other one has been answered by now.
      await seriesOfBoth();
      expect(read).toHaveBeenCalledTimes(1);
      gate.resolve({ stored: 0, alive: 0 });
      expect((await Promise.all(both)).map(({ ready }) => ready.size)).toEqual([1, 1]);
      expect(read).toHaveBeenCalledTimes(2);
    });
    /** The connection answers in order. */
    const seriesOfBoth = () => client.query('select 1').then(() => turnIsOver());
  });
});
