import { fieldsOf } from '../../../support/artifacts';
import {
  insertionOf,
  seriesOfPage,
  writeSeries,
  type ReportedSample,
  type ReportedSeries,
} from '../../../support/metric-series';
import { databaseNow } from '../../../support/reports';
import { describeWithSamples, sampleText } from '../../../support/samples';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';
import { MINUTE } from '../../../support/durations';

interface Detail {
  metric_name: string;
  value: string;
}

interface Node {
  name: string;
  details: Detail[];
}

describe('GET /v1/metrics/k8', () => {
  let service: Service;
  let org: Organisation;
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    now = await databaseNow(service);
  });
  afterAll(() => service.close());

  const iso = (at: number) => new Date(at).toISOString();
  const series = (
    metric: string,
    samples: readonly ReportedSample[],
    more: Partial<ReportedSeries> = {},
  ): ReportedSeries => ({
    family: 'host',
    metric,
    node_name: 'node-1',
    samples,
    ...more,
  });
  const report = (...all: ReportedSeries[]) => writeSeries(service.db, org, ...all);
  const nodes = async (query = '', of = org): Promise<Node[]> => ok(await of.viewer.get(`/v1/metrics/k8${query}`)).body;

  it('needs a token, and is separate per organisation', async () => {
    await report(series('node_load1', [[now - MINUTE, 1]]));
    expect(await nodes()).toHaveLength(1);
    expect(await nodes('', await service.organisation())).toEqual([]);
    expect((await service.as(undefined).get('/v1/metrics/k8')).status).toBe(401);
    const refused = await org.viewer.get('/v1/metrics/k8?limit=0');
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['limit']]);
  });

  it('shows the newest value of each series of a node, by metric, as text, with its labels', async () => {
    await report(
      series(
        'node_filesystem_avail_bytes',
        [
          [now - 2 * MINUTE, 5],
          [now - MINUTE, 1.5e22],
        ],
        {
          collector: 'filesystem',
          filesystem: '/dev/nvme0n1p1',
          mountpoint: '/',
          labels: { fstype: 'ext4', job: 'x' },
        },
      ),
      series('node_cpu_seconds_total', [[now - MINUTE, 62.25]], {
        collector: 'cpu',
        cpu_core: '0',
        cpu_mode: 'idle',
        labels: { instance: '10.0.0.1:9100' },
      }),
    );
    const at = { timestamp: iso(now - MINUTE) };
    expect(await nodes()).toEqual([
      {
        name: 'node-1',
        details: [
          {
            collector: 'cpu',
            cpu_core: '0',
            cpu_mode: 'idle',
            filesystem: '',
            metric_name: 'node_cpu_seconds_total',
            mountpoint: '',
            resource: '',
            value: '62.25',
            ...at,
          },
          {
            collector: 'filesystem',
            cpu_core: '',
            cpu_mode: '',
            filesystem: '/dev/nvme0n1p1',
            metric_name: 'node_filesystem_avail_bytes',
            mountpoint: '/',
            resource: 'fstype=ext4',
            value: '1.5e+22',
            ...at,
          },
        ],
      },
    ]);
  });

  it('shows the asked metrics of each node that has any of them, page by page, by a part of the name', async () => {
    await report(
      series('node_load1', [[now - MINUTE, 1]]),
      series('node_load15', [[now - MINUTE, 9]]),
      series('node_memory_MemTotal_bytes', [[now - MINUTE, 2]], { node_name: 'node-2' }),
      series('node_boot_time_seconds', [[now - MINUTE, 3]], { node_name: 'node-3' }),
      series('node_load1', [[now - MINUTE, 4]], { node_name: 'Rack-4' }),
    );
    const values = async (query: string) =>
      (await nodes(query)).map(({ name, details }) => [name, ...details.map(({ value }) => value)]);
    const asked = 'metric_names=node_load1,node_memory_MemTotal_bytes';
    const all = await values(`?${asked}`);
    expect(all).toHaveLength(3);
    expect(all).toEqual(expect.arrayContaining([['node-1', '1'], ['node-2', '2'], ['Rack-4', '4']])); // prettier-ignore
    expect(await values(`?${asked}&limit=2`)).toEqual(all.slice(0, 2));
    expect(await values(`?${asked}&limit=2&offset=2`)).toEqual(all.slice(2));
    expect(await values(`?${asked}&name_part=rack`)).toEqual([['Rack-4', '4']]);
    expect(await values('?name_part=%25')).toEqual([]);
    const next = await org.viewer.get(`/v1/metrics/k8?${asked}&name_part=node&limit=1`);
    expect(next.headers.link).toContain('offset=1');
    for (const names of ['node_load1,,', Array.from({ length: 51 }, (_, nth) => `m${nth}`).join(',')]) {
      const refused = await org.viewer.get(`/v1/metrics/k8?metric_names=${names}`);
      expect([refused.status, fieldsOf(refused)]).toEqual([400, ['metric_names']]);
    }
  });

  it('shows one node, or one collector, by their names', async () => {
    const load = { collector: 'loadavg' };
    const memory = { collector: 'meminfo' };
    await report(
      series('node_load1', [[now - MINUTE, 1]], load),
      series('node_memory_MemFree_bytes', [[now - MINUTE, 2]], memory),
      series('node_load1', [[now - MINUTE, 3]], { ...load, node_name: 'node-2' }),
    );
    const values = async (query: string) =>
      (await nodes(query)).map(({ name, details }) => [name, ...details.map(({ value }) => value)]);
    expect(await values('')).toEqual([
      ['node-1', '1', '2'],
      ['node-2', '3'],
    ]);
    expect(await values('?name=node-1')).toEqual([['node-1', '1', '2']]);
    expect(await values('?collector_type=loadavg')).toEqual([
      ['node-1', '1'],
      ['node-2', '3'],
    ]);
    expect(await values('?name=node-2&collector_type=meminfo')).toEqual([]);
    expect(await values('?name=nobody')).toEqual([]);
    const page = await org.viewer.get('/v1/metrics/k8?limit=1');
    expect([page.body[0].name, page.body.length, page.headers.link]).toEqual([
      'node-1',
      1,
      expect.stringContaining('offset=1'),
    ]);
    expect((await org.viewer.get('/v1/metrics/k8?limit=1&offset=1')).headers.link).toBeUndefined();
  });

  it('ignores values that are older than 5 minutes, have ended, or lie in the future', async () => {
    await report(
      series('node_load1', [[now - 4 * MINUTE, 1]]),
      series('node_load5', [[now - 6 * MINUTE, 1]]),
      series('node_load15', [
        [now - 2 * MINUTE, 1],
        [now - MINUTE, null],
      ]),
      series('node_procs_running', [[now + MINUTE * 2, 1]]),
    );
    expect((await nodes()).flatMap(({ details }) => details.map(({ metric_name: name }) => name))).toEqual([
      'node_load1',
    ]);
  });

  it('holds 20,000 values: further nodes are on the next page', async () => {
    await report(
      series('node_load1', [[now - MINUTE, 1]]),
      series('node_load1', [[now - MINUTE, 2]], { node_name: 'node-2' }),
    );
    const { rows } = await service.db.query<{ id: string }>(
      `insert into metric_series (org_id, digest, family, metric, kind, node_name, labels, last_sampled_on, sampled_until)
       select $1, gen_random_uuid(), 'host', 'node_arp_entries', 'gauge', 'node-1', '{}', current_date, now() + interval '1 day' from generate_series(1, 20000) returning id`,
      [org.id],
    );
    await service.db.query(
      insertionOf(
        'select $1::uuid as org_id, unnest($2::bigint[]) as id, to_timestamp($3::float8 / 1000) as sampled_at, 7 as value',
      ),
      [org.id, rows.map(({ id }) => id), now - MINUTE + 1],
    );
    const first = await org.viewer.get('/v1/metrics/k8');
    expect(first.body.map(({ name, details }: Node) => [name, details.length])).toEqual([['node-1', 20_000]]);
    expect(first.headers.link).toContain('offset=1');
    expect(await nodes('?offset=1')).toMatchObject([{ name: 'node-2', details: [{ value: '2' }] }]);
  });

  describeWithSamples('of a real node exporter', () => {
    it('shows every series of a scrape', async () => {
      const page = seriesOfPage(sampleText('metrics/node-exporter-1.5.0.prom'), now - MINUTE);
      const series = page.filter(({ family, samples }) => family === 'host' && samples[0]?.[1] !== null);
      expect(series.length).toBeGreaterThan(300);
      await report(...page);
      const [node] = await nodes();
      expect(node?.details).toHaveLength(series.length);
      const boot = (await nodes('?collector_type=stat')).flatMap(({ details }) => details);
      expect(boot.map(({ metric_name: name }) => name)).toContain('node_boot_time_seconds');
    });
  });
});
