import { fieldsOf } from '../../../support/artifacts';
import { seriesOfPage, writeSeries, type ReportedSample, type ReportedSeries } from '../../../support/metric-series';
import { databaseNow } from '../../../support/reports';
import { describeWithSamples, sampleText } from '../../../support/samples';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';
import { HOUR, MINUTE } from '../../../support/durations';

const METRICS = {
  util: 'DCGM_FI_DEV_GPU_UTIL',
  copy: 'DCGM_FI_DEV_MEM_COPY_UTIL',
  used: 'DCGM_FI_DEV_FB_USED',
  free: 'DCGM_FI_DEV_FB_FREE',
  temp: 'DCGM_FI_DEV_GPU_TEMP',
  power: 'DCGM_FI_DEV_POWER_USAGE',
};

describe('GPU metrics', () => {
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
    metric: keyof typeof METRICS,
    samples: readonly ReportedSample[],
    more: Partial<ReportedSeries> = {},
  ) => ({
    family: 'gpu' as const,
    metric: METRICS[metric],
    gpu_uuid: 'GPU-a',
    gpu_index: '0',
    node_name: 'node-1',
    model_name: 'NVIDIA H100 80GB HBM3',
    samples,
    ...more,
  });
  const report = (...all: ReportedSeries[]) => writeSeries(service.db, org, ...all);
  const nodes = async (query = '', of = org) => ok(await of.viewer.get(`/v1/metrics/gpu${query}`)).body;
  const history = async (query: string, of = org) =>
    ok(await of.viewer.get(`/v1/metrics/gpu/timeseries?${query}`)).body;

  it('need a token, and are separate per organisation', async () => {
    await report(series('util', [[now - MINUTE, 5]]));
    const other = await service.organisation();
    expect(await nodes('', other)).toEqual([]);
    expect(await history('gpu_uuid=GPU-a', other)).toEqual({
      gpu_index: '',
      gpu_uuid: 'GPU-a',
      node_name: '',
      model_name: null,
      data: [],
    });
    for (const path of ['/v1/metrics/gpu', '/v1/metrics/gpu/timeseries?gpu_uuid=GPU-a'])
      expect((await service.as(undefined).get(path)).status).toBe(401);
  });

  it('have one row per GPU: the values of its newest scrape, and null for missing values', async () => {
    await report(
      series('util', [
        [now - 2 * MINUTE, 90],
        [now - MINUTE, 40],
      ]),
      series('copy', [[now - MINUTE, 12.5]]),
      series('used', [
        [now - 2 * MINUTE, 1_000],
        [now - MINUTE, 2_000],
      ]),
      series('free', [[now - MINUTE, 79_000]]),
      // Measured a minute ago, not now: DCGM had no value any more.
      series('temp', [
        [now - 2 * MINUTE, 61],
        [now - MINUTE, null],
      ]),
      series('power', [[now - MINUTE, 113.611]]),
    );
    expect(await nodes()).toEqual([
      {
        node_name: 'node-1',
        gpus: [
          {
            gpu_index: '0',
            gpu_uuid: 'GPU-a',
            node_name: 'node-1',
            timestamp: iso(now - MINUTE),
            gpu_utilization: 40,
            memory_utilization: 12.5,
            memory_used_mib: 2_000,
            memory_free_mib: 79_000,
            temperature_celsius: null,
            power_watts: 113.611,
            model_name: 'NVIDIA H100 80GB HBM3',
            namespace: null,
            pod_name: null,
          },
        ],
      },
    ]);
  });

  it('belong to one scrape, whose samples may arrive one by one', async () => {
    const at = now - MINUTE;
    await report(
      series(
        'util',
        [
          [at - 900, 90],
          [at - 300, 40],
        ],
        { pod_name: 'a', namespace: 'ml' },
      ),
      series('used', [[at, 2_000]], { pod_name: 'b', namespace: 'ml' }),
      series('temp', [[at - 1_000, 61]]),
    );
    expect((await nodes())[0].gpus).toMatchObject([
      { timestamp: iso(at), gpu_utilization: 40, memory_used_mib: 2_000, temperature_celsius: null, pod_name: 'b' },
    ]);
  });

  describe('of a scrape that may have arrived in part', () => {
    const holder = { pod_name: 'train-0', namespace: 'ml' };
    /** Of the scrapes this many seconds ago. */
    const seconds = (values: Readonly<Record<number, number | null>>) =>
      Object.entries(values)
        .map(([ago, value]): ReportedSample => [now - Number(ago) * 1_000, value])
        .toSorted(([one], [other]) => one - other);
    const row = async (...all: ReportedSeries[]) => {
      await report(series('util', seconds({ 15: 90, 1: 40 })), ...all);
      return (await nodes())[0].gpus[0];
    };

    it.each([
      ['what it still lacks as in the scrape before', { 15: 2_000 }, 2_000],
      ['null for what has ended in it', { 15: 2_000, 1: null }, null],
      ['null for what the scrape before lacks too', { 30: 2_000 }, null],
      ['its own value where it has one', { 15: 2_000, 1: 3_000 }, 3_000],
    ])('show %s', async (_what, values, used) => {
      expect(await row(series('used', seconds(values)))).toMatchObject({
        timestamp: iso(now - 1_000),
        gpu_utilization: 40,
        memory_used_mib: used,
      });
    });

    it('add up all instances', async () => {
      const instance = (id: string) => ({ labels: { GPU_I_ID: id } });
      const seen = await row(
        series('used', seconds({ 15: 100, 1: 150 }), instance('1')),
        series('used', seconds({ 15: 70 }), instance('2')),
      );
      expect(seen).toMatchObject({ memory_used_mib: 150 + 70 });
    });

    it('show no pod of which the newest scrape has the figure without it', async () => {
      expect(await row(series('util', seconds({ 15: 90 }), holder))).toMatchObject({ pod_name: null });
      expect(await row(series('temp', seconds({ 15: 60 }), holder))).toMatchObject(holder);
    });

    it('show null for what it lacks after 10 seconds', async () => {
      await report(series('util', seconds({ 20: 90, 11: 40 })), series('used', seconds({ 20: 2_000 })));
      expect((await nodes())[0].gpus).toMatchObject([{ gpu_utilization: 40, memory_used_mib: null }]);
    });
  });

  it('are sorted by node and numerically by index, of one node on request, page by page', async () => {
    const gpu = (uuid: string, index: string, node: string) =>
      series('util', [[now - MINUTE, 1]], { gpu_uuid: uuid, gpu_index: index, node_name: node });
    await report(gpu('GPU-c', '10', 'node-2'), gpu('GPU-b', '9', 'node-2'), gpu('GPU-a', '0', 'node-1'));
    const seen = (body: { node_name: string; gpus: { gpu_uuid: string }[] }[]) =>
      body.map((node) => [node.node_name, ...node.gpus.map(({ gpu_uuid: uuid }) => uuid)]);
    const [first, second] = [
      ['node-1', 'GPU-a'],
      ['node-2', 'GPU-b', 'GPU-c'],
    ];
    expect(seen(await nodes())).toEqual([first, second]);
    expect(seen(await nodes('?node_name=node-2'))).toEqual([second]);
    expect(seen(await nodes('?node_name=nobody'))).toEqual([]);
    const page = await org.viewer.get('/v1/metrics/gpu?limit=1');
    expect([seen(page.body), page.headers.link]).toEqual([[first], expect.stringContaining('offset=1')]);
    const last = await org.viewer.get('/v1/metrics/gpu?limit=1&offset=1');
    expect([seen(last.body), last.headers.link]).toEqual([[second], undefined]);
  });

  it('cover an hour by default, a day at most, and never the future', async () => {
    const of = (name: string, at: number) => series('util', [[at, 1]], { gpu_uuid: name, gpu_index: name });
    await report(
      of('1', now - 59 * MINUTE),
      of('2', now - 61 * MINUTE),
      of('3', now - 23.9 * HOUR),
      of('4', now - 24.1 * HOUR),
      of('5', now + HOUR),
    );
    const seen = async (query: string) =>
      (await nodes(query)).flatMap(({ gpus }: { gpus: { gpu_uuid: string }[] }) => gpus.map(({ gpu_uuid: id }) => id));
    expect(await seen('')).toEqual(['1']);
    expect(await seen('?hours=2')).toEqual(['1', '2']);
    expect(await seen('?hours=24')).toEqual(['1', '2', '3']);
    expect(await seen('?hours=1000')).toEqual(['1', '2', '3']);
  });

  it.each([
    ['/v1/metrics/gpu?hours=0', 'hours'],
    ['/v1/metrics/gpu?hours=abc', 'hours'],
    ['/v1/metrics/gpu/timeseries', 'gpu_uuid'],
    ['/v1/metrics/gpu/timeseries?gpu_uuid=a&minutes=0', 'minutes'],
    ['/v1/metrics/gpu/timeseries?gpu_uuid=a&minutes=1.5', 'minutes'],
  ])('refuse %s', async (path, field) => {
    const answer = await org.viewer.get(path);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('show the pod that holds a GPU now, even if it changed at this very sample', async () => {
    const old = { namespace: 'training', pod_name: 'old' };
    const next = { namespace: 'serving', pod_name: 'next' };
    await report(
      series(
        'util',
        [
          [now - 2 * MINUTE, 80],
          [now - MINUTE, null],
        ],
        old,
      ),
      series('util', [[now - MINUTE, 3]], next),
      series(
        'used',
        [
          [now - 2 * MINUTE, 500],
          [now - MINUTE, null],
        ],
        old,
      ),
      series('used', [[now - MINUTE, 7]], next),
    );
    expect((await nodes())[0].gpus).toMatchObject([{ gpu_utilization: 3, memory_used_mib: 7, ...next }]);
    expect((await history('gpu_uuid=GPU-a')).data).toMatchObject([
      { timestamp: iso(now - 2 * MINUTE), gpu_utilization: 80, memory_used_mib: 500, ...old },
      { timestamp: iso(now - MINUTE), gpu_utilization: 3, memory_used_mib: 7, ...next },
    ]);
  });

  it('add up the memory of all instances of a shared GPU, each once, or show that of the whole if it is reported', async () => {
    const of = (metric: keyof typeof METRICS, value: number, instance: string, pod_name?: string) =>
      series(metric, [[now - MINUTE, value]], { labels: { GPU_I_ID: instance }, namespace: 'ml', pod_name });
    await report(
      of('used', 100, '1', 'a'),
      // Two pods that alternate on one instance: the same figure twice.
      of('used', 30, '2', 'b'),
      of('used', 30, '2', 'c'),
      of('free', 40, '1', 'a'),
      of('free', 50, '2', 'b'),
      of('free', 50, '2', 'c'),
      of('temp', 60, '1', 'a'),
      of('temp', 60, '2', 'b'),
    );
    await report(
      series('used', [[now - MINUTE, 200]], { gpu_uuid: 'GPU-b' }),
      series('used', [[now - MINUTE, 120]], { gpu_uuid: 'GPU-b', labels: { GPU_I_ID: '1' } }),
    );
    const memory = { memory_used_mib: 130, memory_free_mib: 90, pod_name: 'a' };
    expect((await nodes())[0].gpus).toMatchObject([{ ...memory, temperature_celsius: 60 }, { memory_used_mib: 200 }]);
    expect((await history('gpu_uuid=GPU-a')).data).toMatchObject([memory]);
  });

  it('have the history of one GPU, a row for each time, oldest first', async () => {
    await report(
      series('util', [
        [now - 3 * MINUTE, 10],
        [now - 2 * MINUTE, null],
        [now - MINUTE, 30],
      ]),
      series('used', [[now - MINUTE, 100]]),
      series('free', [[now - MINUTE, 900]]),
      series('copy', [[now - 3 * MINUTE, 5]]),
      // Not part of a history.
      series('power', [[now - 2 * MINUTE, 70]]),
      series('util', [[now - MINUTE, 99]], { gpu_uuid: 'GPU-b' }),
    );
    const nobody = { namespace: null, pod_name: null };
    expect(await history('gpu_uuid=GPU-a')).toEqual({
      gpu_index: '0',
      gpu_uuid: 'GPU-a',
      node_name: 'node-1',
      model_name: 'NVIDIA H100 80GB HBM3',
      data: [
        {
          timestamp: iso(now - 3 * MINUTE),
          gpu_utilization: 10,
          memory_utilization: 5,
          memory_used_mib: null,
          memory_free_mib: null,
          ...nobody,
        },
        {
          timestamp: iso(now - MINUTE),
          gpu_utilization: 30,
          memory_utilization: null,
          memory_used_mib: 100,
          memory_free_mib: 900,
          ...nobody,
        },
      ],
    });
  });

  it('have a history of an hour by default, a day at most', async () => {
    const at = [30, 61, 23 * 60, 25 * 60].map((minutes): ReportedSample => [now - minutes * MINUTE, minutes]);
    await report(series('util', at));
    const seen = async (query: string) =>
      (await history(`gpu_uuid=GPU-a${query}`)).data.map((point: { gpu_utilization: number }) => point.gpu_utilization);
    expect(await seen('')).toEqual([30]);
    expect(await seen('&minutes=62')).toEqual([61, 30]);
    expect(await seen('&minutes=1440')).toEqual([23 * 60, 61, 30]);
    expect(await seen('&minutes=99999')).toEqual([23 * 60, 61, 30]);
    expect(await seen('&minutes=1')).toEqual([]);
  });

  it('thin out a long history: the last row of each of 10,000 equal parts of the window', async () => {
    // A sample every 6 s of 24 h less a minute: 14,390. A part is 8.64 s, so none is empty.
    const samples = Array.from({ length: 14_390 }, (_, i): ReportedSample => [now - MINUTE - i * 6_000, i]);
    await report(series('util', samples));
    const { data } = await history('gpu_uuid=GPU-a&minutes=1440');
    const reported = new Map(samples.map(([at, value]) => [iso(at), value]));
    expect(data.length).toBeGreaterThan(9_900);
    expect(data.length).toBeLessThanOrEqual(10_000);
    for (const { timestamp, gpu_utilization: value } of data) expect(value).toBe(reported.get(timestamp));
    expect(data.at(-1)).toMatchObject({ timestamp: iso(now - MINUTE), gpu_utilization: 0 });
    // A history that fits is complete: ten hours have about 6,000.
    expect((await history('gpu_uuid=GPU-a&minutes=600')).data.length).toBeGreaterThan(5_980);
  });

  describeWithSamples('of a real exporter', () => {
    it('show the eight GPUs of a node, and the pod of the first', async () => {
      await report(...seriesOfPage(sampleText('metrics/dcgm-exporter-8xh100-pods.prom'), now - MINUTE));
      const [node, ...none] = await nodes();
      expect([node.node_name, node.gpus.length, none]).toEqual(['gpu-node-1', 8, []]);
      expect(node.gpus.map(({ gpu_index: index }: { gpu_index: string }) => index)).toEqual([...'01234567']);
      expect(node.gpus[0]).toMatchObject({
        gpu_uuid: 'GPU-c4529c8d-69c4-b61d-e0bc-7b2460096005',
        temperature_celsius: 30,
        power_watts: 113.611,
        model_name: 'NVIDIA H100 80GB HBM3',
        namespace: 'dynamo-workload',
        pod_name: 'vllm-agg-0-vllmdecodeworker-s65j5',
      });
      expect(node.gpus[1]).toMatchObject({ namespace: null, pod_name: null });
    });
  });
});
