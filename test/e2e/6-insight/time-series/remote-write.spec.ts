import { randomBytes } from 'node:crypto';
import { compressSync } from 'snappy';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import {
  countSeries,
  forgetKinds,
  KIND_OF_SERIES,
  saveKinds,
} from '../../../../src/6-insight/time-series/samples.queries';
import { describeWithSamples, sampleBytes } from '../../../support/samples';
import {
  body1,
  body2,
  HEADERS_1,
  HEADERS_2,
  message1,
  metadata1,
  type BuiltSeries,
} from '../../../support/remote-write';
import { Caller, Service, type Answer, type Organisation } from '../../../support/service';
import { SentStatements } from '../../../support/statements';
import { DAY, HOUR, MINUTE } from '../../../support/durations';
import { STORED_SAMPLES } from '../../../support/metric-series';

const gpu = (samples: [number, number][], labels: Record<string, string> = {}): BuiltSeries => ({
  labels: {
    __name__: 'DCGM_FI_DEV_GPU_UTIL',
    gpu: '0',
    UUID: 'GPU-1',
    modelName: 'NVIDIA L4',
    Hostname: 'gpu-1',
    ...labels,
  },
  samples,
});

describe('POST /v1/metrics/write', () => {
  let service: Service;
  let org: Organisation;
  let now: number;

  beforeAll(async () => {
    service = await Service.start({ metricsMaxSeries: 2_000 });
    now = service.clock.now().getTime();
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const write = (body: Buffer, headers: Record<string, string> = HEADERS_1, caller: Caller = org.controller) =>
    caller.send('post', '/v1/metrics/write', body, headers);
  const code = ({ status, body }: Answer) => [status, body.code];

  interface StoredSample {
    metric: string;
    sampled_at: Date;
    value: number | null;
  }
  const stored = async (orgId = org.id): Promise<[string, number, number | null][]> => {
    const { rows } = await service.db.query<StoredSample>(
      `select s.metric, m.sampled_at, m.value from ${STORED_SAMPLES} m join metric_series s on s.org_id = m.org_id and s.id = m.series_id
       where m.org_id = $1 order by m.sampled_at, m.value`,
      [orgId],
    );
    return rows.map(({ metric, sampled_at, value }) => [metric, sampled_at.getTime() - now, value]);
  };

  it('refuses a series whose label does not end where it says, and stores the others', async () => {
    const broken = message1(gpu([[now, 1]]));
    const label = Buffer.from('\n\x03gpu\x12\x01' + '0', 'latin1');
    // The value's length becomes a number, and its only character a field without content.
    const tag = broken.indexOf(label) + label.indexOf('\x12');
    broken[tag] = 0x10;
    const answer = await write(compressSync(Buffer.concat([broken, message1(gpu([[now, 2]], { UUID: 'GPU-2' }))])));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('does not end where it says')]);
    expect(await stored()).toEqual([['DCGM_FI_DEV_GPU_UTIL', 0, 2]]);
  });

  it('refuses a series with a label of 1,001 fields, and stores the others', async () => {
    const part = (field: number, bytes: Buffer) =>
      Buffer.concat([Buffer.from([field, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]), bytes]);
    const label = Buffer.concat([Buffer.from('\n\x08__name__\x12\x05crowd', 'latin1'), Buffer.alloc(2_002, '\x18\0')]);
    const sample = Buffer.alloc(11);
    Buffer.from([0x12, 9, 0x09]).copy(sample);
    const crowded = part(0x0a, Buffer.concat([part(0x0a, label), sample]));
    const answer = await write(compressSync(Buffer.concat([crowded, message1(gpu([[now, 2]], { UUID: 'GPU-2' }))])));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('more than 1000 fields')]);
    expect(await stored()).toEqual([['DCGM_FI_DEV_GPU_UTIL', 0, 2]]);
  });

  it('stores samples of known metrics, with their labels as columns', async () => {
    const answer = await write(
      body1(
        gpu(
          [
            [now - MINUTE, 41],
            [now, 42.5],
          ],
          { pod: 'train', namespace: 'ml', job: 'dcgm' },
        ),
      ),
    );
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).not.toHaveProperty('x-prometheus-remote-write-samples-written');
    expect(await stored()).toEqual([
      ['DCGM_FI_DEV_GPU_UTIL', -MINUTE, 41],
      ['DCGM_FI_DEV_GPU_UTIL', 0, 42.5],
    ]);
    const { rows } = await service.db.query('select * from metric_series where org_id = $1', [org.id]);
    expect(rows).toEqual([
      expect.objectContaining({
        family: 'gpu',
        kind: 'gauge',
        gpu_uuid: 'GPU-1',
        gpu_index: '0',
        model_name: 'NVIDIA L4',
        node_name: 'gpu-1',
        namespace: 'ml',
        pod_name: 'train',
        labels: { job: 'dcgm' },
      }),
    ]);
  });

  it('stores the same batch once, in any order, and keeps the first value of a time', async () => {
    const late = body1(gpu([[now, 2]]), gpu([[now, 7]], { UUID: 'GPU-2' }));
    const early = body1(
      gpu([
        [now - 2 * MINUTE, 1],
        [now - MINUTE, 1.5],
      ]),
    );
    for (const body of [late, early, late, early]) expect((await write(body)).status).toBe(204);
    expect((await write(body1(gpu([[now, 99]])))).status).toBe(400);
    expect((await stored()).map(([, at, value]) => [at, value])).toEqual([
      [-2 * MINUTE, 1],
      [-MINUTE, 1.5],
      [0, 2],
      [0, 7],
    ]);
  });

  describe('a sample whose series has another value at its time', () => {
    const refused = async () => {
      const { text } = await service.as(undefined).get('/metrics');
      const line =
        /^ingested_samples_total\{protocol="remote_write_1",outcome="refused",reason="conflicting"\} (\d+)$/m;
      return Number(line.exec(text)?.[1] ?? 0);
    };

    it('is dropped, counted and named, and all others of its request are stored', async () => {
      expect((await write(body1(gpu([[now, 1]])))).status).toBe(204);
      const before = await refused();
      const body = body1(
        gpu([
          [now - MINUTE, 0],
          [now, 2],
        ]),
        gpu([[now, 3]], { UUID: 'GPU-2' }),
        gpu([[now, 4]]),
      );
      const answer = await write(body);
      expect(code(answer)).toEqual([400, 'samples_refused']);
      expect(answer.body.detail).toContain('2 samples are stored, 2 refused (conflicting 2)');
      expect(answer.body.detail).toContain(`UUID="GPU-1"`);
      expect(answer.body.detail).toContain(`${new Date(now).toISOString()} has another value already`);
      expect(await refused()).toBe(before + 2);
      expect((await stored()).map(([, at, value]) => [at, value])).toEqual([
        [-MINUTE, 0],
        [0, 1],
        [0, 3],
      ]);
      // Repeating the same value is no error.
      expect((await write(body1(gpu([[now, 1]]), gpu([[now, 3]], { UUID: 'GPU-2' })))).status).toBe(204);
    });

    it('is reported by version 2.0 with the counts of all others', async () => {
      const { labels } = gpu([]);
      expect((await write(body2(2, { labels, samples: [[now, 1]] }), HEADERS_2)).status).toBe(204);
      const samples: [number, number][] = [
        [now - 2, 5],
        [now - 1, 6],
        [now, 7],
      ];
      const answer = await write(body2(2, { labels, samples }), HEADERS_2);
      expect(code(answer)).toEqual([400, 'samples_refused']);
      expect(answer.headers['x-prometheus-remote-write-samples-written']).toBe('2');
      expect(answer.headers['x-prometheus-remote-write-histograms-written']).toBe('0');
    });

    it('may be in the same request: the first value stands, wherever the second is', async () => {
      const others = Array.from({ length: 600 }, (_, n) => gpu([[now, n]], { UUID: `GPU-${n + 10}` }));
      const answer = await write(body1(gpu([[now, 1]]), ...others, gpu([[now, 2]]), gpu([[now, 1]])));
      expect(code(answer)).toEqual([400, 'samples_refused']);
      expect(answer.body.detail).toContain('602 samples are stored, 1 refused (conflicting 1)');
      const { rows } = await service.db.query(
        `select m.value from ${STORED_SAMPLES} m join metric_series s on s.org_id = m.org_id and s.id = m.series_id
         where m.org_id = $1 and s.gpu_uuid = 'GPU-1'`,
        [org.id],
      );
      expect(rows).toEqual([{ value: 1 }]);
    });

    it('may have no value: null differs from a number', async () => {
      expect((await write(body1(gpu([[now, NaN]])))).status).toBe(204);
      expect((await write(body1(gpu([[now, NaN]])))).status).toBe(204);
      expect(code(await write(body1(gpu([[now, 1]]))))).toEqual([400, 'samples_refused']);
    });
  });

  describe('the type of a metric', () => {
    const series = (name: string, instance: string): BuiltSeries => ({
      labels: { __name__: name, instance },
      samples: [[now, 1]],
    });
    const kinds = async () => {
      const { rows } = await service.db.query<{ kind: string; metric: string; instance: string }>(
        `select s.metric, ${KIND_OF_SERIES.replaceAll('$org_id', '$1')} as kind, s.labels->>'instance' as instance from metric_series s where s.org_id = $1 order by metric, instance`,
        [org.id],
      );
      return rows.map(({ metric, kind, instance }) => `${metric} ${instance} ${kind}`);
    };

    it('is the one in its metadata, which Prometheus sends separately, for series before and after', async () => {
      const names = ['node_vmstat_pgfault', 'slurm_waiting_total', 'slurm_cpus_total'];
      expect((await write(body1(...names.map((name) => series(name, 'a'))))).status).toBe(204);
      expect(await kinds()).toEqual([
        'node_vmstat_pgfault a gauge',
        'slurm_cpus_total a gauge',
        'slurm_waiting_total a counter',
      ]);
      const metadata = metadata1({ node_vmstat_pgfault: 1, slurm_waiting_total: 2, slurm_cpus_total: 1 });
      expect((await write(compressSync(metadata))).status).toBe(204);
      expect((await write(body1(...names.map((name) => series(name, 'b'))))).status).toBe(204);
      expect(await kinds()).toEqual([
        'node_vmstat_pgfault a counter',
        'node_vmstat_pgfault b counter',
        'slurm_cpus_total a gauge',
        'slurm_cpus_total b gauge',
        'slurm_waiting_total a gauge',
        'slurm_waiting_total b gauge',
      ]);
    });

    it('is shown for all series of the metric, and changes none of them if senders disagree', async () => {
      const names = ['a', 'b', 'c'].map((instance) => series('slurm_waiting_total', instance));
      expect((await write(body1(...names))).status).toBe(204);
      const rows = async () =>
        (await service.db.query('select id, xmin from metric_series where org_id = $1 order by id', [org.id])).rows;
      const before = await rows();
      const shown = async () => {
        const { body } = await org.viewer.get('/v1/metrics/slurm');
        return (body as { gauge_value: number | null; counter_value: number | null }[]).map((one) => [
          one.gauge_value,
          one.counter_value,
        ]);
      };
      for (const [type, expected] of [
        [2, [1, null]],
        [1, [null, 1]],
        [2, [1, null]],
      ] as const) {
        expect((await write(compressSync(metadata1({ slurm_waiting_total: type })))).status).toBe(204);
        expect(await shown()).toEqual([expected, expected, expected]);
      }
      expect(await rows()).toEqual(before);
    });

    it('is stored once for a metric with series, and deleted with the last of them', async () => {
      const kept = async () =>
        (await service.db.query('select metric, kind, xmin from metric_kinds where org_id = $1', [org.id])).rows;
      const report = async () =>
        // Each replica compares again: this one remembers for a minute.
        saveKinds(service.app.get(StatementPool), org.id, [
          { family: 'slurm', metric: 'slurm_waiting_total', kind: 'gauge' },
          { family: 'slurm', metric: 'slurm_nothing_total', kind: 'gauge' },
        ]);
      await report();
      expect(await kept()).toEqual([]);
      expect((await write(body1(series('slurm_waiting_total', 'a')))).status).toBe(204);
      await report();
      const first = await kept();
      expect(first).toMatchObject([{ metric: 'slurm_waiting_total', kind: 'gauge' }]);
      await report();
      expect(await kept()).toEqual(first);
      const forget = () => service.app.get(UnitOfWork).system('a test forgets', (tx) => forgetKinds(tx, 0, 1_000));
      await forget();
      expect(await kept()).toEqual(first);
      await service.db.query('delete from metric_series where org_id = $1', [org.id]);
      await forget();
      expect(await kept()).toEqual([]);
    });

    it('is found by the name of its family in OpenMetrics', async () => {
      expect((await write(body1(series('slurm_jobs_done_total', 'a')))).status).toBe(204);
      const body = Buffer.concat([message1(series('slurm_jobs_done_total', 'b')), metadata1({ slurm_jobs_done: 1 })]);
      expect((await write(compressSync(body))).status).toBe(204);
      expect(await kinds()).toEqual(['slurm_jobs_done_total a counter', 'slurm_jobs_done_total b counter']);
    });

    it('is separate for each organisation', async () => {
      const other = await service.organisation();
      expect((await write(body1(series('node_vmstat_pgfault', 'a')))).status).toBe(204);
      const reported = await write(compressSync(metadata1({ node_vmstat_pgfault: 1 })), HEADERS_1, other.controller);
      expect(reported.status).toBe(204);
      expect(await kinds()).toEqual(['node_vmstat_pgfault a gauge']);
    });
  });

  describe('a body of many parts without content', () => {
    it('is refused before anything is built from it', async () => {
      const series = compressSync(Buffer.alloc(2 * 100_001, Buffer.from([10, 0])));
      const answer = await write(series);
      expect(code(answer)).toEqual([413, 'body_too_large']);
      expect(answer.body.detail).toContain('more than 100000 series');
      expect((await write(compressSync(Buffer.alloc(2 * 1_000, Buffer.from([10, 0]))))).status).toBe(204);
      const unknown = await write(compressSync(Buffer.alloc(2 * 4_000_001, Buffer.from([0x78, 0]))));
      expect(code(unknown)).toEqual([413, 'body_too_large']);
      const symbols = await write(compressSync(Buffer.alloc(2 * 500_001, Buffer.from([0x22, 0]))), HEADERS_2);
      expect(code(symbols)).toEqual([413, 'body_too_large']);
    });

    it('is refused if a few bytes announce many parts', async () => {
      const bomb = Buffer.concat([Buffer.from([0x80, 0x80, 0x80, 0x0f]), Buffer.alloc(100)]);
      const answer = await write(bomb);
      expect(code(answer)).toEqual([413, 'body_too_large']);
    });

    it('refuses a series with too many labels, and stores the others', async () => {
      const labels = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`l${n}`, 'x']));
      const answer = await write(body1(gpu([[now, 1]]), gpu([[now, 2]], labels)));
      expect(code(answer)).toEqual([400, 'samples_refused']);
      expect(answer.body.detail).toContain('1 samples are stored, 1 refused (too_many_labels 1)');
    });
  });

  it('identifies a series by its labels, whatever their order and the version', async () => {
    const { labels } = gpu([]);
    const reversed = Buffer.from(message1(gpu([[now - MINUTE, 1]])));
    expect((await write(compressSync(reversed))).status).toBe(204);
    expect((await write(body2(2, { labels, samples: [[now, 2]] }), HEADERS_2)).status).toBe(204);
    const { rows } = await service.db.query('select count(*)::int as count from metric_series where org_id = $1', [
      org.id,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
    expect(await stored()).toHaveLength(2);
  });

  it("stores null for values that are not numbers, and for DCGM's placeholder", async () => {
    const values = [NaN, Infinity, -Infinity, 2 ** 63, 2147483632, 140737488355328, 0];
    expect((await write(body1(gpu(values.map((value, i) => [now - i * MINUTE, value]))))).status).toBe(204);
    expect((await stored()).map(([, , value]) => value).reverse()).toEqual([null, null, null, null, null, null, 0]);
  });

  it('refuses samples that are too old, too far ahead or unreadable, names them, and stores the rest', async () => {
    const answer = await write(
      body1(
        gpu([
          [now - 32 * DAY, 1],
          [now, 2],
          [now + DAY + MINUTE, 3],
          [now + DAY - MINUTE, 4],
        ]),
        { labels: { instance: 'x' }, samples: [[now, 5]] },
        gpu([[now, 6]], { UUID: 'GPU-2', note: 'x'.repeat(3_000) }),
        gpu([[now, 7]], { UUID: 'GPU-3', note: 'a\0b' }),
        gpu([[now, 8]], { UUID: 'GPU-4' }),
      ),
    );
    expect(code(answer)).toEqual([400, 'samples_refused']);
    expect(answer.body.message).toMatch(/^3 samples are stored, 5 refused/);
    for (const named of ['is older than what is kept', 'is more than a day ahead', 'has no name', 'GPU-1'])
      expect(answer.body.message).toContain(named);
    expect((await stored()).map(([, , value]) => value)).toEqual([2, 8, 4]);
  });

  it('refuses only the series whose labels are longer than an index entry', async () => {
    // Characters of three bytes that do not compress.
    const endless = String.fromCharCode(...Array.from(randomBytes(2_000), (byte, i) => 0x4e00 + byte * 64 + (i % 64)));
    const fact = { __name__: 'kube_pod_info', uid: 'pod-1', namespace: 'ml', pod: 'train' };
    const answer = await write(
      body1(
        gpu([[now, 1]], { UUID: endless }),
        gpu([[now, 2]], { pod: endless, namespace: endless }),
        { labels: { ...fact, uid: endless }, samples: [[now, 1]] },
        { labels: { ...fact, pod: endless }, samples: [[now, 1]] },
        { labels: fact, samples: [[now, 1]] },
        gpu([[now, 3]]),
      ),
    );
    expect(code(answer)).toEqual([400, 'samples_refused']);
    expect(answer.body.message).toMatch(/^2 samples are stored, 4 refused \(too_many_labels 4\)/);
    expect((await stored()).map(([, , value]) => value)).toEqual([3]);
  });

  it('drops unknown metrics, and counts them', async () => {
    const metrics = async () => (await service.as(undefined).get('/metrics')).text;
    const dropped = (text: string) =>
      Number(
        /ingested_samples_total\{protocol="remote_write_1",outcome="dropped",reason="unmapped"\} (\d+)/.exec(
          text,
        )?.[1] ?? 0,
      );
    const before = dropped(await metrics());
    const other = {
      labels: { __name__: 'go_goroutines' },
      samples: [
        [now, 1],
        [now - 1, 1],
      ],
    } as BuiltSeries;
    expect((await write(body1(other))).status).toBe(204);
    expect(dropped(await metrics())).toBe(before + 2);
    expect(await stored()).toEqual([]);
  });

  describe('version 2.0', () => {
    it('reports what was stored', async () => {
      const known: BuiltSeries = {
        ...gpu([
          [now, 1],
          [now - 1, 2],
        ]),
        exemplars: 1,
        histograms: 2,
      };
      const unknown: BuiltSeries = { labels: { __name__: 'up' }, samples: [[now, 1]] };
      const answer = await write(body2(2, known, unknown), HEADERS_2);
      expect(answer.status).toBe(204);
      expect(answer.headers).toMatchObject({
        'x-prometheus-remote-write-samples-written': '2',
        'x-prometheus-remote-write-histograms-written': '0',
        'x-prometheus-remote-write-exemplars-written': '0',
      });
    });

    it('never answers 204 if a known sample is not stored', async () => {
      const answer = await write(
        body2(
          2,
          gpu([
            [now, 1],
            [now - 40 * DAY, 2],
          ]),
        ),
        HEADERS_2,
      );
      expect(code(answer)).toEqual([400, 'samples_refused']);
      expect(answer.headers['x-prometheus-remote-write-samples-written']).toBe('1');
      expect(await stored()).toHaveLength(1);
    });

    it('takes the type of a metric from its metadata', async () => {
      const series = {
        labels: { __name__: 'node_netstat_Tcp_InSegs', instance: 'a:9100' },
        samples: [[now, 1]],
      } as BuiltSeries;
      expect((await write(body2(1, series), HEADERS_2)).status).toBe(204);
      const { rows } = await service.db.query(
        'select kind, collector, node_name from metric_series where org_id = $1',
        [org.id],
      );
      expect(rows).toEqual([{ kind: 'counter', collector: 'netstat', node_name: 'a' }]);
    });
  });

  it('keeps the newest facts about each pod', async () => {
    const fact = (name: string, at: number, labels: Record<string, string>): BuiltSeries => ({
      labels: { __name__: name, uid: 'u-1', namespace: 'ml', pod: 'train-1', ...labels },
      samples: [[at, 1]],
    });
    await write(body1(fact('kube_pod_info', now - 30 * MINUTE, { node: 'gpu-1', created_by_kind: '<none>' })));
    await write(body1(fact('kube_pod_owner', now - 20 * MINUTE, { owner_kind: 'Job', owner_name: 'train' })));
    await write(body1(fact('kube_pod_info', now, { node: 'gpu-2' })));
    await write(body1(fact('kube_pod_info', now - 10 * MINUTE, { node: 'late' })));
    const { rows } = await service.db.query('select * from metric_pods where org_id = $1', [org.id]);
    expect(rows).toEqual([
      expect.objectContaining({
        pod_uid: 'u-1',
        node_name: 'gpu-2',
        owner_kind: 'Job',
        owner_name: 'train',
        seen_at: new Date(now),
      }),
    ]);
    expect(await stored()).toEqual([]);
  });

  it('notes the facts about many pods by statements of a thousand each', async () => {
    const labels = (n: number) => ({ uid: `u-${n}`, namespace: 'ml', pod: `train-${n}` });
    const facts = Array.from({ length: 2_500 }, (_, n): BuiltSeries[] => [
      { labels: { __name__: 'kube_pod_info', ...labels(n), node: `gpu-${n}` }, samples: [[now, 1]] },
      {
        labels: { __name__: 'kube_pod_owner', ...labels(n), owner_kind: 'Job', owner_name: 'train' },
        samples: [[now, 1]],
      },
    ]);
    // The two facts about a pod are of different statements.
    const body = body1(
      ...facts.map(([info]) => info as BuiltSeries),
      ...facts.map(([, owner]) => owner as BuiltSeries),
    );
    const sent = new SentStatements();
    // They have no name, because they are planned at each call.
    const noting = () =>
      Object.entries(sent.counts(org.id)).flatMap(([text, times]) =>
        text.includes('insert into metric_pods') ? [times] : [],
      );
    expect((await write(body)).status).toBe(204);
    expect(noting()).toEqual([5]);
    const { rows } = await service.db.query(
      `select count(*)::int as pods from metric_pods where org_id = $1 and pod_name = 'train' || substr(pod_uid, 2)
         and node_name = 'gpu' || substr(pod_uid, 2) and owner_kind = 'Job' and owner_name = 'train'`,
      [org.id],
    );
    expect(rows).toEqual([{ pods: 2_500 }]);
    sent.forget();
    expect((await write(body)).status).toBe(204);
    expect(noting()).toEqual([]);
  });

  it('writes no fact about a pod again that is stored, whichever replica it reaches, unless it is ten minutes old', async () => {
    const facts = (at: number, labels: Record<string, string> = {}): Buffer => {
      const of = { uid: 'u-1', namespace: 'ml', pod: 'train-1' };
      const samples: [number, number][] = [[at, 1]];
      return body1(
        { labels: { __name__: 'kube_pod_info', ...of, node: 'gpu-1', ...labels }, samples },
        { labels: { __name__: 'kube_pod_owner', ...of, owner_kind: 'Job', owner_name: 'train' }, samples },
      );
    };
    const version = async () => {
      const { rows } = await service.db.query<{ version: string; seen_at: Date }>(
        "select concat_ws(' ', ctid, xmin, xmax) as version, seen_at from metric_pods where org_id = $1",
        [org.id],
      );
      expect(rows).toHaveLength(1);
      return rows[0];
    };
    await write(facts(now - 30 * MINUTE));
    const before = await version();
    const { as } = await service.replica();
    const other = as(org.controller.token);
    // One that does not remember it, and one that knows nothing of it.
    for (const sender of [org.controller, other]) {
      const answer = await write(facts(now - 21 * MINUTE, { job: 'another' }), HEADERS_1, sender);
      expect([answer.status, await version()]).toEqual([204, before]);
    }
    await write(facts(now - 20 * MINUTE, { job: 'third' }));
    const noted = await version();
    expect(noted?.seen_at).toEqual(new Date(now - 20 * MINUTE));
    await write(facts(now - 19 * MINUTE, { node: 'gpu-2' }));
    expect((await version())?.version).not.toBe(noted?.version);
  });

  it('separates the series of organisations', async () => {
    const other = await service.organisation();
    for (const { controller } of [org, other])
      expect((await write(body1(gpu([[now, 1]])), HEADERS_1, controller)).status).toBe(204);
    expect(await stored(org.id)).toHaveLength(1);
    expect(await stored(other.id)).toHaveLength(1);
  });

  it('refuses series beyond the limit of an organisation, and continues with the known ones', async () => {
    const many = Array.from({ length: 2_500 }, (_, i) => gpu([[now, i]], { UUID: `GPU-${i}` }));
    const answer = await write(body1(...many));
    expect(code(answer)).toEqual([400, 'samples_refused']);
    expect(answer.body.message).toMatch(/^2000 samples are stored, 500 refused \(too_many_series 500\)/);
    expect(await stored()).toHaveLength(2_000);
    // Later samples of known series are stored all the same.
    const { rows } = await service.db.query<{ gpu_uuid: string }>(
      'select gpu_uuid from metric_series where org_id = $1 limit 1',
      [org.id],
    );
    expect((await write(body1(gpu([[now - 5, 1]], { UUID: rows[0]?.gpu_uuid ?? '' })))).status).toBe(204);
    expect(await stored()).toHaveLength(2_001);
  });

  describe('with series that have ended', () => {
    /** Series that nobody samples. @param until from now: some have ended, others have not */
    const ended = (count: number, until: string) =>
      service.db.query(
        `insert into metric_series (org_id, digest, family, metric, kind, labels, last_sampled_on, sampled_until)
         select $1, gen_random_uuid(), 'gpu', 'DCGM_FI_DEV_GPU_UTIL', 'gauge', '{}', current_date,
           now() + $3::interval
         from generate_series(1, $2::int)`,
        [org.id, count, until],
      );
    const fresh = (count: number) =>
      write(body1(...Array.from({ length: count }, (_, i) => gpu([[now, i]], { UUID: `GPU-fresh-${i}` }))));
    const refused = async (count: number): Promise<[number, string]> => {
      const { status, body } = await fresh(count);
      return [status, /too_many_series \d+/.exec(String(body?.message))?.[0] ?? ''];
    };

    it('counts only those with samples in the last hour towards the limit', async () => {
      await ended(5_000, '-21 minutes');
      await ended(300, '-18 minutes');
      expect(await refused(2_000)).toEqual([400, 'too_many_series 300']);
    });

    it('refuses those that come alive again beyond the limit, though they are stored', async () => {
      const series = (from: number, count: number, at: number) =>
        body1(...Array.from({ length: count }, (_, i) => gpu([[at, i]], { UUID: `GPU-${from + i}` })));
      for (const from of [0, 1_500]) expect((await write(series(from, 1_500, now - 2 * HOUR))).status).toBe(204);
      const answers = [];
      for (const from of [0, 1_500]) answers.push(await write(series(from, 1_500, now)));
      expect(answers.map(({ status }) => status)).toEqual([204, 400]);
      expect(answers[1]?.body.message).toContain('too_many_series 1000');
    });

    it('stores known ones and answers 503 while a replica cannot count them', async () => {
      const other = await service.replica();
      const there = new Caller(other.url, org.controller.token);
      expect((await write(body1(gpu([[now - MINUTE, 1]])))).status).toBe(204);
      const read = Reflect.get(UnitOfWork.prototype, 'read') as (...given: unknown[]) => unknown;
      const counts = jest.spyOn(UnitOfWork.prototype, 'read').mockImplementation(function (
        this: UnitOfWork,
        ...given: unknown[]
      ) {
        const isCount = given[1] === countSeries;
        return isCount ? Promise.reject(new Error('as it happens')) : (Reflect.apply(read, this, given) as never);
      });
      try {
        const both = body1(gpu([[now, 2]]), gpu([[now, 3]], { UUID: 'GPU-new' }));
        expect(code(await write(both, HEADERS_1, there))).toEqual([503, 'database_busy']);
      } finally {
        counts.mockRestore();
      }
      expect((await stored()).map(([, , value]) => value)).toEqual([1, 2]);
    });

    it('counts none that has ended, nor one without a sample', async () => {
      await ended(5_000, '-2 hours');
      await service.db.query('update metric_series set sampled_until = null where org_id = $1 and id % 2 = 0', [
        org.id,
      ]);
      expect((await fresh(2_000)).status).toBe(204);
    });

    it('refuses more than ten times the limit in all, so that they do not fill the disk', async () => {
      await ended(19_500, '-2 hours');
      expect(await refused(2_000)).toEqual([400, 'too_many_series 1500']);
    });
  });

  it('refuses exactly the excess of concurrent senders', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, sender) =>
        write(body1(...Array.from({ length: 400 }, (_, i) => gpu([[now, i]], { UUID: `GPU-${sender}-${i}` })))),
      ),
    );
    expect(answers.map(({ status }) => status)).toContain(400);
    expect(await stored()).toHaveLength(2_000);
  });

  it('refuses none of concurrent senders of the same series', async () => {
    const series = Array.from({ length: 1_500 }, (_, i) => ({ ...gpu([[now, i]], { UUID: `GPU-${i}` }) }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => write(body1(...series))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect(await stored()).toHaveLength(1_500);
    const others = Array.from({ length: 500 }, (_, i) => gpu([[now, i]], { UUID: `GPU-other-${i}` }));
    expect((await write(body1(...others))).status).toBe(204);
  });

  describe('refuses', () => {
    it.each([
      ['a body that is not snappy', Buffer.from('hello'), HEADERS_1, 400, 'unreadable_samples'],
      ['half a block', body1(gpu([[1, 1]])).subarray(0, 30), HEADERS_1, 400, 'unreadable_samples'],
      [
        'a body that is not protobuf',
        compressSync(Buffer.from('hello, this is no message')),
        HEADERS_1,
        400,
        'unreadable_samples',
      ],
      ['half a message', compressSync(message1(gpu([[1, 1]])).subarray(0, 30)), HEADERS_1, 400, 'unreadable_samples'],
      [
        'a length of 4 GiB in 5 bytes',
        Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]),
        HEADERS_1,
        413,
        'body_too_large',
      ],
      ['a bomb', compressSync(Buffer.alloc(33 * 1024 * 1024)), HEADERS_1, 413, 'body_too_large'],
      ['endless samples', compressSync(Buffer.concat(sampleFlood())), HEADERS_1, 413, 'body_too_large'],
      [
        'endless symbols',
        compressSync(Buffer.alloc(4 * 1024 * 1024, Buffer.from([0x22, 0]))),
        HEADERS_2,
        413,
        'body_too_large',
      ],
      [
        'another message',
        body1(),
        { ...HEADERS_1, 'content-type': 'application/x-protobuf;proto=other.Message' },
        415,
        'unsupported_media_type',
      ],
      ['another type', body1(), { ...HEADERS_1, 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
      ['another encoding', body1(), { ...HEADERS_1, 'content-encoding': 'zstd' }, 415, 'unsupported_media_type'],
      ['a body of 33 MiB', Buffer.alloc(33 * 1024 * 1024), HEADERS_1, 413, 'body_too_large'],
    ])('refuses %s', async (_what, body, headers, status, problem) => {
      expect(code(await write(body, headers))).toEqual([status, problem]);
    });

    it('refuses a reference to an unknown symbol, and a first symbol that is not empty', async () => {
      const missing = compressSync(Buffer.from([0x22, 0, 0x2a, 4, 0x0a, 2, 7, 8]));
      expect((await write(missing, HEADERS_2)).status).toBe(204);
      const withSample = compressSync(Buffer.from([0x22, 0, 0x2a, 6, 0x0a, 2, 7, 8, 0x12, 0]));
      expect(code(await write(withSample, HEADERS_2))).toEqual([400, 'samples_refused']);
      expect(code(await write(compressSync(Buffer.from([0x22, 1, 0x61])), HEADERS_2))).toEqual([
        400,
        'unreadable_samples',
      ]);
    });

    it('refuses a missing body', async () => {
      const answer = await org.controller.send('post', '/v1/metrics/write', undefined, HEADERS_1);
      expect(code(answer)).toEqual([400, 'unreadable_samples']);
    });
  });
});

