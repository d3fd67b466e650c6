import { fieldsOf } from '../../../support/artifacts';
import { writeSeries, type ReportedSample, type ReportedSeries } from '../../../support/metric-series';
import { databaseNow } from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';
import { HOUR, MINUTE } from '../../../support/durations';

const METRICS = { util: 'DCGM_FI_DEV_GPU_UTIL', used: 'DCGM_FI_DEV_FB_USED', free: 'DCGM_FI_DEV_FB_FREE' };

/** Four bins of a quarter of an hour, three hours ago. */
const BINS = 4;
const BIN = 15 * MINUTE;

describe('the heat map of GPUs', () => {
  let service: Service;
  let org: Organisation;
  let begin: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    begin = Math.floor((await databaseNow(service)) / BIN) * BIN - 3 * HOUR;
  });
  afterAll(() => service.close());

  /** Times are minutes after the beginning. */
  const series = (
    metric: keyof typeof METRICS,
    samples: readonly ReportedSample[],
    more: Partial<ReportedSeries> = {},
  ): ReportedSeries => ({
    family: 'gpu',
    metric: METRICS[metric],
    gpu_uuid: 'GPU-a',
    gpu_index: '0',
    node_name: 'node-1',
    model_name: 'H100',
    samples: samples.map(([minutes, value]) => [begin + minutes * MINUTE, value]),
    ...more,
  });
  const gpu = (node: string, index: number): Partial<ReportedSeries> => ({
    node_name: node,
    gpu_index: String(index),
    gpu_uuid: `GPU-${node}-${index}`,
  });
  const report = (...all: ReportedSeries[]) => writeSeries(service.db, org, ...all);
  const iso = (at: number) => new Date(at).toISOString();
  const PATH = '/v1/metrics/gpu/heatmap';
  const ask = (query = '', of = org) => of.viewer.get(`${PATH}?${query}`);
  /** The window of the test. */
  const read = async (query = '', of = org) =>
    ok(await ask(`from=${iso(begin)}&until=${iso(begin + BINS * BIN)}&bins=${BINS}&${query}`, of)).body;

  it('needs a token, and is separate per organisation', async () => {
    await report(series('util', [[1, 5]]));
    const other = await service.organisation();
    expect(await read('', other)).toMatchObject({ rows: [], holders: [], total_rows: 0 });
    expect((await service.as(undefined).get(PATH)).status).toBe(401);
    for (const role of [org.viewer, org.operator]) expect((await role.get(PATH)).status).toBe(200);
  });

  it('has the mean over the samples of a bin and the GPUs of a node, and null where nothing was reported', async () => {
    await report(
      series('util', [
        [0, 10],
        [14.9, 30],
        [15, 100],
      ]),
      series('used', [[1, 20_000]]),
      series('free', [[1, 60_000]]),
      series(
        'util',
        [
          [5, 60],
          [50, 0],
        ],
        gpu('node-1', 1),
      ),
      series('used', [[1, 40_000]], gpu('node-1', 1)),
      series('free', [[1, 40_000]], gpu('node-1', 1)),
      // Free memory alone says nothing about its use.
      series('free', [[16, 40_000]], gpu('node-1', 1)),
    );
    expect(await read()).toEqual({
      from: iso(begin),
      until: iso(begin + HOUR),
      bins: 4,
      bin_seconds: 900,
      measure: 'mean',
      samples_per_bin: null,
      total_rows: 1,
      rows: [
        {
          node_name: 'node-1',
          gpu_uuid: null,
          gpu_index: null,
          model_name: 'H100',
          gpus: 2,
          reported: [2, 2, 0, 1],
          utilization: [40, 100, null, 0],
          memory_used: [37.5, null, null, null],
          pods: [0, 0, 0, 0],
          holder: [null, null, null, null],
        },
      ],
      holders: [],
    });
  });

  it('has the largest sample of any GPU on request, and the largest share of memory', async () => {
    await report(
      series('util', [
        [0, 10],
        [3, 90],
      ]),
      series('util', [[1, 50]], gpu('node-1', 1)),
      series('used', [
        [0, 10_000],
        [3, 70_000],
      ]),
      series('free', [
        [0, 70_000],
        [3, 10_000],
      ]),
    );
    const { measure, rows } = await read('measure=max');
    expect([measure, rows[0].utilization[0], rows[0].memory_used[0]]).toEqual(['max', 90, 87.5]);
  });

  it('has the GPUs of one node by index, with the pod of each bin', async () => {
    const held = (pod_name: string, more: Partial<ReportedSeries> = {}) => ({ namespace: 'ml', pod_name, ...more });
    await report(
      series(
        'util',
        [
          [0, 80],
          [16, 70],
        ],
        held('train-0', { pod_uid: '00000000-0000-4000-8000-000000000001' }),
      ),
      // The GPU changes hands in the second bin: most of its samples are of the first pod.
      series(
        'util',
        [[17, 60]],
        held('train-0', { pod_uid: '00000000-0000-4000-8000-000000000001', labels: { a: '1' } }),
      ),
      series('util', [[28, 20]], held('eval-0')),
      series('util', [[31, 10]], held('eval-0')),
      series('util', [[46, 5]]),
      series('util', [[1, 50]], { ...gpu('node-1', 10) }),
      series('util', [[1, 50]], { ...gpu('node-1', 9) }),
      series('util', [[1, 50]], { ...gpu('node-2', 0) }),
    );
    const { rows, holders, total_rows: total } = await read('node_name=node-1');
    expect([total, rows.map((row: { gpu_index: string }) => row.gpu_index)]).toEqual([3, ['0', '9', '10']]);
    expect(rows[0]).toEqual({
      node_name: 'node-1',
      gpu_uuid: 'GPU-a',
      gpu_index: '0',
      model_name: 'H100',
      gpus: 1,
      reported: [1, 1, 1, 1],
      utilization: [80, 50, 10, 5],
      memory_used: [null, null, null, null],
      pods: [1, 2, 1, 0],
      holder: [0, 0, 1, null],
    });
    expect(holders).toEqual([
      { namespace: 'ml', pod_name: 'train-0', pod_uid: '00000000-0000-4000-8000-000000000001' },
      { namespace: 'ml', pod_name: 'eval-0', pod_uid: null },
    ]);
    expect(await read('node_name=nobody')).toMatchObject({ rows: [], total_rows: 0 });
  });

  it('has the GPUs that were reported without a node', async () => {
    await report(series('util', [[1, 5]], { ...gpu('x', 3), node_name: undefined }), series('util', [[1, 7]]));
    expect((await read()).rows).toMatchObject([{ node_name: '' }, { node_name: 'node-1' }]);
    expect((await read('without_node=true')).rows).toMatchObject([
      { node_name: '', gpu_index: '3', gpu_uuid: 'GPU-x-3', utilization: [5, null, null, null] },
    ]);
    const refused = await ask('without_node=true&node_name=node-1');
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['without_node']]);
  });

  it('adds up the memory of the instances of a shared GPU, each once, or takes that of the whole', async () => {
    const of = (metric: 'used' | 'free', value: number, instance: string, pod_name: string) =>
      series(metric, [[1, value]], { labels: { GPU_I_ID: instance }, namespace: 'ml', pod_name });
    await report(
      of('used', 10, '1', 'a'),
      of('free', 30, '1', 'a'),
      // Two pods that share an instance report the same figures.
      of('used', 20, '2', 'b'),
      of('used', 20, '2', 'c'),
      of('free', 20, '2', 'b'),
      of('free', 20, '2', 'c'),
      ...(['used', 'free'] as const).flatMap((metric) => [
        series(metric, [[1, 50]], gpu('node-1', 1)),
        series(metric, [[1, 7]], { ...gpu('node-1', 1), labels: { GPU_I_ID: '1' } }),
      ]),
    );
    const { rows } = await read('node_name=node-1');
    expect(rows.map((row: { memory_used: number[] }) => row.memory_used[0])).toEqual([37.5, 50]);
  });

  it('leaves out what has no value, and what its series reports before or after the window', async () => {
    await report(
      series('util', [
        [-1, 90],
        [1, null],
        [60, 90],
      ]),
      series(
        'util',
        [
          [1, null],
          [2, 1e200],
          [20, 3],
        ],
        gpu('node-2', 0),
      ),
    );
    const { rows } = await read();
    expect(rows).toMatchObject([{ node_name: 'node-2', utilization: [null, 3, null, null], reported: [0, 1, 0, 0] }]);
  });

  it('is read in pages of rows, which all say how many there are', async () => {
    await report(...['node-2', 'node-3', 'node-1'].map((node) => series('util', [[1, 5]], gpu(node, 0))));
    const page = async (query: string) => {
      const { rows, total_rows: total } = await read(query);
      return [rows.map((row: { node_name: string }) => row.node_name), total];
    };
    expect(await page('limit=2')).toEqual([['node-1', 'node-2'], 3]);
    expect(await page('limit=2&offset=2')).toEqual([['node-3'], 3]);
    expect((await read('limit=1000')).rows).toHaveLength(3);
  });

  it('reads some samples of each bin of a long window, and says how many', async () => {
    // A day, in 48 bins of half an hour: four samples of each bin, one of each 7.5 minutes.
    const from = begin - 20 * HOUR;
    const times = Array.from({ length: 24 * 60 }, (_, minute) => (from - begin) / MINUTE + minute);
    await report(
      series(
        'util',
        times.map((minute, place): ReportedSample => [minute, place % 30]),
      ),
    );
    const { samples_per_bin: each, rows } = ok(
      await ask(`from=${iso(from)}&until=${iso(from + 24 * HOUR)}&bins=48&measure=mean`),
    ).body;
    expect(each).toBe(4);
    // The newest of each step: minutes 7, 14, 22 and 29 of each half hour.
    const mean = (7 + 14 + 22 + 29) / 4;
    const known = rows[0].utilization.filter((value: number | null) => value !== null);
    expect(new Set(known.slice(0, 40))).toEqual(new Set([mean]));
    expect(known.length).toBeGreaterThan(40);
  });

  it('shows the hours up to now, without samples of clocks that are ahead', async () => {
    const now = (await databaseNow(service)) - begin;
    await report(
      series('util', [
        [now / MINUTE - 30, 10],
        [now / MINUTE + 5, 90],
      ]),
    );
    const { rows, until, bin_seconds: seconds, bins } = ok(await ask('hours=1&measure=max')).body;
    expect([bins, seconds]).toEqual([96, 37.5]);
    expect(Date.parse(until) % 37_500).toBe(0);
    expect(rows[0].utilization.filter((value: number | null) => value !== null)).toEqual([10]);
  });

  it.each([
    ['hours=0', 'hours'],
    ['hours=2&from=2026-01-01T00:00:00Z', 'hours'],
    ['bins=0', 'bins'],
    ['measure=sum', 'measure'],
    ['limit=0', 'limit'],
    ['offset=-1', 'offset'],
    ['from=yesterday', 'from'],
    ['until=now', 'until'],
    ['from=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'from'],
    ['from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z', 'from'],
    ['from=2026-01-01T00:00:00Z&until=2026-01-01T00:00:30Z', 'bins'],
  ])('refuses %s', async (query, field) => {
    const answer = await ask(query);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });
});
