import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { compressSync } from 'snappy';
import { Replicas } from '../support/replicas';
import { HEADERS_1, HEADERS_2, largeBody1, type BuiltSeries } from '../support/remote-write';
import { expectFigure, printFigures } from '../support/figures';
import { probeDuring } from './probe';
import { MAX_RESIDENT_MIB, peakDuring, residentMib, servicePid } from '../support/resident';

const AT_ONCE = 40;
const WRITE = '/v1/metrics/write';
const OTLP = '/v1/metrics';
const JSON_HEADERS = { 'content-type': 'application/json' };
const PROTOBUF_HEADERS = { 'content-type': 'application/x-protobuf' };

const again = (count: number, ...bytes: number[]): Buffer => Buffer.alloc(count * bytes.length, Buffer.from(bytes));

/** Labels as long as those of node_exporter. */
const series = (prefix: string, count: number, samples: number, now: number): BuiltSeries[] =>
  Array.from({ length: count }, (_, n) => ({
    labels: {
      __name__: 'node_cpu_seconds_total',
      instance: `${prefix}-${n >> 5}.example:9100`,
      job: 'node-exporter',
      cpu: String(n & 31),
      mode: 'idle',
    },
    samples: Array.from({ length: samples }, (_one, at) => [now - at * 15_000, n + at] as [number, number]),
  }));

/** Of about this many bytes, with attributes at each point. */
function otlpJson(bytes: number, now: number): Buffer {
  const parts: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const attributes = ['state', 'device', 'direction', 'host.id', 'os.type'].map((key) => ({
      key,
      value: { stringValue: `${key}-${n}` },
    }));
    const point = JSON.stringify({ attributes, timeUnixNano: `${now}000000`, asDouble: n / 7 });
    parts.push(point);
    length += point.length + 1;
  }
  return Buffer.from(
    `{"resourceMetrics":[{"resource":{},"scopeMetrics":[{"metrics":[{"name":"system.io","gauge":{"dataPoints":[${parts.join(',')}]}}]}]}]}`,
  );
}

interface Attack {
  readonly name: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: () => Buffer;
  /** Allowed replies to one such body alone. */
  readonly answers: readonly number[];
}

