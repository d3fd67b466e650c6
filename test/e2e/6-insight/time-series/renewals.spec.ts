import type { Logger } from 'pino';
import { LOGGER } from '../../../../src/1-platform/common/logger';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { renewSeries } from '../../../../src/6-insight/time-series/samples.queries';
import { SeriesDirectory } from '../../../../src/6-insight/time-series/series/series-directory';
import { MINUTE } from '../../../support/durations';
import { eventually } from '../../../support/eventually';
import { body1, HEADERS_1, type BuiltSeries } from '../../../support/remote-write';
import { Caller, Service, type Organisation } from '../../../support/service';

const HOSTS = ['a', 'b', 'c'];

describe('the time up to which a series may have samples', () => {
  let service: Service;
  let org: Organisation;
  let now: number;
  /** Series with samples since then have not ended. */
  let live: number;

  beforeAll(async () => {
    service = await Service.start();
    // The newest sample is of a minute ago: windows end now.
    now = service.clock.now().getTime() - 201 * MINUTE;
    live = now + 171 * MINUTE;
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const scrape = (at: number, hosts = HOSTS): BuiltSeries[] =>
    hosts.map((instance) => ({ labels: { __name__: 'node_load1', instance }, samples: [[at, at % 1_000_003]] }));
  const write = async (series: readonly BuiltSeries[], caller = org.controller) =>
    expect((await caller.send('post', '/v1/metrics/write', body1(...series), HEADERS_1)).status).toBe(204);
  /** Minutes after `now`, of each series. */
  const untils = async (): Promise<number[]> => {
    const { rows } = await service.db.query<{ until: Date }>(
      'select sampled_until as until from metric_series where org_id = $1 order by node_name',
      [org.id],
    );
    return rows.map(({ until }) => (until.getTime() - now) / MINUTE);
  };
  const shown = async () => {
    const { body } = await org.viewer.get('/v1/metrics/k8');
    return body.flatMap(({ details }: { details: { value: string }[] }) => details.map(({ value }) => Number(value)));
  };

  it('is later than its first samples by twenty to forty minutes, and differs between series', async () => {
    await write(scrape(now));
    const all = await untils();
    for (const until of all) expect(until).toBeGreaterThanOrEqual(20);
    for (const until of all) expect(until).toBeLessThanOrEqual(40);
    expect(new Set(all).size).toBe(HOSTS.length);
  });

  it('moves on before it is reached, and nobody waits for it', async () => {
    await write(scrape(live));
    const first = await untils();
    // Nothing changes while much is left.
    await write(scrape(live + MINUTE));
    const most = Math.max(...first);
    await write(scrape(now + (Math.min(...first) - 1) * MINUTE));
    await eventually(async () => {
      const later = await untils();
      const moved = later.filter((until, n) => until > (first[n] as number));
      expect(moved.length).toBeGreaterThan(0);
      for (const until of moved) expect(until).toBeGreaterThan(most - 20);
    });
  });

  it('is not renewed of a series that has ended: that one needs room', async () => {
    const renewedFrom = async (at: number) => {
      await write(scrape(at));
      const { rows } = await service.db.query<{ id: string }>('select id from metric_series where org_id = $1', [
        org.id,
      ]);
      const series = rows.map(({ id }) => ({ id: Number(id), until: now + 400 * MINUTE }));
      return (await renewSeries(service.app.get(StatementPool), org.id, series)).size;
    };
    expect(await renewedFrom(now)).toBe(0);
    expect(await renewedFrom(live)).toBe(HOSTS.length);
  });

  it('moves on at once for a sample that is later', async () => {
    for (const at of [0, 50, 200]) {
      await write(scrape(now + at * MINUTE));
      for (const until of await untils()) expect(until).toBeGreaterThanOrEqual(at);
    }
    const value = (now + 200 * MINUTE) % 1_000_003;
    expect(await shown()).toEqual(HOSTS.map(() => value));
  });

  it('stays where it is for late samples', async () => {
    await write(scrape(now + 100 * MINUTE));
    const before = await untils();
    await write(scrape(now));
    expect(await untils()).toEqual(before);
  });

  it('never moves back, whatever another replica knows', async () => {
    const other = await service.replica();
    const there = new Caller(other.url, org.controller.token);
    await write(scrape(live));
    const known = Math.min(...(await untils()));
    await write(scrape(live + 90 * MINUTE), there);
    const after = await untils();
    // This replica knows the time of the first samples only, which is renewed now.
    const statements = jest.spyOn(service.app.get(StatementPool), 'run');
    await write(scrape(now + (known - 1) * MINUTE));
    await eventually(() => {
      expect(statements.mock.calls.map(([{ name }]) => name)).toContain('metric-series-renew');
      return Promise.resolve();
    });
    await Promise.all(statements.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(await untils()).toEqual(after);
    statements.mockRestore();
  });

  it('is tried again if the database refused it, and a warning is logged', async () => {
    await write(scrape(live));
    const first = await untils();
    const at = now + (Math.min(...first) - 1) * MINUTE;
    const pool = service.app.get(StatementPool);
    const run = pool.run.bind(pool);
    const logged = jest.spyOn(service.app.get<Logger>(LOGGER), 'warn');
    const statements = jest
      .spyOn(pool, 'run')
      .mockImplementation((statement, values) =>
        statement.name === 'metric-series-renew' ? Promise.reject(new Error('refused')) : run(statement, values),
      );
    await write(scrape(at));
    await eventually(() => {
      expect(logged).toHaveBeenCalledWith(expect.anything(), 'series could not be renewed');
      return Promise.resolve();
    });
    statements.mockRestore();
    logged.mockRestore();
    expect(await untils()).toEqual(first);
    await eventually(async () => {
      await write(scrape(at));
      const later = await untils();
      expect(later.filter((until, n) => until > (first[n] as number)).length).toBeGreaterThan(0);
    });
  });

  it('is looked up once for series that pause and go on', async () => {
    // Another one before them goes on, and they come next.
    const all = ['first', ...HOSTS];
    for (const at of [0, 1, 2]) await write(scrape(now + at * MINUTE, all));
    for (const at of [20, 40, 60]) await write(scrape(now + at * MINUTE, ['first']));
    await write(scrape(now + 61 * MINUTE, all));
    const directory = jest.spyOn(service.app.get(SeriesDirectory), 'ready');
    for (const at of [62, 63]) await write(scrape(now + at * MINUTE, all));
    expect(directory).not.toHaveBeenCalled();
    directory.mockRestore();
  });

  it('is that of a new series if the old one was deleted meanwhile', async () => {
    await write(scrape(now, ['a']));
    await service.db.query('delete from metric_series where org_id = $1', [org.id]);
    await write(scrape(now + 50 * MINUTE, ['a']));
    expect(await untils()).toEqual([expect.any(Number)]);
    expect((await untils())[0]).toBeGreaterThanOrEqual(70);
  });
});
