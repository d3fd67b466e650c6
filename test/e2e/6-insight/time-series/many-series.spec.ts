import { setImmediate as turnIsOver } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { FewAtOnce } from '../../../../src/1-platform/common/work/few-at-once';
import type { Environment } from '../../../../src/1-platform/config/environment';
import { bind, type Statement, type Values } from '../../../../src/1-platform/database/transactions/statement';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import type { OrgScope } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import {
  SeriesDirectory,
  type ReadiedSeries,
  type ReportedSeries,
} from '../../../../src/6-insight/time-series/series/series-directory';
import type { SeriesCount } from '../../../../src/6-insight/time-series/samples.queries';
import { eventually } from '../../../support/eventually';
import { seriesOf } from '../../../support/metric-series';
import { body1, HEADERS_1 } from '../../../support/remote-write';
import { Service, type Caller, type Organisation } from '../../../support/service';

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

  const directory = (
    unitOfWork: Pick<UnitOfWork, 'read'> = service.app.get(UnitOfWork),
    settings: Partial<Environment> = {},
  ) => {
    const run = async (statement: Statement, values: Values) => (await client.query(bind(statement, values))).rows;
    return new SeriesDirectory(
      { run } as unknown as StatementPool,
      unitOfWork as UnitOfWork,
      { ...service.environment, ...settings },
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
    const counting = (answers: (() => Promise<SeriesCount>)[], settings: Partial<Environment> = {}) => {
      const read = jest.fn((_scope: OrgScope) => (answers.shift() ?? fails)());
      return { read, series: directory({ read } as unknown as Pick<UnitOfWork, 'read'>, settings) };
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
      const { read, series } = counting([room(10), () => gate.promise]);
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
      const { read, series } = counting([fails, room(10)]);
      for (let times = 0; times < 3; times++) expect(await of(series.ready(org.id, batch(0, 8)))).toEqual([5, false]);
      expect(read).toHaveBeenCalledTimes(1);
      passed = 61_000;
      expect(await of(series.ready(org.id, batch(0, 8)))).toEqual([8, true]);
    });

    it('is refused for good by no earlier count in the first minute of the next one', async () => {
      const gate = Promise.withResolvers<SeriesCount>();
      const { series } = counting([room(0), () => gate.promise], { databaseStatementTimeoutMs: 100 });
      expect(await of(series.ready(org.id, batch(0, 1)))).toEqual([0, true]);
      passed = 61_000;
      expect(await of(series.ready(org.id, batch(0, 1)))).toEqual([0, false]);
      // Its sender must not wait for ever, such as for the counts of others.
      passed = 122_000;
      expect(await of(series.ready(org.id, batch(0, 1)))).toEqual([0, true]);
      gate.resolve({ stored: 0, alive: 0 });
      await turnIsOver();
      expect(await of(series.ready(org.id, batch(0, 1)))).toEqual([1, true]);
    });

    it('waits for its first count no longer than a statement may take, and the next one not at all', async () => {
      const gate = Promise.withResolvers<SeriesCount>();
      const { read, series } = counting([() => gate.promise], { databaseStatementTimeoutMs: 100 });
      expect(await of(series.ready(org.id, batch(0, 1)))).toEqual([0, false]);
      passed = 100;
      expect(await of(series.ready(org.id, batch(1, 1)))).toEqual([0, false]);
      gate.resolve({ stored: 0, alive: 0 });
      await turnIsOver();
      expect(await of(series.ready(org.id, batch(0, 2)))).toEqual([2, true]);
      expect(read).toHaveBeenCalledTimes(1);
    });

    // One at a time, an organisation with millions of them kept the new series of all others waiting.
    it('is counted beside those of another organisation', async () => {
      const gate = Promise.withResolvers<SeriesCount>();
      const { series } = counting([() => gate.promise, room(10)]);
      const other = await service.organisation();
      const waiting = series.ready(org.id, batch(0, 1));
      expect(await of(series.ready(other.id, batch(0, 1)))).toEqual([1, true]);
      gate.resolve({ stored: 0, alive: 0 });
      expect(await of(waiting)).toEqual([1, true]);
    });

    it('is counted as one of three organisations, for the first time before others again', async () => {
      const others = await Promise.all([1, 2, 3, 4].map(() => service.organisation()));
      const [again, first] = [others[3]!.id, org.id];
      const gates = [1, 2, 3].map(() => Promise.withResolvers<SeriesCount>());
      const { read, series } = counting([
        room(10),
        ...gates.map(
          ({ promise }) =>
            () =>
              promise,
        ),
        room(1),
        room(1),
      ]);
      await series.ready(again, batch(0, 1));
      const run = jest.spyOn(FewAtOnce.prototype, 'run');
      const waiting = others.slice(0, 3).map(({ id }) => series.ready(id, batch(0, 1)));
      await eventually(() => expect(read).toHaveBeenCalledTimes(4));
      passed = 61_000;
      for (const id of [again, first]) waiting.push(series.ready(id, batch(0, 20)));
      await eventually(() => expect(run).toHaveBeenCalledTimes(5));
      expect(read).toHaveBeenCalledTimes(4);
      gates[0]!.resolve({ stored: 0, alive: 0 });
      await Promise.all(waiting.slice(3));
      expect(read.mock.calls.slice(4).map(([{ orgId }]) => orgId)).toEqual([first, again]);
      for (const { resolve } of gates) resolve({ stored: 0, alive: 0 });
      await Promise.all(waiting);
    });
  });

  describe('of a replica whose database counts slowly', () => {
    const TIMEOUT_MS = 1_500;
    const write = (caller: Caller, ...hosts: string[]) => {
      const now = service.clock.now().getTime();
      const series = hosts.map((instance) => ({
        labels: { __name__: 'node_load1', instance },
        samples: [[now, 1]] as [number, number][],
      }));
      return caller.send('post', '/v1/metrics/write', body1(...series), HEADERS_1);
    };
    /** Each counted row takes so long. */
    const slowly = (seconds: number) =>
      service.db.query(`
        create or replace function slowly() returns boolean language plpgsql as
          $$ begin perform pg_sleep(${seconds}); return true; end $$`);

    beforeAll(async () => {
      await slowly(0);
      // Single statements read all rows, at full speed.
      await service.db.query(`
        create policy slow on metric_series as restrictive for select
          using ((select current_setting('app.system', true) = 'on') or slowly())`);
    });
    beforeEach(async () => {
      org = await service.organisation();
      await slowly(0);
      expect((await write(org.controller, 'known')).status).toBe(204);
    });
    afterAll(() => service.db.query('drop policy slow on metric_series'));

    it('is stored though the count takes longer than a statement may, and its samples count once', async () => {
      await slowly(3);
      const replica = await service.replica({ databaseStatementTimeoutMs: TIMEOUT_MS });
      const caller = replica.as(org.controller.token);
      const stored = async () =>
        Number(
          /^ingested_samples_total\{protocol="remote_write_1",outcome="stored",reason=""\} (\d+)$/m.exec(
            (await replica.as(undefined).get('/metrics')).text,
          )?.[1],
        );
      const before = await stored();
      const { status, body } = await write(caller, 'known', 'new');
      expect([status, body.code, await stored()]).toEqual([503, 'database_busy', before]);
      await eventually(async () => expect((await write(caller, 'known', 'new')).status).toBe(204));
      expect(await stored()).toBe(before + 2);
    });

    it('does not keep a replica from ending', async () => {
      await slowly(600);
      const replica = await service.replica({ databaseStatementTimeoutMs: TIMEOUT_MS });
      expect((await write(replica.as(org.controller.token), 'known', 'new')).status).toBe(503);
      const counting = async () => {
        const { rowCount } = await service.db.query(`
          select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
            and state = 'active' and query like '%from metric_series%'`);
        return rowCount;
      };
      await eventually(async () => expect(await counting()).toBe(1));
      await replica.app.close();
      await eventually(async () => expect(await counting()).toBe(0));
    });
  });
});