/** One series of more samples than a request may have: two bytes each. */
function sampleFlood(): Buffer[] {
  const samples = Buffer.alloc(2 * 600_000, Buffer.from([0x12, 0]));
  const length = samples.length;
  return [Buffer.from([0x0a, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]), samples];
}

describeWithSamples('what Prometheus and vmagent really sent', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    // The time of the capture.
    service.clock.set('2026-11-20T18:00:00Z');
  });
  afterAll(() => service.close());

  const count = async (table: string) =>
    (
      await service.db.query<{ count: number }>(`select count(*)::int as count from ${table} where org_id = $1`, [
        org.id,
      ])
    ).rows[0]?.count;

  it.each(['remote-write', 'remote-write-metadata', 'remote-write-vmagent'])(
    '%s is accepted, and a repetition changes nothing',
    async (name) => {
      const send = () => org.controller.send('post', '/v1/metrics/write', sampleBytes(`${name}.bin`), HEADERS_1);
      const first = await send();
      expect([first.status, first.text]).toEqual([204, '']);
      const before = [await count('metric_series'), await count(STORED_SAMPLES)];
      expect((await send()).status).toBe(204);
      expect([await count('metric_series'), await count(STORED_SAMPLES)]).toEqual(before);
    },
  );

  it('the captures produce the series of the hosts', async () => {
    const { rows } = await service.db.query<{ metric: string }>(
      "select distinct metric from metric_series where org_id = $1 and family = 'host'",
      [org.id],
    );
    expect(rows.map(({ metric }) => metric)).toEqual(expect.arrayContaining(['node_cpu_seconds_total', 'node_load1']));
    expect(await count(STORED_SAMPLES)).toBeGreaterThan(300);
  });
});
