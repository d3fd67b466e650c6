import { gzipSync } from 'node:zlib';
import { newId } from '../../../../src/1-platform/common/ids';
import { onThisMachine } from '../../../support/machine';
import { RawConnection, type RawAnswer } from '../../../support/raw-http';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { pagedLists } from './paged-lists';

const MEBIBYTE = 1024 * 1024;

describe('an error response', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'main' })).text;
  });
  afterAll(() => service.close());

  const isProblem = (answer: Answer, status: number, code: string): void => {
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: `urn:checkpoint-control-plane:problem:${code}`,
      title: expect.stringMatching(/^[A-Z]/),
      status,
      detail: expect.stringMatching(/./),
      instance: answer.headers['x-request-id'],
      code: expect.stringMatching(/^[a-z_]+$/),
      message: answer.body.detail,
      ...(status === 400 && code === 'validation_failed' ? { errors: expect.any(Array) } : {}),
    });
  };
  /** Sends a raw request, with CRLF at the end of each line. */
  const raw = async (lines: string[], body: string | Buffer = ''): Promise<RawAnswer> => {
    const connection = await RawConnection.open(service.url);
    try {
      connection.write(Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n')), Buffer.from(body)]));
      return await connection.answer();
    } finally {
      connection.close();
    }
  };
  const authorization = () => `Authorization: Bearer ${org.operator.token}`;

  describe('has the same shape', () => {
    it('has the same shape for 400', async () =>
      isProblem(await org.operator.post('/v1/cluster', {}), 400, 'validation_failed'));
    it('has the same shape for 401', async () =>
      isProblem(await service.as(undefined).get('/v1/cluster'), 401, 'unauthenticated'));
    it('has the same shape for 403', async () => isProblem(await org.viewer.post('/v1/cluster', {}), 403, 'forbidden'));
    it('has the same shape for 404 of a row', async () =>
      isProblem(await org.operator.delete(`/v1/cluster/${newId()}`), 404, 'cluster_not_found'));
    it('has the same shape for 404 of a path', async () => {
      for (const path of ['/', '/v1', '/v1/nothing', `/v1/cluster/${newId()}/nothing`, '/v2/cluster'])
        isProblem(await org.operator.get(path), 404, 'not_found');
    });
    it('has the same shape for a method that the path does not have', async () => {
      isProblem(await org.operator.send('patch', '/v1/cluster', undefined, {}), 404, 'not_found');
      isProblem(await org.operator.send('delete', '/v1/pods', undefined, {}), 404, 'not_found');
    });
    it('has the same shape for 409', async () =>
      isProblem(await service.admin.post('/v1/organisations', { name: 'default' }), 409, 'organisation_exists'));
    it('has the same shape for 413', async () => {
      const answer = await org.operator.post('/v1/cluster', { cluster_name: 'x'.repeat(MEBIBYTE) });
      isProblem(answer, 413, 'body_too_large');
    });
    it('has the same shape for 415', async () => {
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonx']) {
        const answer = await org.operator.post('/v1/cluster', '{"cluster_name":"x"}', { 'content-type': type });
        isProblem(answer, 415, 'unsupported_media_type');
        expect(answer.headers.accept).toBe('application/json');
      }
    });
    it('has the same shape for 422', async () => {
      const headers = { 'idempotency-key': newId() };
      await org.operator.post('/v1/cluster', { cluster_name: 'a' }, headers);
      isProblem(await org.operator.post('/v1/cluster', { cluster_name: 'b' }, headers), 422, 'idempotency_key_reused');
    });
    it('has the same shape for 500, without its cause', async () => {
      await service.db.query('alter table clusters rename to clusters_away');
      try {
        const answer = await org.operator.get('/v1/cluster');
        isProblem(answer, 500, 'internal_error');
        expect(answer.text).not.toMatch(/clusters|relation|select|\bat /i);
      } finally {
        await service.db.query('alter table clusters_away rename to clusters');
      }
    });
  });

  describe('to a body', () => {
    const faults = (answer: Answer) => [answer.status, answer.body.errors];

    it('names every unknown member', async () => {
      const body = { name: 'x', budget_usd: 1, colour: 'red', kindd: 'slurm' };
      expect(faults(await org.operator.post('/v1/inference/keys', body))).toEqual([
        400,
        [
          { field: 'colour', message: 'is not a member of this body' },
          { field: 'kindd', message: 'is not a member of this body' },
        ],
      ]);
    });

    it('names at most 100 faults, and refuses thousands of members as a whole', async () => {
      const members = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown_${i}`, i]));
      const many = await org.operator.post('/v1/inference/keys', { name: 'x', ...members(500) });
      expect([many.status, many.body.errors.length]).toEqual([400, 100]);
      expect(many.body.detail).toMatch(/and 495 more$/);
      const more = await org.operator.post('/v1/inference/keys', { name: 'x', ...members(1_000) });
      expect([more.status, more.body.detail]).toEqual([400, 'body must have at most 1000 members']);
      const event = { restore_uuid: newId(), ...members(1_000) };
      expect((await org.controller.post('/v1/restores/events/restore_start', event)).status).toBe(400);
    });

    it('names unknown members of a nested object', async () => {
      const body = { pod_id: newId(), overrides: { streams: 2, stream: 3 } };
      expect(faults(await org.operator.post('/v1/checkpoint/pod', body))).toEqual([
        400,
        [{ field: 'overrides.stream', message: 'is not a member of this body' }],
      ]);
    });

    it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
      'treats %s as an unknown member',
      async (name) => {
        const answer = await org.operator.post('/v1/inference/keys', `{"name":"x","${name}":{"polluted":true}}`);
        expect(faults(answer)).toEqual([400, [{ field: name, message: 'is not a member of this body' }]]);
        const within = await org.operator.post(
          '/v1/checkpoint/pod',
          `{"pod_id":"${newId()}","overrides":{"${name}":{"polluted":true}}}`,
        );
        expect(faults(within)).toEqual([
          400,
          [{ field: `overrides.${name}`, message: 'is not a member of this body' }],
        ]);
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      },
    );

    it('is not sent where further members are allowed: they are stored and returned', async () => {
      const restoreUuid = newId();
      const event = { restore_uuid: restoreUuid, started_at: '2026-01-01T00:00:00Z', vendor_note: { a: [1] } };
      expect((await org.controller.post('/v1/restores/events/restore_start', event)).status).toBe(200);
      const [restore] = (await org.viewer.get(`/v1/restores?restore_uuid=${restoreUuid}`)).body as object[];
      expect(restore).toMatchObject({ vendor_note: { a: [1] } });
    });

    it.each([
      ['nothing', ''],
      ['half an object', '{"cluster_name":'],
      ['a comment', '{"cluster_name":"x"} // x'],
      ['two values', '{"cluster_name":"x"}{}'],
      ['single quotes', "{'cluster_name':'x'}"],
      ['NaN', '{"cluster_name":NaN}'],
      ['a raw line end in a string', '{"cluster_name":"a\nb"}'],
    ])('is 400 for invalid JSON: %s', async (_what, body) => {
      const answer = await org.operator.post('/v1/cluster', body);
      expect(answer.status).toBe(400);
      if (body !== '') expect(answer.body.errors).toEqual([{ field: 'body', message: 'must be valid JSON' }]);
      expect(answer.body.message).not.toContain('cluster_name":');
    });

    it.each(['[]', '"text"', '7', 'true', '[{"cluster_name":"x"}]', '12345678901234567890'])(
      'is 400 for JSON that is not an object: %s',
      async (body) => {
        const answer = await org.operator.post('/v1/cluster', body);
        expect(faults(answer)).toEqual([400, [{ field: 'body', message: 'must be a JSON object' }]]);
      },
    );

    it('is 400 for a body that is not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from('{"cluster_name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const answer = await raw(
        [
          'POST /v1/cluster HTTP/1.1',
          'Host: service',
          authorization(),
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ],
        body,
      );
      expect([answer.status, JSON.parse(answer.body).errors]).toEqual([
        400,
        [{ field: 'body', message: 'must be UTF-8' }],
      ]);
    });

    it('is not sent for a content type with parameters and capitals', async () => {
      const headers = { 'content-type': 'Application/JSON; charset=UTF-8' };
      expect((await org.operator.post('/v1/cluster', '{"cluster_name":"typed"}', headers)).status).toBe(200);
    });

    it.each([
      ['U+0000', '"\\u0000"'],
      ['U+0000 in the middle', '"a\\u0000b"'],
      ['a high surrogate alone', '"\\ud800"'],
      ['a low surrogate alone', '"\\uDC00 x"'],
      ['surrogates the wrong way round', '"\\udc00\\ud800"'],
    ])('is 400 for text that cannot be stored: %s', async (_what, text) => {
      const calls: [string, string, string][] = [
        ['/v1/cluster', `{"cluster_name":${text}}`, 'cluster_name'],
        [
          '/v1/cluster/sync',
          `{"cluster_id":"${clusterId}","metadata":{"a":[${text}]},"resource":{"type":"None"}}`,
          'metadata.a[0]',
        ],
        [
          '/v1/cluster/sync',
          `{"cluster_id":"${clusterId}","resource":{"type":"None","spec":{"b":${text}}}}`,
          'resource.spec.b',
        ],
        ['/v1/cluster/sync', `{"cluster_id":"${clusterId}","metadata":{${text}:1},"resource":{"type":"None"}}`, ''],
      ];
      for (const [path, body, field] of calls) {
        const answer = await org.operator.post(path, body);
        expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'validation_failed']);
        if (field !== '') expect(answer.body.errors[0].field).toBe(field);
      }
    });

    it('is not sent for a surrogate pair, or for an escaped backslash before u0000', async () => {
      const body = `{"cluster_id":"${clusterId}","metadata":["\\ud83e\\uddea","\\\\u0000"],"resource":{"type":"None"}}`;
      expect((await org.operator.post('/v1/cluster/sync', body)).status).toBe(200);
      const [cluster] = (await org.viewer.get('/v1/cluster')).body.filter(({ id }: { id: string }) => id === clusterId);
      expect(cluster.metadata).toEqual(['🧪', '\\u0000']);
    });

    it('is not sent for a member named __proto__ where any member is allowed', async () => {
      const metadata = '{"__proto__":{"a":1},"constructor":2}';
      const body = `{"cluster_id":"${clusterId}","metadata":${metadata},"resource":{"type":"None"}}`;
      expect((await org.operator.post('/v1/cluster/sync', body)).status).toBe(200);
      const { text } = await org.viewer.get('/v1/cluster');
      expect(text).toContain('"__proto__":{"a":1}');
      expect(text).toContain('"constructor":2');
    });

    it.each([
      ['/v1/cluster/sync', (deep: string) => `{"cluster_id":"${clusterId}","resource":{"type":"None","x":${deep}}}`],
      [
        '/v1/cluster/sync',
        (deep: string) =>
          `{"cluster_id":"${clusterId}","resource":{"type":"EngineService","metadata":{"name":"deep"},"x":${deep}}}`,
      ],
      ['/v1/cluster/sync', (deep: string) => `{"metadata":${deep},"resource":{"type":"None"}}`],
      ['/v1/cluster', (deep: string) => `{"cluster_name":${deep}}`],
      ['/v1/cluster', (deep: string) => `{"cluster_name":"x","kind":${deep},"n":12345678901234567890}`],
      ['/v1/restores/events/restore_start', (deep: string) => `{"restore_uuid":"${newId()}","x":${deep}}`],
    ])('is 400, not a crash, for a body nested 100,000 deep: %s', async (path, body) => {
      const answer = await org.controller.post(path, body('['.repeat(100_000) + ']'.repeat(100_000)), {
        authorization: `Bearer ${org.operator.token}`,
      });
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    });
  });

  describe('to a number', () => {
    it.each(['9007199254740992', '-9007199254740992', '12345678901234567890', '1e400', '1.5', '"7"', 'true'])(
      'is 400 for a typed member with the value %s',
      async (number) => {
        const answer = await org.operator.post(
          '/v1/checkpoint/pod',
          `{"pod_id":"${newId()}","overrides":{"streams":${number}}}`,
        );
        expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'overrides.streams']);
      },
    );

    it('is not sent for a member of any type, which keeps every digit', async () => {
      const info =
        '{"big":12345678901234567890,"negative":-9007199254740993,"long":0.1234567890123456789012345,"huge":1e400,"small":7}';
      const id = (await org.controller.post('/v1/checkpoints', {})).text;
      const put = await org.controller.put(`/v1/checkpoints/info/${id}`, `{"gpu":"","platform":"","info":${info}}`);
      expect(put.status).toBe(200);
      const { text } = await org.viewer.get(`/v1/checkpoints?ids=${id}`);
      expect(text).toContain(`"info":${info}`);

      const sync = `{"cluster_id":"${clusterId}","metadata":{"uid":18446744073709551615},"resource":{"type":"None"}}`;
      await org.controller.post('/v1/cluster/sync', sync);
      expect((await org.viewer.get('/v1/cluster')).text).toContain('"uid":18446744073709551615');
    });
  });

  describe('to a parameter', () => {
    it.each(['1001', '999999999', '9007199254740993', '99999999999999999999999'])(
      'is not sent for limit=%s, which is clamped',
      async (limit) => {
        expect((await org.viewer.get(`/v1/pods?limit=${limit}`)).status).toBe(200);
        expect((await org.viewer.get(`/v1/pods/paginated?limit=${limit}`)).status).toBe(200);
        expect((await org.operator.get(`/v1/audit?limit=${limit}`)).status).toBe(200);
      },
    );

    it('is not sent for a large limit: the reply holds at most 1,000 rows', async () => {
      await service.db.query(
        "insert into clusters (org_id, id, name, kind) select $1, gen_random_uuid(), 'many-' || lpad(i::text, 4, '0'), 'kubernetes' from generate_series(1, 1001) i",
        [org.id],
      );
      try {
        for (const path of ['/v1/cluster', '/v1/cluster?limit=5000']) {
          const answer = await org.viewer.get(path);
          expect(answer.body).toHaveLength(1_000);
          expect(answer.headers.link).toBe('</v1/cluster?limit=1000&offset=1000>; rel="next"');
        }
        // The link leads to the next page with the same filter, up to the last page.
        const names: string[] = [];
        let next: string | undefined = '/v1/cluster?kind=kubernetes&limit=400&x=%C3%A9';
        for (let pages = 0; next !== undefined && pages < 10; pages++) {
          const page: Answer = await org.viewer.get(next);
          names.push(...page.body.map(({ name }: { name: string }) => name));
          if (page.headers.link !== undefined) expect(page.headers.link).toContain('kind=kubernetes');
          next = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1];
        }
        expect(names.filter((name) => name.startsWith('many-'))).toHaveLength(1_001);
        expect(new Set(names).size).toBe(names.length);
      } finally {
        await service.db.query("delete from clusters where name like 'many-%'");
      }
    });

    it.each([
      '0',
      '-1',
      '-99999999999999999999',
      'ten',
      '1.5',
      '1e3',
      '0x10',
      ' 5',
      '５',
      '5;drop',
      '%00',
      '1&limit=2',
    ])('is 400 for limit=%s', async (limit) => {
      for (const path of ['/v1/cluster', '/v1/pods/paginated', '/v1/restores']) {
        const answer = await org.viewer.get(
          `${path}?limit=${limit.includes('%') || limit.includes('&') ? limit : encodeURIComponent(limit)}`,
        );
        expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, 'limit']);
      }
    });

    it.each(pagedLists().map(({ id, path }) => [id, path] as const))(
      'is not sent for limit and offset, which %s takes as every list does',
      async (_id, path) => {
        for (const query of ['limit=0', 'limit=x', 'offset=-1', 'offset=x']) {
          const answer = await service.admin.get(`${path}?${query}`);
          expect([query, answer.status]).toEqual([query, 400]);
          const fields = (answer.body.errors as { field: string }[]).map(({ field }) => field);
          expect(fields).toContain(query.split('=')[0]);
        }
      },
    );

    it('is not sent for an empty or an unknown parameter: both are ignored', async () => {
      expect((await org.viewer.get('/v1/cluster?limit=&kind=&colour=red')).status).toBe(200);
    });

    it.each(['/v1/actions/not-an-id', '/v1/operations/1', '/v1/restores/%20', `/v1/jobs/${newId()}x/pods`])(
      'is 400 for a path with an invalid id: %s',
      async (path) => {
        expect((await org.viewer.get(path)).body.code).toBe('validation_failed');
      },
    );

    it.each(['/v1/actions/%E0%A4%A', '/v1/actions/%ED%A0%80', '/v1/actions/%', '/v1/actions/from_pod/%ff'])(
      'is 400 for invalid percent-encoding: %s',
      async (path) => {
        const answer = await raw([`GET ${path} HTTP/1.1`, 'Host: service', authorization(), 'Connection: close']);
        expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'bad_request']);
      },
    );

    it('is 4xx for text in a path or a query that PostgreSQL cannot store', async () => {
      for (const path of [
        '/v1/actions/from_pod/%00',
        '/v1/pods?id=%00',
        '/v1/pods/count?status=%00',
        '/v1/checkpoint/path?name=%00',
        '/v1/audit?actor=%00',
        `/v1/pods/paginated?pod_name=${'x'.repeat(2_000)}`,
        '/v1/jobs/by-priority/99999999999',
      ]) {
        const { status } = await org.operator.get(path);
        expect([path, [400, 404].includes(status) ? 'refused' : status]).toEqual([path, 'refused']);
      }
    });
  });

  describe('to the size of a body', () => {
    const sized = (bytes: number): string => {
      const [head, tail] = [`{"cluster_id":"${clusterId}","resource":{"type":"None","x":["`, '"]}}'];
      const text = 'x'.repeat(bytes - head.length - tail.length);
      // One text may have at most 1 MiB.
      return head + text.replace(/x{1024}/g, `${'x'.repeat(1021)}","`) + tail;
    };

    it('is not sent up to 32 MiB on syncs, and is 413 one byte above', async () => {
      expect((await org.controller.post('/v1/cluster/sync', sized(32 * MEBIBYTE))).status).toBe(200);
      expect((await org.controller.post('/v1/cluster/sync', sized(32 * MEBIBYTE + 1))).status).toBe(413);
    });

    it('is not sent up to 1 MiB elsewhere, and is 413 one byte above', async () => {
      // The name is refused for its length, so the body was read.
      const body = (bytes: number) => JSON.stringify({ cluster_name: 'x'.repeat(bytes - 19) });
      expect(body(MEBIBYTE)).toHaveLength(MEBIBYTE);
      expect((await org.operator.post('/v1/cluster', body(MEBIBYTE))).status).toBe(400);
      expect((await org.operator.post('/v1/cluster', body(MEBIBYTE + 1))).status).toBe(413);
    });

    it('depends on the inflated size, not on the size on the wire', async () => {
      const send = (bytes: Buffer, encoding: string) =>
        raw(
          [
            'POST /v1/cluster HTTP/1.1',
            'Host: service',
            authorization(),
            'Content-Type: application/json',
            `Content-Encoding: ${encoding}`,
            `Content-Length: ${bytes.length}`,
          ],
          bytes,
        );
      const small = await send(gzipSync('{"cluster_name":"zipped"}'), 'gzip');
      expect(small.status).toBe(200);
      const bomb = gzipSync(JSON.stringify({ cluster_name: '0'.repeat(64 * MEBIBYTE) }));
      expect(bomb.length).toBeLessThan(MEBIBYTE);
      const large = await send(bomb, 'gzip');
      expect([large.status, JSON.parse(large.body).code]).toEqual([413, 'body_too_large']);
      const broken = await send(Buffer.from('not gzip at all'), 'gzip');
      expect([broken.status, JSON.parse(broken.body).code]).toEqual([400, 'bad_request']);
      const unknown = await send(Buffer.from('{}'), 'compress');
      expect([unknown.status, JSON.parse(unknown.body).code]).toEqual([415, 'unsupported_media_type']);
    });

    it('is 413 as soon as a body without a declared length is too long', async () => {
      const connection = await RawConnection.open(service.url);
      try {
        connection.write(
          `POST /v1/cluster HTTP/1.1\r\nHost: service\r\n${authorization()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
        const chunk = 'x'.repeat(256 * 1024);
        for (let sent = 0; sent < 5; sent++) connection.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
        // The body never ends: the answer must not wait for it.
        expect((await connection.answer()).status).toBe(413);
        // The rest is discarded, and the connection stays usable.
        connection.write(`2\r\n"}\r\n0\r\n\r\nGET /v1/user HTTP/1.1\r\nHost: service\r\n${authorization()}\r\n\r\n`);
        expect((await connection.answer()).status).toBe(200);
      } finally {
        connection.close();
      }
    });

    it('is 400 for a member of any type above 256 KiB', async () => {
      const body = (bytes: number) => ({
        cluster_id: clusterId,
        metadata: 'x'.repeat(bytes - 2),
        resource: { type: 'None' },
      });
      expect((await org.controller.post('/v1/cluster/sync', body(256 * 1024))).status).toBe(200);
      const answer = await org.controller.post('/v1/cluster/sync', body(256 * 1024 + 1));
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'metadata']);
    });

    it('comes before the body is read if the caller is unknown', async () => {
      const connection = await RawConnection.open(service.url);
      try {
        connection.write(
          'POST /v1/cluster/sync HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n{',
        );
        expect((await connection.answer()).status).toBe(401);
      } finally {
        connection.close();
      }
    });
  });

  describe('to a client that accepts text', () => {
    it('is the bare value', async () => {
      const answer = await org.operator.post('/v1/cluster', { cluster_name: 'main' });
      expect([answer.text, answer.headers['content-type']]).toEqual([clusterId, 'text/plain; charset=utf-8']);
      expect(answer.headers['content-length']).toBe('36');
    });
  });

  describe('and its headers', () => {
    it('return the request id of the caller, or a new one', async () => {
      const given = await org.viewer.get('/v1/user', { 'x-request-id': 'deploy-42.a_B' });
      expect(given.headers['x-request-id']).toBe('deploy-42.a_B');
      const problem = await service.as(undefined).get('/v1/user', { 'x-request-id': 'mine' });
      expect([problem.headers['x-request-id'], problem.body.instance]).toEqual(['mine', 'mine']);
      for (const bad of ['two words', 'x'.repeat(129), '<script>', '']) {
        const { headers } = await org.viewer.get('/v1/user', { 'x-request-id': bad });
        expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/);
      }
    });

    it('forbid caching and content sniffing', async () => {
      for (const answer of [await org.viewer.get('/v1/cluster'), await service.as(undefined).get('/v1/cluster')]) {
        expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
        expect(answer.headers['x-powered-by']).toBeUndefined();
      }
    });

    it.each([
      "' or '1'='1",
      "x'; drop table access_tokens; --",
      '${jndi:ldap://x}',
      '../../etc/passwd',
      'a'.repeat(8_193),
      'a.b.c',
      '%27%20or%201=1',
    ])('refuse the bearer %s quickly', async (bearer) => {
      const started = performance.now();
      const answer = await service.as(undefined).get('/v1/user', { authorization: `Bearer ${bearer}` });
      expect(answer.status).toBe(401);
      expect(performance.now() - started).toBeLessThan(onThisMachine(1_000));
    });

    it('refuse two Host headers', async () => {
      const answer = await raw(['GET /livez HTTP/1.1', 'Host: service', 'Host: other', 'Connection: close']);
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'bad_request']);
    });

    it.each(['http://other/v1/user', 'http://service/livez', '*'])('refuse the request target %s', async (target) => {
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const answer = await raw([`${method} ${target} HTTP/1.1`, 'Host: service', authorization(), 'Connection: close']);
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'bad_request']);
    });

    it.each([
      ['a length twice', ['Content-Length: 2', 'Content-Length: 3']],
      ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
      ['a folded header', ['X-A: 1', ' folded']],
      ['a space before the colon', ['Transfer-Encoding : chunked']],
    ])('refuse requests that could be used for smuggling: %s', async (_what, lines) => {
      const answer = await raw(['POST /v1/cluster HTTP/1.1', 'Host: service', authorization(), ...lines], '{}');
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toContain('application/problem+json');
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'bad_request', instance: answer.headers['x-request-id'] });
    });

    it('refuse request headers above 16 KiB, in the same shape', async () => {
      const answer = await raw(['GET /livez HTTP/1.1', 'Host: service', `X-Long: ${'x'.repeat(20_000)}`]);
      expect([answer.status, JSON.parse(answer.body).status]).toEqual([431, 431]);
    });
  });
});
