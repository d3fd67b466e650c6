import { topPods } from '../../../../src/6-insight/metrics/pods/pod-metrics.queries';
import { plansOf } from '../../../support/plans';
import { body1, HEADERS_1, type BuiltSeries } from '../../../support/remote-write';
import { DAY, MINUTE } from '../../../support/durations';
import { Service, type Organisation } from '../../../support/service';

const LABELS = { UUID: 'GPU-1', gpu: '0', modelName: 'L4', Hostname: 'node-1' };

describe('samples of the release before, one in a row,', () => {
  let service: Service;
  let org: Organisation;
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
    now = service.clock.now().getTime();
    await service.db.query(
      "select partition_made('metric_samples', 'day', to_timestamp($1) - make_interval(days => ago)) from generate_series(0, 1) ago",
      [now / 1_000],
    );
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const write = async (...samples: [number, number][]) => {
    const series: BuiltSeries = { labels: { __name__: 'DCGM_FI_DEV_GPU_UTIL', ...LABELS }, samples };
    expect((await org.controller.send('post', '/v1/metrics/write', body1(series), HEADERS_1)).status).toBe(204);
  };
  /** As a replica of that release does. */
  const writeSingly = (...samples: [number, number | null][]) =>
    service.db.query(
      `insert into metric_samples (org_id, series_id, sampled_at, value)
       select $1, id, to_timestamp(at / 1000), value from metric_series, unnest($2::float8[], $3::float8[]) t(at, value)
       where org_id = $1`,
      [org.id, samples.map(([at]) => at), samples.map(([, value]) => value)],
    );
  const points = async () => {
    const { body } = await org.viewer.get('/v1/metrics/gpu/timeseries?gpu_uuid=GPU-1&hours=1');
    return body.data.map(({ timestamp, gpu_utilization: value }: { timestamp: string; gpu_utilization: number }) => [
      Date.parse(timestamp) - now,
      value,
    ]);
  };
  const newest = async () => {
    const [node] = (await org.viewer.get('/v1/metrics/gpu')).body;
    return node.gpus[0].gpu_utilization;
  };

  it('are read with those in groups', async () => {
    await write([now - 5 * MINUTE, 5], [now - MINUTE, 1]);
    await writeSingly([now - 30 * MINUTE, 30], [now - 3 * MINUTE, 3]);
    expect(await points()).toEqual([
      [-30 * MINUTE, 30],
      [-5 * MINUTE, 5],
      [-3 * MINUTE, 3],
      [-MINUTE, 1],
    ]);
  });

  it('are read though the series has no later ones in groups', async () => {
    await write([now - 90 * MINUTE, 90]);
    await service.db.query('update metric_series set sampled_until = $2 where org_id = $1', [
      org.id,
      new Date(now - 90 * MINUTE),
    ]);
    await writeSingly([now - 3 * MINUTE, 3]);
    expect(await points()).toEqual([[-3 * MINUTE, 3]]);
    expect(await newest()).toBe(3);
  });

  it('are looked up by the key of each series that has ended, however many there are of others', async () => {
    const noon = new Date(Math.floor(now / DAY) * DAY + DAY / 2);
    await service.db.query(
      `insert into metric_series (org_id, digest, family, metric, kind, labels, last_sampled_on, sampled_until)
       select $1, gen_random_uuid(), 'pod', 'container_memory_working_set_bytes', 'gauge', '{}',
         ($2::timestamptz at time zone 'UTC')::date, $2::timestamptz - interval '1 hour'
       from generate_series(1, 3)`,
      [org.id, noon],
    );
    /** Pages that the largest pods take. */
    const pages = async (): Promise<number> => {
      const explain = 'explain (analyze, buffers, timing off)';
      const plans = await plansOf(service, org, (tx) => topPods(tx, 'memory', noon, 5), [], explain);
      return Math.max(...plans.map((plan) => Number(/shared hit=(\d+)/.exec(plan)?.[1])));
    };
    const before = await pages();
    await service.db.query(
      `insert into metric_samples (org_id, series_id, sampled_at, value)
       select $1, 1000000 + series, $2::timestamptz - interval '20 minutes' - n * interval '1 second', 1
       from generate_series(1, 400) series, generate_series(1, 100) n`,
      [org.id, noon],
    );
    await service.db.query('analyze metric_samples');
    expect(await pages()).toBeLessThan(before + 50);
  });

  it('are the newest of a series if they are later', async () => {
    await write([now - 3 * MINUTE, 3]);
    await writeSingly([now - MINUTE, 1], [now - 2 * MINUTE, 2]);
    expect(await newest()).toBe(1);
    await write([now - 30_000, 0.5]);
    expect(await newest()).toBe(0.5);
  });

  it('count once if their request is repeated', async () => {
    const slurm = (samples: [number, number][]): BuiltSeries => ({ labels: { __name__: 'slurm_cpu_load' }, samples });
    const send = () => org.controller.send('post', '/v1/metrics/write', body1(slurm([[now - MINUTE, 7]])), HEADERS_1);
    expect((await send()).status).toBe(204);
    // The later value counts, if another one was sent since.
    await writeSingly([now - MINUTE, 9], [now - 2 * MINUTE, 8]);
    expect((await send()).status).toBe(204);
    const { body } = await org.viewer.get('/v1/metrics/slurm/timeseries/cpu-load');
    expect(body.map(({ value }: { value: number }) => value)).toEqual([8, 7]);
  });

  it('end a series like others if they have no value', async () => {
    await write([now - 3 * MINUTE, 3]);
    await writeSingly([now - 2 * MINUTE, null]);
    expect(await points()).toEqual([[-3 * MINUTE, 3]]);
  });
});