describe('a service under hostile metrics', () => {
  let replicas: Replicas;
  let token: string;
  const now = Date.now();

  const attacks: Attack[] = [
    {
      name: 'remote-write of 16 million empty series',
      path: WRITE,
      headers: HEADERS_1,
      body: () => compressSync(again(16_000_000, 10, 0)),
      answers: [413],
    },
    {
      name: 'remote-write of 16 million unknown fields',
      path: WRITE,
      headers: HEADERS_1,
      body: () => compressSync(again(16_000_000, 0x78, 0)),
      answers: [413],
    },
    {
      name: 'remote-write 2.0 of 16 million empty symbols',
      path: WRITE,
      headers: HEADERS_2,
      body: () => compressSync(again(16_000_000, 0x22, 0)),
      answers: [413],
    },
    {
      name: 'remote-write of 500,000 samples in one series',
      path: WRITE,
      headers: HEADERS_1,
      body: () => largeBody1(series('one', 1, 500_000, now).map((one) => ({ ...one, labels: { __name__: 'node_x' } }))),
      answers: [400],
    },
    {
      name: 'OTLP of 2.9 million empty parts in JSON',
      path: OTLP,
      headers: JSON_HEADERS,
      body: () => Buffer.from(`{"resourceMetrics":[${'{},'.repeat(2_900_000)}{}]}`),
      answers: [400],
    },
    {
      name: 'OTLP of 16 million numbers in JSON',
      path: OTLP,
      headers: JSON_HEADERS,
      body: () => Buffer.from(`{"resourceMetrics":[${'0,'.repeat(16_000_000)}0]}`),
      answers: [400, 413],
    },
    {
      name: 'OTLP of 16 million empty parts in protobuf',
      path: OTLP,
      headers: PROTOBUF_HEADERS,
      body: () => again(16_000_000, 10, 0),
      answers: [413],
    },
    {
      name: 'a valid OTLP in JSON of 30 MB',
      path: OTLP,
      headers: JSON_HEADERS,
      body: () => otlpJson(30e6, now),
      answers: [200],
    },
    {
      name: 'a valid remote-write of 50,000 series with 10 samples each',
      path: WRITE,
      headers: HEADERS_1,
      body: () => largeBody1(series('valid', 50_000, 10, now)),
      answers: [204],
    },
  ];

  beforeAll(async () => {
    replicas = await Replicas.start(1);
    token = replicas.organisation().controller.token ?? '';
    // The service's code is compiled before anything is measured.
    for (let n = 0; n < 20; n++) await send(WRITE, largeBody1(series('warm', 500, 1, now - n)), HEADERS_1);
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  /** The bytes unchanged, without work that would keep this process from probing. */
  const send = (
    path: string,
    body: Buffer,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const request = http.request(
        `${replicas.of(0).url}${path}`,
        { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': body.length } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        },
      );
      request.once('error', reject);
      request.end(body);
    });

  const expectQuick = (
    attack: string,
    { p99, max, failures }: { p99: number; max: number; failures: readonly string[] },
  ): void => {
    expect(failures).toEqual([]);
    expectFigure({ attack, measure: '/livez p99', value: p99, unit: 'ms', bound: { atMost: 100 } });
    expectFigure({ attack, measure: '/livez max', value: max, unit: 'ms', bound: { atMost: 250 } });
  };

  it.each(attacks)(
    'answers others while it reads $name',
    async ({ name, path, headers, body, answers }) => {
      const bytes = body();
      const { result, probe } = await probeDuring(replicas.of(0).url, async () => {
        const began = performance.now();
        const { status, text } = await send(path, bytes, headers);
        return { status, text, seconds: (performance.now() - began) / 1_000 };
      });
      expectFigure({
        attack: name,
        measure: `answered ${result.status} after`,
        value: result.seconds,
        unit: 's',
        bound: { atMost: 60 },
      });
      expect([result.text.slice(0, 200), answers.includes(result.status)]).toEqual([expect.any(String), true]);
      expectQuick(name, probe);
    },
    120_000,
  );

  it('answers others, and stays small, while 40 of the worst arrive at once', async () => {
    const bodies = attacks.map((attack) => ({ ...attack, bytes: attack.body() }));
    await sleep(5_000);
    const pid = servicePid(replicas.of(0).process);
    const before = residentMib(pid);
    const { result: during, peakMib } = await peakDuring(pid, () =>
      probeDuring(replicas.of(0).url, () =>
        Promise.all(
          Array.from({ length: AT_ONCE }, async (_, n) => {
            const { path, headers, bytes } = bodies[n % bodies.length] as (typeof bodies)[number];
            return (await send(path, bytes, headers)).status;
          }),
        ),
      ),
    );
    const { result, probe } = during;
    expect(result.filter((status) => ![200, 204, 400, 413, 429, 503].includes(status))).toEqual([]);
    const attack = `${AT_ONCE} of these at once`;
    expectFigure({
      attack,
      measure: 'resident memory',
      value: peakMib,
      unit: 'MiB',
      bound: { atMost: MAX_RESIDENT_MIB },
    });
    expectQuick(attack, probe);
    await sleep(30_000);
    expectFigure({
      attack,
      measure: 'resident memory 30 s later, of that before',
      value: residentMib(pid) / before,
      unit: 'times',
      bound: { atMost: 1.3 },
    });
  }, 300_000);

  it('creates 50,000 new series at the same cost each as 5,000', async () => {
    const seconds = async (prefix: string, count: number): Promise<number> => {
      const body = largeBody1(series(prefix, count, 1, now));
      const began = performance.now();
      expect((await send(WRITE, body, HEADERS_1)).status).toBe(204);
      return (performance.now() - began) / 1_000;
    };
    const few = (await seconds('few', 5_000)) / 5_000;
    const many = (await seconds('many', 50_000)) / 50_000;
    const attack = 'remote-write of 50,000 new series';
    expectFigure({ attack, measure: 'time', value: many * 50_000, unit: 's', bound: { atMost: 30 } });
    expectFigure({ attack, measure: 'each, of 5,000', value: many / few, unit: 'times', bound: { atMost: 2 } });
  });
});
