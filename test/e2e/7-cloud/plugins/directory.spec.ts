import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import { eventually } from '../../../support/eventually';
import { announce, downloadPath, fetched, publish, put, sha256, temporaryDirectory } from '../../../support/plugins';
import { RawConnection } from '../../../support/raw-http';
import { Service, type Caller } from '../../../support/service';

describe('objects in a directory', () => {
  const objectStorageDir = temporaryDirectory();
  const outside = temporaryDirectory();
  const files = join(objectStorageDir, 'files');
  let service: Service;
  let publisher: Caller;

  beforeAll(async () => {
    service = await Service.start({ objectStorageDir, objectMaxBytes: 100_000 });
    publisher = service.admin;
    await publish(publisher, 'main');
  });
  afterAll(() => service.close());

  /** An address as this service would sign it, for any key. */
  const signed = (method: string, key: string, tag = '1-1-1'): string => {
    const secret = Buffer.from(readFileSync(join(objectStorageDir, 'signing.key'), 'utf8'), 'hex');
    const expires = Math.floor(service.clock.now().getTime() / 1_000) + 60;
    const signature = createHmac('sha256', secret).update(`${method}\n${key}\n${tag}\n${expires}`).digest('hex');
    return `/objects/${key}?tag=${tag}&expires=${expires}&signature=${signature}`;
  };
  const tagOf = (path: string): string => {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino}-${size}-${mtimeNs}`;
  };
  const drafts = join(objectStorageDir, 'uploads');
  const partsLeft = (): string[] => readdirSync(drafts);
  const location = async (caller = publisher): Promise<string> =>
    (await caller.get('/v1/download')).headers.location ?? '';
  const raw = async (line: string, header = 'Accept: */*'): Promise<{ status: number; body: string }> => {
    const connection = await RawConnection.open(service.url);
    connection.write(
      `${line} HTTP/1.1\r\nHost: service\r\n${header}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    try {
      return await connection.answer();
    } finally {
      connection.close();
    }
  };

  it("are readable by the service's user only, and so is the key", () => {
    expect(statSync(join(objectStorageDir, 'signing.key')).mode & 0o777).toBe(0o600);
    for (const folder of [files, drafts]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(objectStorageDir).sort()).toEqual(['files', 'signing.key', 'uploads']);
  });

  it.each([
    '../signing.key',
    'plugins/../../signing.key',
    '..%2fsigning.key',
    '%2e%2e/signing.key',
    '%2e%2e%2fsigning.key',
    '/etc/passwd',
    '//etc/passwd',
    '.hidden',
    'plugins/.part',
    'plugins//main',
    'plugins/main%00',
    'plugins\\..\\signing.key',
    'plugins/',
  ])('do not leave their folder: %s, signed as by this service', async (key) => {
    for (const method of ['GET', 'PUT']) {
      const { status, body } = await raw(`${method} ${signed(method, key)}`);
      expect([method, status]).toEqual([method, 403]);
      expect(body).not.toMatch(/root:|[0-9a-f]{64}/);
    }
    // The service signs keys: this file was not touched.
    expect(readFileSync(join(objectStorageDir, 'signing.key'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are never reached through a link', async () => {
    writeFileSync(join(outside, 'secret'), 'outside');
    symlinkSync(join(outside, 'secret'), join(files, 'link'));
    symlinkSync(outside, join(files, 'folder'));
    const tag = tagOf(join(outside, 'secret'));
    expect((await fetched(`${service.url}${signed('GET', 'link', tag)}`)).status).toBe(404);
    expect((await fetched(`${service.url}${signed('GET', 'folder/secret', tag)}`)).status).toBe(404);
    expect((await put(`${service.url}${signed('PUT', 'folder/new')}`, randomBytes(10))).status).toBe(502);
    expect((await put(`${service.url}${signed('PUT', 'folder/deep/new')}`, randomBytes(10))).status).toBe(502);
    expect(readdirSync(outside)).toEqual(['secret']);
    // Nor is a folder.
    expect((await fetched(`${service.url}${signed('GET', 'plugins', tagOf(join(files, 'plugins')))}`)).status).toBe(
      404,
    );
    expect((await put(`${service.url}${signed('PUT', 'plugins')}`, randomBytes(10))).status).toBe(502);
    // A link in the place of an object is replaced, and its target is not.
    expect((await put(`${service.url}${signed('PUT', 'link')}`, randomBytes(10))).status).toBe(200);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('outside');
  });

  it.each([
    '',
    '?',
    '?expires=1',
    '?signature=a',
    '?expires=1&expires=2&signature=a&signature=b',
    '?expires=-1&signature=a',
  ])('are not served with %j', async (query) => {
    const { pathname } = new URL(await location());
    const got = await fetched(`${service.url}${pathname}${query}`);
    expect([got.status, JSON.parse(got.bytes.toString()).code]).toEqual([403, 'signature_invalid']);
  });

  it('are served until their address expires, and no longer', async () => {
    const url = await location();
    service.clock.advance(service.environment.objectUrlSeconds - 1);
    expect((await fetched(url)).status).toBe(200);
    service.clock.advance(1);
    const got = await fetched(url);
    expect([got.status, JSON.parse(got.bytes.toString()).code]).toEqual([403, 'signature_expired']);
  });

  it('are served as they were checked, even if another file was put there since', async () => {
    const [right, wrong] = [randomBytes(500), randomBytes(500)];
    const urls = await announce(publisher, 'pinned', { version: '1.0.0', checksum: sha256(right) });
    await put(urls.version, right);
    const url = (await publisher.get(downloadPath('pinned', { version: '1.0.0' }))).headers.location ?? '';
    expect((await fetched(url)).bytes).toEqual(right);
    await put(urls.version, wrong);
    const got = await fetched(url);
    expect([got.status, JSON.parse(got.bytes.toString()).code]).toEqual([404, 'object_not_found']);
    const { pathname } = new URL(url);
    const forged = new URL(url);
    forged.searchParams.set('tag', tagOf(join(objectStorageDir, pathname.replace('/objects', 'files'))));
    expect((await fetched(forged.href)).status).toBe(403);
  });

  it('answer HEAD without a body, and conditional requests with 304', async () => {
    const url = await location();
    const head = await fetched(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '1000', 0]);
    const etag = head.headers.get('etag') ?? '';
    const { pathname, search } = new URL(url);
    expect((await raw(`GET ${pathname}${search}`, `If-None-Match: ${etag}`)).status).toBe(304);
    expect((await raw(`GET ${pathname}${search}`, 'If-Match: "another"')).status).toBe(412);
    const part = await fetched(url, { headers: { range: 'bytes=0-9', 'if-range': '"of another"' } });
    expect(part.status).toBe(200);
    const beyond = await fetched(url, { headers: { range: 'bytes=1000-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
    expect(JSON.parse(beyond.bytes.toString()).code).toBe('range_not_satisfiable');
  });

  it('are complete or missing: an interrupted upload leaves nothing', async () => {
    const urls = await announce(publisher, 'broken');
    const { pathname, search, port } = new URL(urls.version);
    const headers = { 'content-length': 50_000 };
    const upload = request({ host: '127.0.0.1', port, path: pathname + search, method: 'PUT', headers });
    upload.on('error', () => undefined);
    upload.write(randomBytes(20_000));
    await eventually(() => expect(partsLeft()).toHaveLength(1));
    expect((await publisher.get(downloadPath('broken'))).status).toBe(404);
    upload.destroy();
    await eventually(() => expect(partsLeft()).toEqual([]));
    expect(existsSync(join(objectStorageDir, pathname.replace('/objects', 'files')))).toBe(false);
  });

  it('removes files that a dead process left incomplete, except those that may still continue', async () => {
    for (const [name, secondsAgo] of Object.entries({ abandoned: 3_660, coming: 3_000 })) {
      const time = service.clock.now().getTime() / 1_000 - secondsAgo;
      writeFileSync(join(drafts, name), 'half');
      utimesSync(join(drafts, name), time, time);
    }
    await service.sweep('abandoned uploads');
    expect(partsLeft()).toEqual(['coming']);
    rmSync(join(drafts, 'coming'));
    // Nothing was uploaded yet.
    const fresh = await service.replica({ objectStorageDir: join(outside, 'fresh') });
    await fresh.sweep('abandoned uploads');
  });

  describe('may take longer to upload than other requests', () => {
    /** Pieces of one upload, and the pauses between them. */
    const upload = async (url: string, pieces: number, pauseMs: number): Promise<number | string> => {
      const { pathname, search, port } = new URL(url);
      const headers = { 'content-length': pieces * 1_000 };
      const sent = request({ host: '127.0.0.1', port, path: pathname + search, method: 'PUT', headers });
      const status = new Promise<number | string>((resolve) => {
        sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
        sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0));
      });
      for (let piece = 0; piece < pieces; piece++) {
        if (piece > 0) await sleep(pauseMs);
        sent.write(randomBytes(1_000));
      }
      sent.end();
      return status;
    };
    /** An instance that limits every request to a second. */
    const hasty = async () => {
      const { app, as } = await service.replica();
      Object.assign(app.getHttpServer(), { headersTimeout: 1_000, requestTimeout: 1_000 });
      return announce(as(publisher.token), 'paced');
    };

    it('lets an upload take longer than other requests while it makes progress', async () => {
      const urls = await hasty();
      expect(await upload(urls.version, 10, 300)).toBe(200);
      expect(await upload(urls.latest, 2, 100)).toBe(200);
      expect((await publisher.get(downloadPath('paced'))).status).toBe(302);
    });

    it('lets no upload take longer that stalls, or has an invalid address', async () => {
      const urls = await hasty();
      expect(await upload(urls.version, 2, 3_000)).toBe('ECONNRESET');
      await eventually(() => expect(partsLeft()).toEqual([]));
      expect(await upload(`${urls.version}0`, 10, 300)).toBe(403);
    });
  });

  it('are limited in size, with and without a stated length', async () => {
    const urls = await announce(publisher, 'large');
    const large = randomBytes(100_001);
    const reported = await put(urls.version, large);
    expect([reported.status, JSON.parse(reported.bytes.toString()).code]).toEqual([413, 'body_too_large']);
    // In chunks, without a stated length.
    const { pathname, search, port } = new URL(urls.version);
    const upload = request({ host: '127.0.0.1', port, path: pathname + search, method: 'PUT' });
    for (let sent = 0; sent < 5; sent++) upload.write(large);
    upload.end();
    const [answer] = (await once(upload, 'response')) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(413);
    expect(partsLeft()).toEqual([]);
    expect((await put(urls.version, large.subarray(1))).status).toBe(200);
  });

  it('are uploaded whole: a partial upload is refused', async () => {
    const urls = await announce(publisher, 'parted', { version: '1.0.0' });
    const headers = { 'content-range': 'bytes 5-9/10' };
    const got = await fetched(urls.version, { method: 'PUT', body: 'other', headers });
    expect([got.status, JSON.parse(got.bytes.toString()).code]).toEqual([400, 'bad_request']);
    expect((await publisher.get(downloadPath('parted', { version: '1.0.0' }))).status).toBe(404);
  });

  it('keeps one of two files that are uploaded to one address at once', async () => {
    const urls = await announce(publisher, 'raced', { version: '1.0.0', checksum: null });
    const bodies = Array.from({ length: 8 }, () => randomBytes(90_000));
    const answers = await Promise.all(bodies.map((bytes) => put(urls.version, bytes)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    const { headers } = await publisher.get(downloadPath('raced', { version: '1.0.0' }));
    const { bytes } = await fetched(headers.location ?? '');
    expect(bodies.map(sha256)).toContain(sha256(bytes));
    expect(partsLeft()).toEqual([]);
  });

  it('are signed alike by all replicas, also by replicas that start together on an empty directory', async () => {
    const shared = { objectStorageDir: join(outside, 'shared') };
    const replicas = await Promise.all([1, 2, 3].map(() => service.replica(shared)));
    const urls = await Promise.all(
      replicas.map(({ as }) => announce(as(publisher.token), 'shared', { version: '1.0.0', checksum: null })),
    );
    const here = (url: string, at: { url: string }): string => url.replace(new URL(url).origin, at.url);
    for (const [place, { version }] of urls.entries())
      for (const replica of replicas)
        expect([place, (await put(here(version, replica), Buffer.from('x'))).status]).toEqual([place, 200]);
    expect(readdirSync(shared.objectStorageDir).sort()).toEqual(['files', 'signing.key', 'uploads']);
  });

  it('have the address in PUBLIC_URL, else the one of the request, whatever proxy headers say', async () => {
    const forwarded = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const get = async (url: string, headers: Record<string, string>) => {
      const answer = await fetched(`${url}/v1/download`, { headers });
      return new URL(answer.headers.get('location') ?? '');
    };
    const plain = await get(service.url, forwarded);
    expect(plain.origin).toBe(service.url);
    expect((await fetched(plain.href)).status).toBe(200);
    const { url } = await service.replica({ publicUrl: 'https://control.example/behind/' });
    const named = await get(url, forwarded);
    expect(named.href).toMatch(/^https:\/\/control\.example\/behind\/objects\/plugins\//);
    const connection = await RawConnection.open(service.url);
    connection.write('GET /v1/download HTTP/1.1\r\nHost: a b\r\n\r\n');
    expect((await connection.answer()).status).toBe(400);
    connection.close();
  });

  it('continue to be sent while the instance stops', async () => {
    const bytes = randomBytes(30_000_000);
    const replica = await service.replica({ objectMaxBytes: 50_000_000, drainTimeoutSeconds: 20 });
    const caller = replica.as(publisher.token);
    await publish(caller, 'drained', {}, bytes);
    const { headers } = await caller.get(downloadPath('drained'));
    const answer = await fetch(headers.location ?? '');
    const reader = answer.body?.getReader();
    const chunks = [await reader?.read()];
    const stopped = replica.app.get(Draining).close(replica.app);
    await eventually(() => expect(replica.app.get(Draining).closing).toBe(true));
    while (chunks.at(-1)?.done === false) chunks.push(await reader?.read());
    expect(sha256(Buffer.concat(chunks.map((chunk) => chunk?.value ?? new Uint8Array())))).toBe(sha256(bytes));
    await stopped;
  });

  it('answers 502 for a file that cannot be stored, and serves others', async () => {
    const file = join(outside, 'file');
    writeFileSync(file, '');
    const { as } = await service.replica({ objectStorageDir: join(file, 'below') });
    const refused = await as(publisher.token).post('/v1/plugins/upload/main', { repository: 'example/plugins' });
    expect([refused.status, refused.body.code]).toEqual([502, 'object_storage_failed']);
    expect((await fetched(await location())).status).toBe(200);
    mkdirSync(join(outside, 'spoilt'));
    writeFileSync(join(outside, 'spoilt', 'signing.key'), 'abc');
    const spoilt = await service.replica({ objectStorageDir: join(outside, 'spoilt') });
    const asked = await spoilt.as(publisher.token).post('/v1/plugins/upload/main', { repository: 'example/plugins' });
    expect(asked.status).toBe(502);
    expect(dirname(file)).toBe(outside);
  });
});
