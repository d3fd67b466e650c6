import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readEnvironment, type ObjectStorageSettings } from '../../../../src/1-platform/config/environment';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import { ObjectStorage } from '../../../../src/1-platform/object-storage/object-storage';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { downloadPath, sha256, uploadPath } from '../../../support/plugins';
import { Service } from '../../../support/service';

const TIMEOUT_MS = 400;

/** A bucket that does not exist, at an address of this machine. */
const bucketAt = (port: number): ObjectStorageSettings => ({
  url: `http://127.0.0.1:${port}`,
  publicUrl: 'http://storage.example:9000',
  bucket: 'plugins',
  region: 'us-east-1',
  pathStyle: true,
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
});

describe('a bucket that', () => {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  let service: Service | undefined;

  afterEach(async () => {
    await service?.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  const listen = async (serve: (socket: Socket) => void): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      serve(socket);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  const answering = (status: string) => (socket: Socket) =>
    socket.on('data', () => socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));

  it.each<[string, () => Promise<number>]>([
    ['is not there', () => Promise.resolve(1)],
    ['never answers', () => listen(() => undefined)],
    ['closes the connection', () => listen((socket) => socket.once('data', () => socket.destroy()))],
    ['fails', () => listen(answering('500 Internal Server Error'))],
    ['refuses access', () => listen(answering('403 Forbidden'))],
    ['redirects', () => listen(answering('307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/'))],
    ['speaks another protocol', () => listen((socket) => socket.once('data', () => socket.end('220 ready\r\n')))],
  ])('%s answers 502 in time; known files are still listed', async (_what, port) => {
    service = await Service.start({ objectStorage: bucketAt(await port()), objectStorageTimeoutMs: TIMEOUT_MS });
    const { admin, db } = service;
    // Pure arithmetic: the server is not asked.
    const { body } = await admin.post(uploadPath('main'), { repository: 'example/plugins', version: '1.0.0' });
    const reported = new URL(body.version_upload_url as string);
    expect([reported.origin, reported.searchParams.get('X-Amz-Expires')]).toEqual([
      'http://storage.example:9000',
      '900',
    ]);
    expect(reported.pathname).toMatch(
      /^\/plugins\/plugins\/[0-9a-f-]{36}\/main\/release-amd64-1\.0\.0\/[0-9a-f-]{36}\/main$/,
    );

    const asked = async (path: string) => {
      const began = performance.now();
      const answer = await admin.get(path);
      expect(performance.now() - began).toBeLessThan(onThisMachine(3 * TIMEOUT_MS + 5_000));
      return [answer.status, answer.body.code];
    };
    // Announced files cannot be checked,
    expect(await asked('/v1/download')).toEqual([502, 'object_storage_failed']);
    // nor can files that were there before.
    await db.query(
      "update plugin_objects set state = 'available', object_tag = 'x', size_bytes = 1, published_at = now()",
    );
    expect(await asked(downloadPath('main', { version: '1.0.0' }))).toEqual([502, 'object_storage_failed']);
    const listed = await admin.get('/v1/plugins');
    expect([listed.status, listed.body[0]?.version]).toEqual([200, '1.0.0']);
    await db.query("update plugin_objects set state = 'awaited'");
    expect((await admin.get('/v1/plugins?names=main')).headers['x-plugins-unavailable']).toBe('main');
  });

  it('stops in the middle of an object answers 502 too', async () => {
    // The head of an object of 1,000 bytes, and some of it.
    const port = await listen((socket) =>
      socket.on('data', (data: Buffer) => {
        socket.write('HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Length: 1000\r\n\r\n');
        if (data.toString().startsWith('GET')) socket.write('a'.repeat(100));
      }),
    );
    service = await Service.start({ objectStorage: bucketAt(port), objectStorageTimeoutMs: TIMEOUT_MS });
    const body = { repository: 'example/plugins', checksum: '0'.repeat(64) };
    await service.admin.post(uploadPath('main'), body);
    const { status, body: problem } = await service.admin.get('/v1/download');
    expect([status, problem.code]).toEqual([502, 'object_storage_failed']);
    const { rows } = await service.db.query('select distinct state from plugin_objects');
    expect(rows).toEqual([{ state: 'awaited' }]);
  });

  it.each(['HEAD', 'GET'])('takes its time over %s while the instance stops is waited for', async (slow) => {
    const bytes = Buffer.from('bytes');
    const slowly: (() => void)[] = [];
    const port = await listen((socket) =>
      socket.on('data', (data: Buffer) => {
        const [method] = data.toString().split(' ');
        const head = `HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Length: ${bytes.length}\r\n\r\n`;
        const answer = () => socket.write(method === 'GET' ? head + bytes.toString() : head);
        if (method === slow && slowly.length === 0) slowly.push(answer);
        else answer();
      }),
    );
    service = await Service.start({ drainTimeoutSeconds: 20 });
    const replica = await service.replica({ objectStorage: bucketAt(port), drainTimeoutSeconds: 20 });
    const caller = replica.as(service.admin.token);
    await caller.post(uploadPath('main'), { repository: 'example/plugins', checksum: sha256(bytes) });
    const answer = caller.get('/v1/download').then(({ status }) => status);
    await eventually(() => expect(slowly).toHaveLength(1));
    const stopped = replica.app.get(Draining).close(replica.app);
    // Its listener is closed: what had to happen before that has happened.
    await eventually(() => expect(replica.app.getHttpServer().listening).toBe(false));
    for (const go of slowly) go();
    expect(await answer).toBe(302);
    await stopped;
  });

  it('lacks a file is asked a limited number of times, however many readers, and the sweep still asks', async () => {
    let [asked, there] = [0, false];
    const port = await listen((socket) =>
      socket.on('data', () => {
        asked++;
        socket.write(`HTTP/1.1 ${there ? '200 OK' : '404 Not Found'}\r\nETag: "x"\r\nContent-Length: 0\r\n\r\n`);
      }),
    );
    service = await Service.start({ objectStorage: bucketAt(port) });
    for (let n = 0; n < 10; n++)
      await service.admin.post(uploadPath('main'), { repository: 'example/plugins', version: `1.0.${n}` });
    asked = 0;
    const began = performance.now();
    for (let n = 0; n < 50; n++) expect((await service.as(undefined).get('/v1/plugins')).body).toEqual([]);
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(200 * (seconds + 1));
    there = true;
    await service.sweep('plugin uploads');
    expect((await service.as(undefined).get('/v1/plugins')).body).toMatchObject([{ version: '1.0.9' }]);
  });

  it('has credentials that never come answers 502 in time, with no transaction open meanwhile', async () => {
    let asked = 0;
    const credentials = () => {
      asked++;
      return new Promise(() => undefined);
    };
    const objectStorage = { ...bucketAt(1), credentials } as unknown as ObjectStorageSettings;
    service = await Service.start({ objectStorage, objectStorageTimeoutMs: TIMEOUT_MS });
    const { admin, db, app } = service;
    const upload = admin.post(uploadPath('main'), { version: '1.0.0' }, { 'idempotency-key': 'once' });
    await eventually(() => expect(asked).toBeGreaterThan(0));
    const { rows } = await db.query(
      `select query from pg_stat_activity where datname = current_database()
         and state like 'idle in transaction%' and query like '%idempotency_keys%'`,
    );
    expect(rows).toEqual([]);
    const FAILS = { status: 502, code: 'object_storage_failed' };
    expect((await upload).body).toMatchObject(FAILS);
    const storage = app.get(ObjectStorage);
    const { signal } = new AbortController();
    for (const call of [
      () => storage.find('some/key'),
      () => storage.read('some/key', signal),
      () => storage.remove('some/key'),
      () => storage.list('some', { limit: 1, after: undefined }),
      () => storage.downloadUrl('some/key', 'tag'),
    ])
      await expect(call()).rejects.toMatchObject(FAILS);
  });

  it('is asked with the credentials of the environment, which nothing may change', async () => {
    let asked = 0;
    const port = await listen((socket) =>
      socket.on('data', () => {
        asked++;
        socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    const { objectStorage } = readEnvironment({
      OBJECT_STORAGE_URL: `http://127.0.0.1:${port}`,
      OBJECT_STORAGE_BUCKET: 'plugins',
      OBJECT_STORAGE_ACCESS_KEY_ID: 'id',
      OBJECT_STORAGE_SECRET_ACCESS_KEY: 'secret',
    });
    service = await Service.start({ objectStorage });
    expect(await service.app.get(ObjectStorage).find('some/key')).toBeUndefined();
    expect(asked).toBeGreaterThan(0);
  });

  it("is signed for with credentials from AWS's default sources if none are configured", async () => {
    const { credentials: _none, ...bucket } = bucketAt(1);
    const keys = { AWS_ACCESS_KEY_ID: 'from-the-environment', AWS_SECRET_ACCESS_KEY: 'secret' };
    const kept = Object.keys(keys).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, keys);
    try {
      service = await Service.start({ objectStorage: { ...bucket, credentials: undefined } });
      const url = new URL(await service.app.get(ObjectStorage).uploadUrl('some/key'));
      expect(url.searchParams.get('X-Amz-Credential')).toMatch(/^from-the-environment\//);
      // Without a signer, these paths answer 404: there are no files to serve.
      expect((await fetch(`${service.url}/objects/some/key?expires=1&signature=a`)).status).toBe(404);
    } finally {
      for (const [name, value] of kept)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });
});
