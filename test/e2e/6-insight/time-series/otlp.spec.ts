import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rejectedIn, statusIn } from '../../../support/otlp';
import { Service, type Organisation } from '../../../support/service';
import { MINUTE } from '../../../support/durations';
import { STORED_SAMPLES } from '../../../support/metric-series';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('POST /v1/metrics', () => {
  let service: Service;
  let org: Organisation;
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
    now = service.clock.now().getTime();
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const stored = async () => {
    const { rows } = await service.db.query(
      `select s.family, s.metric, s.kind, s.node_name, s.labels, array_agg(m.value order by m.sampled_at) as values
       from metric_series s join ${STORED_SAMPLES} m on m.org_id = s.org_id and m.series_id = s.id
       where s.org_id = $1 group by s.org_id, s.id order by s.metric, s.labels::text`,
      [org.id],
    );
    return rows;
  };

  const point = (value: object, more: object = {}) => ({ timeUnixNano: `${now}000000`, ...value, ...more });
  const request = (...metrics: object[]) => ({
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'host.name', value: { stringValue: 'host-1' } }] },
        scopeMetrics: [{ scope: { name: 'receiver', version: '1' }, metrics }],
      },
    ],
  });
  const load = (...dataPoints: object[]) => ({ name: 'system.load', gauge: { dataPoints } });

  describe.each(['protobuf', 'json'])("OpenTelemetry's own exporter, in %s", (form) => {
    it.each(['none', 'gzip'])('is understood (compression %s)', async (compression) => {
      const program = join(__dirname, '../../../support/otlp-sender.ts');
      const args = [
        '--import',
        'tsx',
        program,
        `${service.url}/v1/metrics`,
        org.controller.token ?? '',
        form,
        compression,
      ];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      // 0 means success. It exports when it is flushed, and when it ends.
      expect(JSON.parse(stdout)).toEqual([0, 0]);
      const labels = { service_instance_id: 'i-1', otel_scope_name: 'test', otel_scope_version: '2.0' };
      const both = { family: 'host', node_name: 'host-1' };
      const rows = await stored();
      expect(rows).toEqual([
        {
          ...both,
          metric: 'system_memory_usage',
          kind: 'gauge',
          labels: expect.objectContaining({ ...labels, state: 'used' }),
          values: expect.arrayContaining([12.5]),
        },
        {
          ...both,
          metric: 'system_network_io',
          kind: 'counter',
          labels: expect.objectContaining({ ...labels, device: 'eth0' }),
          values: expect.arrayContaining([7]),
        },
      ]);
    });
  });

  it('stores the same request once, and stores values that are not numbers as null', async () => {
    const body = request(
      load(point({ asInt: '3' }), point({ asDouble: 1.5 }, { timeUnixNano: `${now - MINUTE}000000` })),
      {
        name: 'system.load',
        gauge: {
          dataPoints: [
            point({ asDouble: 'NaN' }, { timeUnixNano: `${now - 2 * MINUTE}000000` }),
            point({ flags: 1 }, { timeUnixNano: `${now - 3 * MINUTE}000000` }),
          ],
        },
      },
    );
    for (let i = 0; i < 2; i++) {
      const answer = await org.controller.post('/v1/metrics', body);
      expect([answer.status, answer.body]).toEqual([200, {}]);
    }
    expect(await stored()).toEqual([expect.objectContaining({ values: [null, null, 1.5, 3] })]);
  });

  it('states how many points were rejected and why, in the format of the request', async () => {
    const delta = {
      name: 'system.network.io',
      sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [point({ asInt: 1 })] },
    };
    const answer = await org.controller.post(
      '/v1/metrics',
      request(load(point({ asInt: 1 }), point({ asInt: 1 }, { timeUnixNano: '5' })), delta),
    );
    expect(answer.status).toBe(200);
    expect(answer.body.partialSuccess).toEqual({
      rejectedDataPoints: '2',
      errorMessage: expect.stringMatching(/older than what is kept.*delta/),
    });
    expect(await stored()).toEqual([expect.objectContaining({ values: [1] })]);
    // A gauge without a time: 0x0a resource metrics, 0x12 scope metrics,
    // 0x12 metric, name and gauge with one empty point.
    const point0 = Buffer.from([0x0a, 0x00]);
    const metric = Buffer.concat([
      Buffer.from([0x0a, 6]),
      Buffer.from('node_x'),
      Buffer.from([0x2a, point0.length]),
      point0,
    ]);
    const nested = [0x12, 0x12, 0x0a].reduce(
      (inner, tag) => Buffer.concat([Buffer.from([tag, inner.length]), inner]),
      metric,
    );
    const bytes = await raw(nested, 'application/x-protobuf');
    expect([bytes.status, bytes.type]).toEqual([200, 'application/x-protobuf']);
    expect(rejectedIn(bytes.body)).toEqual({ rejected: 1, message: expect.stringContaining('node_x') });
  });

  it('rejects only the point whose label holds half a surrogate pair', async () => {
    const labelled = (value: string) =>
      point({ asInt: 1 }, { attributes: [{ key: 'note', value: { stringValue: value } }] });
    const answer = await org.controller.post(
      '/v1/metrics',
      request(load(labelled('\ud800'), labelled('\ud83d\ude00'))),
    );
    expect([answer.status, answer.body.partialSuccess?.rejectedDataPoints]).toEqual([200, '1']);
    expect(await stored()).toEqual([expect.objectContaining({ values: [1] })]);
  });

  const raw = async (body: Buffer, type: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/v1/metrics`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.controller.token}`, 'content-type': type, ...headers },
      body: new Uint8Array(body),
    });
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      body: Buffer.from(await answer.arrayBuffer()),
    };
  };

  it('accepts an empty message of either format', async () => {
    expect((await raw(Buffer.alloc(0), 'application/x-protobuf')).status).toBe(200);
    expect((await raw(Buffer.from('{}'), 'application/json')).status).toBe(200);
  });

  it.each([
    ['not protobuf', Buffer.from('hello, this is no message'), 'application/x-protobuf', {}, 400, 3],
    ['half a message', Buffer.from([0x0a, 0x7f, 0x12]), 'application/x-protobuf', {}, 400, 3],
    ['not gzip', Buffer.from('{}'), 'application/x-protobuf', { 'content-encoding': 'gzip' }, 400, 3],
    [
      'a bomb',
      gzipSync(Buffer.alloc(33 * 1024 * 1024)),
      'application/x-protobuf',
      { 'content-encoding': 'gzip' },
      413,
      8,
    ],
    ['endless parts', Buffer.alloc(8 * 1024 * 1024, Buffer.from([0x0a, 0])), 'application/x-protobuf', {}, 413, 8],
    ['no JSON', Buffer.from('{'), 'application/json', {}, 400, 3],
    ['a list', Buffer.from('[]'), 'application/json', {}, 400, 3],
    ['another encoding', Buffer.from('{}'), 'application/json', { 'content-encoding': 'snappy' }, 415, 3],
  ])('answers %s with a Status', async (_what, body, type, headers, status, code) => {
    const answer = await raw(body, type, headers);
    expect([answer.status, answer.type.split(';')[0]]).toEqual([status, type]);
    const reported =
      type === 'application/json' ? (JSON.parse(answer.body.toString()) as object) : statusIn(answer.body);
    expect(reported).toEqual({ code, message: expect.stringMatching(/./) });
  });

  it.each([
    ['members of other types', { resourceMetrics: { a: 1 } }],
    [
      'lists with elements of any type',
      {
        resourceMetrics: [
          1,
          null,
          'x',
          {
            resource: 7,
            scopeMetrics: [
              {
                scope: [],
                metrics: [
                  { name: 7, gauge: { dataPoints: 3 } },
                  { name: {}, sum: { dataPoints: [null] } },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'attributes of any type',
      request(
        load(
          point(
            { asDouble: 1 },
            {
              attributes: [
                null,
                7,
                { key: 7 },
                { key: 'a', value: 7 },
                { key: 'b', value: { arrayValue: {} } },
                { key: '__proto__', value: { stringValue: 'x' } },
              ],
            },
          ),
        ),
      ),
    ],
  ])('survives %s', async (_what, body) => {
    expect((await org.controller.send('post', '/v1/metrics', JSON.stringify(body), JSON_TYPE)).status).toBe(200);
  });
});
