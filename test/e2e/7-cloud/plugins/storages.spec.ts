import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { itWith } from '../../../support/components';
import { eventually } from '../../../support/eventually';
import {
  announce,
  describeStages,
  downloadPath,
  fetched,
  follow,
  md5,
  publish,
  put,
  sha256,
  type Stage,
} from '../../../support/plugins';
import type { Answer, Caller } from '../../../support/service';

const run = promisify(execFile);

describeStages('plugins', (kind) => {
  let stage: Stage;
  let publisher: Caller;
  let anybody: Caller;

  beforeAll(async () => {
    stage = await kind.start();
    publisher = stage.service.admin;
    anybody = stage.service.as(undefined);
  });
  afterAll(() => stage.close());

  const download = (name: string, query: Record<string, string> = {}): Promise<Answer> =>
    anybody.get(downloadPath(name, query));
  const refusal = async (asked: Promise<Answer>): Promise<unknown[]> => {
    const { status, body } = await asked;
    return [status, body.code];
  };
  const keyOf = async (name: string): Promise<string> => {
    const { rows } = await stage.service.db.query<{ object_key: string }>(
      "select object_key from plugin_objects where name = $1 and slot = 'version' order by announced_at desc limit 1",
      [name],
    );
    return rows[0]?.object_key ?? '';
  };
  const listed = async (name: string): Promise<JsonObject | undefined> =>
    ((await anybody.get(`/v1/plugins?names=${name}`)).body as JsonObject[])[0];

  it.each([
    ['/v1/download', 'main'],
    ['/v1/install', 'install'],
    ['/v1/install/slurm', 'install-slurm'],
    [downloadPath('criu'), 'criu'],
    [downloadPath('gpu/cuda/libckpt.so.1'), 'gpu/cuda/libckpt.so.1'],
  ])('%s redirects to the file that was uploaded as %s, byte for byte', async (path, name) => {
    expect(await refusal(anybody.get(path))).toEqual([404, 'plugin_not_found']);
    const bytes = await publish(publisher, name, { version: '1.0.0' }, randomBytes(300_000));
    const answer = await anybody.get(path);
    expect(sha256(await follow(answer))).toBe(sha256(bytes));
    const { headers } = await fetched(answer.headers.location ?? '');
    expect(headers.get('content-length')).toBe('300000');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name.split('/').at(-1)}"`);
    const with_ = (query: string) => anybody.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    expect(await follow(await with_('version=1.0.0&arch=amd64&build=release'))).toEqual(bytes);
    expect(await follow(await with_('version=latest'))).toEqual(bytes);
    for (const other of ['version=1.0.1', 'arch=arm64', 'build=alpha'])
      expect([other, ...(await refusal(with_(other)))]).toEqual([other, 404, 'plugin_not_found']);
    for (const bad of ['version=..', 'version=1%2F0', 'arch=a%20b', 'arch=%2e%2e', 'build=nightly', 'exact=yes'])
      expect([bad, ...(await refusal(with_(bad)))]).toEqual([bad, 400, 'validation_failed']);
  });

  itWith(['curl'], 'curl -fSL follows the redirect', async () => {
    const bytes = await publish(publisher, 'curled', { version: '1.0.0' }, randomBytes(5_000_000));
    const directory = mkdtempSync(join(tmpdir(), 'control-plane-curl-'));
    const file = join(directory, 'curled');
    try {
      await run('curl', ['-fsSL', '-o', file, `${stage.service.url}${downloadPath('curled')}`]);
      expect(sha256(readFileSync(file))).toBe(sha256(bytes));
      // A server error shows in the exit code: nobody installs a problem document.
      const missing = run('curl', ['-fsSL', '-o', file, `${stage.service.url}${downloadPath('not-there')}`]);
      await expect(missing).rejects.toMatchObject({ code: 22 });
      // And uploads: the length is sent, and the reply is empty.
      const urls = await announce(publisher, 'curled', { version: '1.1.0', checksum: sha256(bytes) });
      const { stdout } = await run('curl', ['-fsS', '-T', file, urls.version]);
      expect(stdout).toBe('');
      expect(await follow(await download('curled', { version: '1.1.0' }))).toEqual(bytes);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  itWith(['wget'], 'wget follows the redirect, and goes on', async () => {
    const bytes = await publish(publisher, 'wgotten', { version: '1.0.0' }, randomBytes(2_000_000));
    const directory = mkdtempSync(join(tmpdir(), 'control-plane-wget-'));
    const file = join(directory, 'wgotten');
    try {
      await run('wget', ['-q', '-O', file, `${stage.service.url}${downloadPath('wgotten')}`]);
      expect(sha256(readFileSync(file))).toBe(sha256(bytes));
      writeFileSync(file, bytes.subarray(0, 700_000));
      await run('wget', ['-q', '-c', '-O', file, `${stage.service.url}${downloadPath('wgotten')}`]);
      expect(sha256(readFileSync(file))).toBe(sha256(bytes));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('files are served in parts', async () => {
    const bytes = await publish(publisher, 'ranged');
    const { location = '' } = (await download('ranged')).headers;
    const part = await fetched(location, { headers: { range: 'bytes=100-199' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 100-199/1000']);
    expect(part.bytes).toEqual(bytes.subarray(100, 200));
    expect((await fetched(location, { headers: { range: 'bytes=5000-' } })).status).toBe(416);
  });

  it('files are available once they are uploaded, and the latest one is the previous one until then', async () => {
    const first = await publish(publisher, 'moving', { version: '1.0.0' });
    const second = randomBytes(2_000);
    const urls = await announce(publisher, 'moving', { version: '2.0.0', checksum: sha256(second) });
    expect(await follow(await download('moving'))).toEqual(first);
    expect(await refusal(download('moving', { version: '2.0.0' }))).toEqual([404, 'plugin_not_found']);
    expect(await listed('moving')).toMatchObject({ version: '1.0.0', latest_version: '1.0.0', size: 1_000 });

    // The version only: it can be downloaded, and is not the latest.
    expect((await put(urls.version, second)).status).toBe(200);
    expect(await follow(await download('moving', { version: '2.0.0' }))).toEqual(second);
    expect(await follow(await download('moving'))).toEqual(first);
    expect(await listed('moving')).toMatchObject({ version: '1.0.0', latest_version: '1.0.0' });

    expect((await put(urls.latest, second)).status).toBe(200);
    expect(await follow(await download('moving'))).toEqual(second);
    expect(await listed('moving')).toMatchObject({ version: '2.0.0', latest_version: '2.0.0', size: 2_000 });
    expect(await follow(await download('moving', { version: '1.0.0' }))).toEqual(first);
  });

  it.each([
    ['a SHA-256', sha256],
    ['an MD5', md5],
    ['a SHA-256 in capitals', (bytes: Buffer) => sha256(bytes).toUpperCase()],
  ])('files are checked against %s', async (what, digest) => {
    const name = `checked-${what.length}`;
    const [right, wrong] = [randomBytes(500), randomBytes(500)];
    await publish(publisher, name, { version: '1.0.0', checksum: digest(right) }, right);
    expect(await follow(await download(name))).toEqual(right);
    expect((await listed(name))?.binaries).toEqual([{ name, install_dir: '/usr/local/bin', checksum: digest(right) }]);

    await publish(publisher, name, { version: '1.1.0', checksum: digest(right) }, wrong);
    expect(await refusal(download(name, { version: '1.1.0' }))).toEqual([404, 'plugin_unavailable']);
    expect(await follow(await download(name))).toEqual(right);
    expect(await listed(name)).toMatchObject({ version: '1.0.0', latest_version: '1.0.0' });

    // Uploaded again, it matches.
    await publish(publisher, name, { version: '1.1.0', checksum: digest(right) }, right);
    expect(await follow(await download(name, { version: '1.1.0' }))).toEqual(right);
    expect(await listed(name)).toMatchObject({ version: '1.1.0', latest_version: '1.1.0' });
  });

  it('files of a version that was published again with a wrong checksum are neither listed nor the latest', async () => {
    const first = await publish(publisher, 'again', { version: '1.0.0' });
    const second = await publish(publisher, 'again', { version: '2.0.0' });
    const latest = async () => [(await listed('again'))?.version, await follow(await download('again'))];
    expect(await latest()).toEqual(['2.0.0', second]);
    const urls = await announce(publisher, 'again', { version: '2.0.0', checksum: sha256(first) });
    await put(urls.version, second);
    for (const url of ['awaited', urls.latest]) {
      if (url !== 'awaited') await put(url, second);
      for (let asked = 0; asked < 2; asked++) {
        expect(await latest()).toEqual(['1.0.0', first]);
        expect(await refusal(download('again', { version: '2.0.0' }))).toEqual([404, 'plugin_unavailable']);
      }
    }
    const third = await publish(publisher, 'again', { version: '2.0.0' });
    expect(await latest()).toEqual(['2.0.0', third]);
    expect(await follow(await download('again', { version: '2.0.0' }))).toEqual(third);
  });

  it('files whose only version was published again with a wrong checksum are unavailable', async () => {
    await publish(publisher, 'only', { version: '1.0.0' });
    const urls = await announce(publisher, 'only', { version: '1.0.0', checksum: sha256(Buffer.from('other')) });
    await put(urls.version, randomBytes(10));
    expect(await listed('only')).toBeUndefined();
    for (const query of [{}, { version: '1.0.0' }] as Record<string, string>[])
      expect(await refusal(download('only', query))).toEqual([404, 'plugin_unavailable']);
  });

  it.each(['mismatched', 'gone'])('files of a version of which another file is %s are not the latest', async (what) => {
    const [plugin, other] = [`of-two-${what}`, `of-two-${what}/lib.so`];
    const build = (version: string) => ({ plugin, version });
    const first = await publish(publisher, plugin, build('1.0.0'));
    await publish(publisher, other, build('1.0.0'));
    await publish(publisher, plugin, build('2.0.0'));
    const urls = await announce(publisher, other, build('2.0.0'));
    await put(urls.version, randomBytes(10));
    expect(await listed(plugin)).toMatchObject({ version: '2.0.0' });
    if (what === 'gone') {
      await stage.remove(await keyOf(other));
      expect(await refusal(download(other, { version: '2.0.0' }))).toEqual([404, 'plugin_not_found']);
    } else {
      await publish(publisher, other, { ...build('2.0.0'), checksum: sha256(first) });
      expect(await refusal(download(other, { version: '2.0.0' }))).toEqual([404, 'plugin_unavailable']);
    }
    expect(await listed(plugin)).toMatchObject({ version: '1.0.0' });
    expect(await follow(await download(plugin))).toEqual(first);
  });

  it('files that never matched are unavailable, and files without a checksum are served as uploaded', async () => {
    await publish(publisher, 'spoilt', { checksum: sha256(Buffer.from('other')) });
    expect(await refusal(download('spoilt'))).toEqual([404, 'plugin_unavailable']);
    // While the address is valid, the right bytes can be uploaded.
    const right = randomBytes(300);
    const urls = await announce(publisher, 'mended', { version: '1.0.0', checksum: sha256(right) });
    await put(urls.version, randomBytes(300));
    for (let asked = 0; asked < 2; asked++)
      expect(await refusal(download('mended', { version: '1.0.0' }))).toEqual([404, 'plugin_unavailable']);
    await put(urls.version, right);
    expect(await follow(await download('mended', { version: '1.0.0' }))).toEqual(right);
    const bytes = await publish(publisher, 'unchecked', { checksum: null });
    expect(await follow(await download('unchecked'))).toEqual(bytes);
    const nothing = await publish(publisher, 'empty', {}, Buffer.alloc(0));
    expect(await follow(await download('empty'))).toEqual(nothing);
  });

  it('files that are replaced behind the service are checked again', async () => {
    const [bytes, others] = [randomBytes(500), randomBytes(501)];
    const urls = await announce(publisher, 'replaced', { version: '1.0.0', checksum: sha256(bytes) });
    await put(urls.version, bytes);
    expect(await follow(await download('replaced', { version: '1.0.0' }))).toEqual(bytes);
    await put(urls.version, others);
    expect(await refusal(download('replaced', { version: '1.0.0' }))).toEqual([404, 'plugin_unavailable']);
    expect(await listed('replaced')).toBeUndefined();
  });

  it('files that are gone answer 404 and are not listed until they are back', async () => {
    const bytes = randomBytes(100);
    const urls = await announce(publisher, 'gone', { version: '1.0.0', checksum: sha256(bytes) });
    await put(urls.version, bytes);
    expect(await listed('gone')).toMatchObject({ version: '1.0.0' });
    await stage.remove(await keyOf('gone'));
    expect(await refusal(download('gone', { version: '1.0.0' }))).toEqual([404, 'plugin_not_found']);
    expect(await listed('gone')).toBeUndefined();
    await put(urls.version, bytes);
    expect(await follow(await download('gone', { version: '1.0.0' }))).toEqual(bytes);
    expect(await listed('gone')).toMatchObject({ version: '1.0.0' });
  });

  it('files that are too large are unavailable, or refused at upload', async () => {
    const small = await stage.service.replica({ objectMaxBytes: 400 });
    const { url } = small;
    const bytes = randomBytes(401);
    const reported = { repository: 'example/plugins', checksum: sha256(bytes) };
    const caller = small.as(publisher.token);
    const { body } = await caller.post('/v1/plugins/upload/large', reported);
    const statuses = [];
    for (const address of [body.latest_upload_url as string, body.version_upload_url as string])
      statuses.push((await put(address, bytes)).status);
    const answer = await caller.get(downloadPath('large'));
    expect(url).not.toBe(stage.service.url);
    if (kind.name === 'a directory') expect([statuses, answer.body.code]).toEqual([[413, 413], 'plugin_not_found']);
    else expect([statuses, answer.body.code]).toEqual([[200, 200], 'plugin_unavailable']);
  });

  describe('the address of a file', () => {
    const bytes = randomBytes(100);
    const addresses = async (): Promise<Record<'get' | 'put', string>> => {
      await publish(publisher, 'signed', { version: '1.0.0' }, bytes);
      const urls = await announce(publisher, 'signed', { version: '1.0.1', checksum: sha256(bytes) });
      return { get: (await download('signed')).headers.location ?? '', put: urls.version };
    };
    const altered = (url: string, change: (url: URL) => void): string => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const SIGNATURE = /signature/i;
    const signatureOf = (url: URL): string =>
      [...url.searchParams.keys()].find((name) => SIGNATURE.test(name)) ?? 'absent';
    const expiryOf = (url: URL): string =>
      [...url.searchParams.keys()].find((name) => /expires/i.test(name)) ?? 'absent';

    it('is valid for one method', async () => {
      const { get, put: up } = await addresses();
      expect((await fetched(up)).status).toBe(403);
      expect((await put(get, randomBytes(10))).status).toBe(403);
      expect((await fetched(get)).bytes).toEqual(bytes);
    });

    it.each<[string, (url: URL) => void]>([
      ['another signature', (url) => url.searchParams.set(signatureOf(url), '0'.repeat(64))],
      [
        'one digit of the signature changed',
        (url) => {
          const name = signatureOf(url);
          const reported = url.searchParams.get(name) ?? '';
          url.searchParams.set(name, `${reported.slice(0, -1)}${reported.endsWith('0') ? '1' : '0'}`);
        },
      ],
      ['a signature cut short', (url) => url.searchParams.set(signatureOf(url), 'ab')],
      [
        'a later expiry',
        (url) => url.searchParams.set(expiryOf(url), String(Number(url.searchParams.get(expiryOf(url))) + 60)),
      ],
      ['another object', (url) => (url.pathname = `${url.pathname.slice(0, -6)}signes`)],
      ['an additional folder', (url) => (url.pathname = url.pathname.replace('/plugins/', '/plugins/x/'))],
    ])('answers 403 for an address with %s', async (_what, change) => {
      const urls = await addresses();
      expect((await fetched(altered(urls.get, change))).status).toBe(403);
      expect((await put(altered(urls.put, change), bytes)).status).toBe(403);
      expect((await fetched(urls.get)).status).toBe(200);
    });

    it('answers 403 for an address that has expired', async () => {
      const brief = await stage.brief();
      await publish(publisher, 'brief', { version: '1.0.0' }, bytes);
      let [get, up] = ['', ''];
      await eventually(async () => {
        const next = { version: '1.0.1', checksum: sha256(bytes) };
        up = (await announce(brief.as(publisher.token), 'brief', next)).version;
        // Signed last, so it expires last.
        get = (await brief.as(undefined).get(downloadPath('brief'))).headers.location ?? '';
        expect((await fetched(get)).status).toBe(200);
      });
      stage.expire();
      await eventually(async () => expect((await fetched(get)).status).toBe(403));
      expect((await put(up, bytes)).status).toBe(403);
      expect(await refusal(download('brief', { version: '1.0.1' }))).toEqual([404, 'plugin_not_found']);
      expect(await follow(await download('brief'))).toEqual(bytes);
    });
  });
});
