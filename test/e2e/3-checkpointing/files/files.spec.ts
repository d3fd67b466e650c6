import { randomBytes } from 'node:crypto';
import { newId } from '../../../../src/1-platform/common/ids';
import { eventually } from '../../../support/eventually';
import { describeStages, fetched, put, type Stage } from '../../../support/plugins';
import type { Answer, Caller, Organisation } from '../../../support/service';

const refusal = ({ status, body }: Answer): unknown[] => [status, body.code, body.errors?.[0]?.field];

describeStages('files', (kind) => {
  let stage: Stage;
  let org: Organisation;
  let agent: Caller;

  beforeAll(async () => {
    stage = await kind.start();
    org = await stage.service.organisation();
    agent = org.controller;
  });
  afterAll(() => stage.close());

  const store = async (path: string, bytes: Buffer = Buffer.from(path)): Promise<void> => {
    const { status, text } = await agent.put(`/v1/files/${path}`);
    expect([status, text]).toEqual([200, expect.stringMatching(/^http:/)]);
    expect((await put(text, bytes)).status).toBe(200);
  };
  const load = async (path: string): Promise<Buffer> =>
    (await fetched((await agent.get(`/v1/files/${path}`)).text)).bytes;
  const names = async (directory: string, query = ''): Promise<string[]> =>
    (await org.viewer.get(`/v1/files/dir/${directory}${query}`)).body as string[];

  it('are stored and fetched at signed addresses, byte for byte', async () => {
    const bytes = randomBytes(300_000);
    await store('there/images.000.zst', bytes);
    expect(await load('there/images.000.zst')).toEqual(bytes);
    await store('there/images.000.zst', Buffer.alloc(0));
    expect(await load('there/images.000.zst')).toEqual(Buffer.alloc(0));
  });

  it('have paths whose slashes may be escaped, as generated clients escape them', async () => {
    await store(encodeURIComponent('escaped/a/b'), Buffer.from('escaped'));
    expect((await load('escaped/a/b')).toString()).toBe('escaped');
    expect(await names(encodeURIComponent('escaped/a'))).toEqual(['b']);
  });

  it('answers 404 for a missing file, and 204 for its removal', async () => {
    expect(refusal(await agent.get('/v1/files/missing/file'))).toEqual([404, 'file_not_found', undefined]);
    expect((await agent.delete('/v1/files/missing/file')).status).toBe(204);
    expect(await names('missing')).toEqual([]);
  });

  it('are gone after their removal, with their empty directories', async () => {
    await store('removed/a/b/one');
    await store('removed/two');
    expect((await agent.delete('/v1/files/removed/a/b/one')).status).toBe(204);
    expect(refusal(await agent.get('/v1/files/removed/a/b/one'))).toEqual([404, 'file_not_found', undefined]);
    expect(await names('removed')).toEqual(['two']);
    expect((await org.operator.delete('/v1/files/removed/two')).status).toBe(204);
    expect(await names('removed')).toEqual([]);
    await store('removed/a/b/one');
    expect(await names('removed/a/b/')).toEqual(['one']);
  });

  it('leave an audit entry when they are removed', async () => {
    const path = `audited/${newId()}`;
    await store(path);
    await agent.delete(`/v1/files/${path}`);
    const { body } = await org.operator.get(`/v1/audit?resource=${encodeURIComponent(path)}`);
    expect(body).toMatchObject([{ action: 'delete_file', resource_type: 'file', resource_id: path }]);
  });

  it('are listed in order, page by page, and directories end in a slash', async () => {
    const files = ['a', 'b-1', 'b.1', 'b/1', 'b/2', 'b/x/1', 'b0', 'c/1', 'd', 'e/1', 'z'];
    for (const file of files) await store(`listed/${file}`);
    const expected = ['a', 'b-1', 'b.1', 'b/', 'b0', 'c/', 'd', 'e/', 'z'];
    // A bucket may show a new object a moment later.
    await eventually(async () => expect(await names('listed')).toEqual(expected));
    expect(await names('listed/b')).toEqual(['1', '2', 'x/']);
    for (const limit of [1, 2, 3, 8, 9, 10]) {
      const seen: string[] = [];
      let next: string | undefined = `/v1/files/dir/listed?limit=${limit}`;
      for (let pages = 0; next !== undefined; pages++) {
        expect(pages).toBeLessThan(expected.length + 1);
        const { body, headers }: Answer = await org.viewer.get(next);
        expect((body as string[]).length).toBeLessThanOrEqual(limit);
        seen.push(...(body as string[]));
        next = /^<(.+)>; rel="next"$/.exec(headers.link ?? '')?.[1];
      }
      expect([limit, seen]).toEqual([limit, expected]);
    }
    for (const after of ['b/', 'b', 'b.1', 'z', 'zz'])
      expect([after, await names('listed', `?after=${encodeURIComponent(after)}`)]).toEqual([
        after,
        expected.filter((name) => name > after),
      ]);
  });

  it.each([
    '..',
    '../other',
    'a/../b',
    'a/..',
    '%2e%2e/a',
    'a%2F..%2Fb',
    'a//b',
    'a/',
    '.hidden',
    'a/.hidden',
    '-a',
    'a b',
    'a%00',
    'a%5Cb',
    'ä',
    'a%25',
    `${'a'.repeat(201)}`,
    `${'a/'.repeat(400)}a`,
    'dir/a',
    'DIR%2Fa',
  ])('cannot have the path %s: 400 names the parameter', async (path) => {
    // Sent as it is: clients normalise paths.
    const raw = (method: string) => fetchRaw(stage.service.url, method, `/v1/files/${path}`, agent.token ?? '');
    const methods = path === 'dir/a' ? ['PUT', 'DELETE'] : ['GET', 'PUT', 'DELETE'];
    for (const method of methods) expect([method, ...(await raw(method))]).toEqual([method, 400, 'path']);
  });

  it.each(['after=..', 'after=a%2Fb', 'limit=0'])('are not listed with %s: 400', async (query) => {
    const answer = await org.viewer.get(`/v1/files/dir/listed?${query}`);
    expect(refusal(answer)).toEqual([400, 'validation_failed', query.split('=')[0]]);
  });

  it('refuses to store files that are too large, or does not serve them', async () => {
    const small = await stage.service.replica({ objectMaxBytes: 400 });
    const caller = small.as(agent.token);
    const sizes = async (bytes: number) => {
      const sent = await put((await caller.put('/v1/files/large')).text, randomBytes(bytes));
      return [sent.status, (await caller.get('/v1/files/large')).body.code];
    };
    expect(await sizes(401)).toEqual(kind.name === 'a directory' ? [413, 'file_not_found'] : [200, 'file_too_large']);
    expect(await sizes(400)).toEqual([200, undefined]);
  });

  it('have addresses that are valid for one method, and expire', async () => {
    await store('expiring');
    const brief = (await stage.brief()).as(agent.token);
    let [up, down] = ['', ''];
    await eventually(async () => {
      up = (await brief.put('/v1/files/expiring')).text;
      // Signed last, so it expires last.
      down = (await brief.get('/v1/files/expiring')).text;
      expect((await fetched(down)).status).toBe(200);
    });
    expect([(await fetched(up)).status, (await put(down, Buffer.from('x'))).status]).toEqual([403, 403]);
    stage.expire();
    await eventually(async () => expect((await fetched(down)).status).toBe(403));
    expect((await put(up, Buffer.from('x'))).status).toBe(403);
    expect((await load('expiring')).toString()).toBe('expiring');
  });

  it('can be uploaded while the directory around them is emptied', async () => {
    const rounds = Array.from({ length: 30 }, (_, round) => round);
    for (const round of rounds) {
      await store('busy/a/old');
      const removal = agent.delete('/v1/files/busy/a/old');
      await store(`busy/a/new-${round}`);
      expect((await removal).status).toBe(204);
      expect((await load(`busy/a/new-${round}`)).toString()).toBe(`busy/a/new-${round}`);
      await agent.delete(`/v1/files/busy/a/new-${round}`);
    }
  });
});

async function fetchRaw(url: string, method: string, path: string, token: string): Promise<unknown[]> {
  const { request } = await import('node:http');
  const { json } = await import('node:stream/consumers');
  const { hostname, port } = new URL(url);
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, headers, path: encodeURI(path).replaceAll('%25', '%') },
      (answer) => {
        void json(answer).then((body) => {
          const { errors } = body as { errors?: { field: string }[] };
          resolve([answer.statusCode, errors?.[0]?.field]);
        }, reject);
      },
    );
    sent.on('error', reject).end();
  });
}
