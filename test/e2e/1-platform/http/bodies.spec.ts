import { brotliCompressSync, gzipSync } from 'node:zlib';
import { newId } from '../../../../src/1-platform/common/ids';
import { BodyMemory } from '../../../../src/1-platform/http/bodies/body-memory';
import { eventually } from '../../../support/eventually';
import { endingsOf, RawConnection, type RawAnswer } from '../../../support/raw-http';
import { Service, type Answer, type Organisation } from '../../../support/service';

const MEBIBYTE = 1024 * 1024;

/** Bodies that each break one rule, small enough to read. */
const post = (
  path: string,
  token: string | undefined,
  body: Buffer | string,
  headers: readonly string[] = [],
): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `POST ${path} HTTP/1.1`,
        'Host: service',
        ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...headers,
        '',
        '',
      ].join('\r\n'),
    ),
    Buffer.from(body),
  ]);

describe('a request body', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start({ bodyMemoryBytes: 200 * MEBIBYTE });
    org = await service.organisation();
    clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'main' })).text;
  });
  afterAll(() => service.close());

  const memory = () => service.app.get<unknown>(BodyMemory) as { held: number };
  /** Resolves once so much is reserved. */
  const holds = (bytes: number): Promise<void> => eventually(() => expect(memory().held).toBeGreaterThanOrEqual(bytes));
  const onOneConnection = async (work: (connection: RawConnection) => Promise<void>): Promise<void> => {
    const connection = await RawConnection.open(service.url);
    try {
      await work(connection);
    } finally {
      connection.close();
    }
  };
  const problemOf = ({ status, body }: RawAnswer): unknown[] => [status, (JSON.parse(body) as { code: string }).code];
  const faultsOf = (answer: Answer): unknown[] => [
    answer.status,
    ...((answer.body.errors ?? []) as { field: string; message: string }[]).map(
      ({ field, message }) => `${field} ${message}`,
    ),
  ];

  describe('that is refused while it arrives', () => {
    it.each([
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ])('leaves the connection usable for the next request: %s', async (encoding, compress) => {
      // Refused after its first kilobytes. The rest does not fit in the buffers of a connection.
      const bomb = compress(Buffer.alloc(16 * MEBIBYTE, '0'));
      const padded = Buffer.concat([bomb, Buffer.alloc(771 * 1024 - bomb.length)]);
      await onOneConnection(async (connection) => {
        const next = post('/v1/cluster', org.operator.token, '{"cluster_name":"next"}');
        connection.write(post('/v1/cluster', org.operator.token, padded, [`Content-Encoding: ${encoding}`]));
        expect(problemOf(await connection.answer())).toEqual([413, 'body_too_large']);
        const began = performance.now();
        connection.write(next);
        expect((await connection.answer()).status).toBe(200);
        expect(performance.now() - began).toBeLessThan(5_000);
      });
    });

    it('leaves the connection usable for the next request: broken gzip', async () => {
      await onOneConnection(async (connection) => {
        connection.write(
          post('/v1/cluster', org.operator.token, Buffer.alloc(300 * 1024, 'x'), ['Content-Encoding: gzip']),
        );
        expect(problemOf(await connection.answer())).toEqual([400, 'bad_request']);
        connection.write(post('/v1/cluster', org.operator.token, '{"cluster_name":"next"}'));
        expect((await connection.answer()).status).toBe(200);
      });
    });
  });

  it('may inflate to 100 times its size plus 1 MiB, and no further', async () => {
    const send = async (body: Buffer) => {
      let answer: RawAnswer | undefined;
      await onOneConnection(async (connection) => {
        connection.write(post('/v1/cluster/sync', org.controller.token, body, ['Content-Encoding: gzip']));
        answer = await connection.answer();
      });
      return answer as RawAnswer;
    };
    // Blank lines: each is a text of the resource, within the limit for one text.
    const resource = (texts: number) =>
      Buffer.from(
        JSON.stringify({
          cluster_id: clusterId,
          resource: { type: 'None', x: Array(texts).fill(' '.repeat(1021)) },
        }),
      );
    const within = gzipSync(resource(1_000));
    expect(within.length * 100 + MEBIBYTE).toBeGreaterThan(1_000 * 1024);
    expect((await send(within)).status).toBe(200);
    const beyond = gzipSync(resource(30 * 1024), { level: 9 });
    expect(beyond.length * 100 + MEBIBYTE).toBeLessThan(30 * MEBIBYTE);
    const answer = await send(beyond);
    expect(problemOf(answer)).toEqual([413, 'body_too_large']);
    expect(answer.body).toContain('100 times');
  });

  describe('in JSON', () => {
    it.each<[string, string, string, string]>([
      [
        'samples without members',
        '/v1/inference/router/metrics',
        `{"samples":[${Array(10_001).fill('{}').join()}]}`,
        'samples must hold at most 10000 elements',
      ],
      [
        'millions of samples',
        '/v1/inference/router/metrics',
        `{"samples":[${Array(2_900_000).fill('{}').join()}]}`,
        'body must not hold more than 2000000 arrays, objects and long numbers',
      ],
      [
        'targets of a route',
        '/v1/inference/routes',
        `{"logical_model":"m","mode":"priority","targets":[${Array(11_000).fill('{}').join()}]}`,
        'body must not hold more than 10000 arrays, objects and long numbers',
      ],
      [
        'long numbers',
        '/v1/cluster/sync',
        `{"resource":{"type":"None","x":[${Array(740_000).fill('12345678901234567').join()}]}}`,
        'body must not hold more than 100000 arrays, objects and long numbers',
      ],
      [
        'different keys',
        '/v1/cluster/sync',
        `{"resource":{"type":"None","x":{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join()}}}}`,
        'body must not hold an object of more than 10000 members',
      ],
      [
        'values',
        '/v1/cluster',
        `{"cluster_name":[${Array(200_000).fill('1').join()}]}`,
        'body must not hold more than 100000 values',
      ],
      [
        'one long text',
        '/v1/cluster/sync',
        `{"resource":{"type":"None","x":"${'x'.repeat(2 * MEBIBYTE)}"}}`,
        'body must not hold a text of more than 1048576 bytes',
      ],
    ])('is refused for its structure before it is parsed: %s', async (_what, path, body, fault) => {
      expect(faultsOf(await org.admin.post(path, body))).toEqual([400, fault]);
    });

    it('gets a bounded number of faults when 10,000 elements are wrong', async () => {
      const answer = await org.controller.post('/v1/inference/router/metrics', { samples: Array(10_000).fill({}) });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveLength(100);
      expect(answer.body.errors[0]).toEqual({ field: 'samples[0].route', message: 'is required' });
    });

    it('is refused with 400 when a chat holds 20,001 arrays', async () => {
      const body = `{"model":"m","messages":[${Array(20_000).fill('[]').join()}]}`;
      const answer = await org.operator.post('/v1/inference/chat/completions', body);
      expect(faultsOf(answer)).toEqual([400, 'body must not hold more than 20000 arrays, objects and long numbers']);
    });

    it('is refused when it is large and not JSON or not UTF-8', async () => {
      const large = (end: string | Buffer) =>
        Buffer.concat([
          Buffer.from(`{"cluster_id":"${clusterId}","resources":[${Array(9_000).fill('{"type":"None"}').join()}`),
          Buffer.from(end),
        ]);
      const send = async (end: string | Buffer): Promise<unknown> => {
        let answer: unknown;
        await onOneConnection(async (connection) => {
          connection.write(post('/v1/cluster/sync/batch', org.controller.token, large(end)));
          const { body } = await connection.answer();
          answer = (JSON.parse(body) as { detail?: string }).detail ?? JSON.parse(body);
        });
        return answer;
      };
      expect(await send(']}')).toEqual({ synced: 9_000, failed: [] });
      for (const end of [']', ',]}', ']}}', '},{}]}', '}]']) expect(await send(end)).toBe('body must be valid JSON');
      expect(await send(Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x5d, 0x7d]))).toBe('body must be UTF-8');
    });
  });

  describe('in YAML', () => {
    const yaml = (text: string) =>
      org.operator.post('/v1/cluster/workload', text, { 'content-type': 'application/yaml' });
    const manifest = (text: string) =>
      `cluster_id: ${clusterId}\njob:\n  kind: Job\n  metadata: {name: a}\n  spec: ${text}\n`;

    it('is read', async () => {
      expect((await yaml(manifest('{a: [1, 0x10, true]}'))).status).toBe(200);
    });

    it.each([
      [
        'too many arrays',
        manifest(`[${'[],'.repeat(20_000)}]`),
        'body must not hold more than 10000 arrays, objects and long numbers',
      ],
      ['tabs', '\t'.repeat(20_000), 'body must hold exactly one of deployment, job, pod'],
      ['closing braces', '}'.repeat(20_000), 'body must be valid YAML'],
    ])('is refused with 400 and a reason: %s', async (_what, text, fault) => {
      const answer = await yaml(text);
      expect(faultsOf(answer)).toEqual([400, fault]);
    });
  });

  describe('with unknown members', () => {
    const telemetry = (more: object) =>
      org.controller.post('/v1/inference/router/telemetry', { request_id: newId(), logical_model: 'm', ...more });

    it('is accepted in a report: X-Ignored-Members names the ignored members', async () => {
      const answer = await telemetry({ colour: 'red', 'a, b': 1 });
      expect([answer.status, answer.headers['x-ignored-members']]).toEqual([200, 'colour, a%2C%20b']);
      expect((await telemetry({})).headers['x-ignored-members']).toBeUndefined();
    });

    it('is accepted in a report: unknown members of nested objects are ignored and named once', async () => {
      const sample = { route: 'm', profile_id: 'p', metric_name: 'queue_depth', value: 1, timestamp: 1 };
      const samples = Array.from({ length: 300 }, (_, n) => ({ ...sample, timestamp: n, unit: 's' }));
      const answer = await org.controller.post('/v1/inference/router/metrics', { samples, source: 'x' });
      expect([answer.status, answer.headers['x-ignored-members']]).toEqual([200, 'source, samples[].unit']);
    });

    it('is accepted in a report: at most 20 ignored members are named', async () => {
      const more = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`m${n}`, n]));
      const named = (await telemetry(more)).headers['x-ignored-members'];
      expect(named?.split(', ')).toEqual(Object.keys(more).slice(0, 20));
    });

    it.each(['__proto__', 'constructor', 'toString'])(
      'is accepted in a report: a member named %s is ignored too',
      async (name) => {
        const body = `{"request_id":"${newId()}","logical_model":"m","${name}":{"polluted":true}}`;
        const answer = await org.controller.post('/v1/inference/router/telemetry', body);
        expect([answer.status, answer.headers['x-ignored-members']]).toEqual([200, name]);
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      },
    );

    it('is refused in a report if a known member is wrong', async () => {
      expect(faultsOf(await telemetry({ colour: 'red', status_code: 'x' }))[0]).toBe(400);
    });
  });

  describe('and the memory that all bodies share', () => {
    it('is refused before it is read when no memory is left', async () => {
      const unread = (): Buffer =>
        Buffer.from(
          [
            'POST /v1/cluster/sync/batch HTTP/1.1',
            'Host: service',
            `Authorization: Bearer ${org.controller.token}`,
            'Content-Type: application/json',
            `Content-Length: ${30 * MEBIBYTE}`,
            '',
            '',
          ].join('\r\n'),
        );
      await onOneConnection(async (first) => {
        first.write(unread());
        // The first request reserves most of the memory and sends nothing.
        await holds(30 * MEBIBYTE);
        await onOneConnection(async (second) => {
          second.write(unread());
          const answer = await second.answer();
          expect(problemOf(answer)).toEqual([503, 'body_memory_exhausted']);
          expect(answer.headers['retry-after']).toBe('1');
        });
        expect((await org.operator.post('/v1/cluster', { cluster_name: 'small' })).status).toBe(200);
      });
      // The memory is free again after the first client disconnected.
      await eventually(() => expect(memory().held).toBe(0));
      const resources = Array(200).fill({ type: 'None', x: Array(100).fill('x'.repeat(1_000)) });
      expect((await org.controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources })).status).toBe(
        200,
      );
    });
  });

  describe('of unknown size', () => {
    const chunk = (bytes: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    const head = (token: string | undefined, ...headers: string[]): string =>
      [
        'POST /v1/cluster/sync/batch HTTP/1.1',
        'Host: service',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        ...headers,
        '',
        '',
      ].join('\r\n');
    const begin = Buffer.from(`{"cluster_id":"`);
    /** Its sender goes on whenever the test says so. */
    const inChunks = (token: string | undefined): Buffer =>
      Buffer.concat([Buffer.from(head(token, 'Transfer-Encoding: chunked')), chunk(begin)]);
    const large = (tenant: string): Buffer => {
      const resources = JSON.stringify(Array(280).fill({ type: 'None', x: Array(100).fill('x'.repeat(1_000)) }));
      return Buffer.from(`{"cluster_id":"${tenant}","resources":${resources}}`);
    };
    const opened: RawConnection[] = [];
    const open = async (): Promise<RawConnection> => {
      const connection = await RawConnection.open(service.url);
      opened.push(connection);
      return connection;
    };
    afterEach(() => {
      for (const connection of opened.splice(0)) connection.close();
    });

    it.each<[string, (token: string | undefined) => Buffer]>([
      ['in chunks', inChunks],
      [
        'compressed',
        (token) =>
          Buffer.concat([
            Buffer.from(head(token, 'Content-Encoding: gzip', `Content-Length: ${MEBIBYTE}`)),
            gzipSync(begin).subarray(0, 12),
          ]),
      ],
    ])('takes no memory from other organisations while a slow client sends it: %s', async (_how, slow) => {
      const other = await service.organisation();
      const { text: cluster } = await other.operator.post('/v1/cluster', { cluster_name: 'other' });
      for (let sender = 0; sender < 5; sender++) (await open()).write(slow(org.controller.token));
      await new Promise((resolve) => setTimeout(resolve, 300));
      const batch = large(cluster);
      expect(batch.length).toBeGreaterThan(24 * MEBIBYTE);
      const connection = await open();
      connection.write(post('/v1/cluster/sync/batch', other.controller.token, batch));
      expect((await connection.answer()).status).toBe(200);
    });

    it('takes the memory of its decoder too, of which the collector would run for others', async () => {
      const other = await service.organisation();
      // No more than its first bytes ever arrive.
      const stalled = Buffer.concat([
        Buffer.from(head(org.controller.token, 'Content-Encoding: br', `Content-Length: ${MEBIBYTE}`)),
        brotliCompressSync(begin).subarray(0, 4),
      ]);
      const answers: number[] = [];
      for (let sender = 0; sender < 60; sender++) {
        const connection = await open();
        connection.write(stalled);
        connection.answer().then(
          ({ status }) => answers.push(status),
          () => undefined,
        );
      }
      // One organisation may hold half of 200 MiB, and each takes 4 MiB and a little.
      await eventually(() => Promise.resolve(expect(answers.length).toBe(60 - 24)));
      expect(new Set(answers)).toEqual(new Set([503]));
      const body = brotliCompressSync(JSON.stringify({ cluster_name: 'compressed' }));
      const small = [
        'POST /v1/cluster HTTP/1.1',
        'Host: service',
        `Authorization: Bearer ${other.operator.token}`,
        'Content-Type: application/json',
        'Content-Encoding: br',
        `Content-Length: ${body.length}`,
        '\r\n',
      ];
      const connection = await open();
      connection.write(Buffer.concat([Buffer.from(small.join('\r\n')), body]));
      expect((await connection.answer()).status).toBe(200);
    });

    it('is refused if it comes in very many tiny chunks, and its connection ends: with a bearer, and without', async () => {
      const flood = '1\r\n \r\n'.repeat(10_000);
      const before = await endingsOf(service.url, 'tiny_chunks');
      const connection = await open();
      connection.write(head(org.controller.token, 'Transfer-Encoding: chunked') + flood);
      await connection.closed();
      // A stranger goes on to send after the refusal.
      const stranger = await open();
      stranger.write(head(undefined, 'Transfer-Encoding: chunked'));
      expect((await stranger.answer()).status).toBe(401);
      stranger.write(flood);
      await stranger.closed();
      expect(await endingsOf(service.url, 'tiny_chunks')).toBe(before + 2);
      expect((await org.operator.get('/v1/user')).status).toBe(200);
    });

    it('may come in many chunks', async () => {
      const bytes = Buffer.from(JSON.stringify({ cluster_name: 'in pieces', note: 'x'.repeat(400_000) }));
      const connection = await open();
      connection.write(head(org.operator.token, 'Transfer-Encoding: chunked').replace('/sync/batch', ''));
      for (let at = 0; at < 4_000; at++) connection.write(chunk(bytes.subarray(at, at + 1)));
      for (let at = 4_000; at < bytes.length; at += 80) connection.write(chunk(bytes.subarray(at, at + 80)));
      connection.write('0\r\n\r\n');
      expect((await connection.answer()).status).toBe(200);
    });

    it('is refused while it arrives when its organisation holds half of the memory', async () => {
      const other = await service.organisation();
      const { text: cluster } = await other.operator.post('/v1/cluster', { cluster_name: 'other' });
      const part = chunk(Buffer.alloc(MEBIBYTE, 'a'));
      const [first, second] = [await open(), await open()];
      for (const connection of [first, second]) connection.write(inChunks(org.controller.token));
      // Four bytes are reserved for each that has arrived, of 200 MiB in all.
      for (let sent = 0; sent < 16; sent++) first.write(part);
      await holds(4 * 16 * MEBIBYTE);
      for (let sent = 0; sent < 14; sent++) second.write(part);
      const refused = await second.answer();
      expect(problemOf(refused)).toEqual([503, 'body_memory_exhausted']);
      expect(refused.headers['retry-after']).toBe('1');
      const third = await open();
      third.write(post('/v1/cluster/sync/batch', other.controller.token, large(cluster)));
      expect((await third.answer()).status).toBe(200);
      // The one that had its memory goes on.
      first.write(Buffer.concat([chunk(Buffer.from('"}')), Buffer.from('0\r\n\r\n')]));
      expect((await first.answer()).status).toBe(400);
    });

    it('is read like any other', async () => {
      const connection = await open();
      connection.write(inChunks(org.controller.token));
      const rest = large(clusterId).subarray(begin.length);
      for (let at = 0; at < rest.length; at += 3 * MEBIBYTE)
        connection.write(chunk(rest.subarray(at, at + 3 * MEBIBYTE)));
      connection.write('0\r\n\r\n');
      expect((await connection.answer()).status).toBe(200);
    });
  });

  describe('of a client that waits for 100 Continue', () => {
    const head = (token: string | undefined, length: number, expectation: string): string =>
      [
        'POST /v1/cluster HTTP/1.1',
        'Host: service',
        ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        `Expect: ${expectation}`,
        '',
        '',
      ].join('\r\n');
    const body = '{"cluster_name":"waited"}';

    it('is requested if the caller may send it, and the connection stays open', async () => {
      await onOneConnection(async (connection) => {
        for (let time = 0; time < 2; time++) {
          connection.write(head(org.operator.token, body.length, '100-continue'));
          expect((await connection.answer()).status).toBe(100);
          connection.write(body);
          expect((await connection.answer()).status).toBe(200);
        }
      });
    });

    it.each<[string, () => string | undefined, number, unknown[]]>([
      ['nobody', () => undefined, 10, [401, 'unauthenticated']],
      ['a caller without permission', () => org.viewer.token, 10, [403, 'forbidden']],
      ['a caller whose body is too large', () => org.operator.token, 2 * MEBIBYTE, [413, 'body_too_large']],
    ])('is not requested from %s: the refusal comes at once', async (_who, token, length, problem) => {
      await onOneConnection(async (connection) => {
        connection.write(head(token(), length, '100-continue'));
        const answer = await connection.answer();
        expect(problemOf(answer)).toEqual(problem);
        expect(answer.headers.connection).toBe('close');
      });
    });

    it('is refused with 417 and a request id when the client expects anything else', async () => {
      await onOneConnection(async (connection) => {
        connection.write(head(org.operator.token, body.length, 'a-miracle'));
        const answer = await connection.answer();
        expect(problemOf(answer)).toEqual([417, 'expectation_failed']);
        expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
        expect((JSON.parse(answer.body) as { instance: string }).instance).toBe(answer.headers['x-request-id']);
      });
    });
  });
});
