import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseClient } from '../../../../src/1-platform/database/connections/database-client';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { announce, publish, put, sha256, temporaryDirectory, uploadPath } from '../../../support/plugins';
import { Service, type Caller } from '../../../support/service';

interface Listed {
  name: string;
  version: string;
  latest_version: string;
}

describe('the list of plugins', () => {
  let directory: string;
  let service: Service;
  let publisher: Caller;
  let anybody: Caller;

  beforeAll(async () => {
    directory = temporaryDirectory();
    service = await Service.start({ objectStorageDir: directory });
    publisher = service.admin;
    anybody = service.as(undefined);
  });
  afterAll(() => service.close());

  const list = async (query: Record<string, string>) => {
    const answer = await anybody.get(`/v1/plugins?${new URLSearchParams(query).toString()}`);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return { plugins: answer.body as Listed[], unavailable: answer.headers['x-plugins-unavailable'] };
  };
  const versions = async (query: Record<string, string>) => {
    const { plugins, unavailable } = await list(query);
    return [...plugins.map(({ name, version }) => `${name}@${version}`), ...(unavailable ? [`-${unavailable}`] : [])];
  };

  it('shows a plugin with its files, in the order of their uploads', async () => {
    const files: [string, JsonObject][] = [
      ['criu/zeta', {}],
      ['criu/liba.so.2', {}],
      ['criu/alpha', { install_dir: '/opt/criu' }],
      ['criu/driver', { kind: 'library' }],
    ];
    const checksums: string[] = [];
    for (const [name, body] of files)
      checksums.push(sha256(await publish(publisher, name, { plugin: 'criu', version: '4.1.0', ...body })));
    const expected = {
      name: 'criu',
      version: '4.1.0',
      latest_version: '4.1.0',
      published_at: service.clock.now().toISOString(),
      size: 4_000,
      status: 'AVAILABLE',
      type: 'SUPPORTED',
      binaries: [
        { name: 'criu/zeta', install_dir: '/usr/local/bin', checksum: checksums[0] },
        { name: 'criu/alpha', install_dir: '/opt/criu', checksum: checksums[2] },
      ],
      libraries: [
        { name: 'criu/liba.so.2', install_dir: '/usr/local/lib', checksum: checksums[1] },
        { name: 'criu/driver', install_dir: '/usr/local/lib', checksum: checksums[3] },
      ],
    };
    for (let asked = 0; asked < 3; asked++) expect((await list({ names: 'criu' })).plugins).toEqual([expected]);
  });

  it('shows a version only when all of its files are there and verified', async () => {
    await publish(publisher, 'whole', { version: '1.0.0' });
    await publish(publisher, 'whole', { version: '2.0.0' });
    const bytes = randomBytes(10);
    const urls = await announce(publisher, 'whole/lib.so', {
      plugin: 'whole',
      version: '2.0.0',
      checksum: sha256(bytes),
    });
    expect(await versions({ names: 'whole' })).toEqual(['whole@1.0.0']);
    expect(await versions({ names: 'whole@2.0.0' })).toEqual(['-whole']);
    await put(urls.version, randomBytes(10));
    expect(await versions({ names: 'whole' })).toEqual(['whole@1.0.0']);
    await publish(publisher, 'whole/lib.so', { plugin: 'whole', version: '2.0.0' });
    expect(await versions({ names: 'whole' })).toEqual(['whole@2.0.0']);
  });

  it('leaves out versions that do not fit the requesting daemon', async () => {
    const ranges = { '1.9.0': '>=1 <2', '1.10.0': '^1.4', '2.0.0': '>=2', nightly: '~3.1.0', 'v1.2.0': '>=2.5' };
    for (const [version, daemon_versions] of Object.entries(ranges))
      await publish(publisher, 'ranged', { version, daemon_versions });
    // The last upload is the latest, whatever its number.
    expect(await list({ names: 'ranged' })).toMatchObject({
      plugins: [{ version: 'v1.2.0', latest_version: 'v1.2.0', status: 'AVAILABLE' }],
    });
    for (const [compatibility, version] of [
      // The newest version that fits, if the latest does not.
      ['1.2.0', '1.9.0'],
      ['1.4.0', '1.10.0'],
      ['v1.4.0', '1.10.0'],
      ['1.5.0-rc.1', '1.10.0'],
      ['2.4.9', '2.0.0'],
      // The latest, if it fits.
      ['2.5.0', 'v1.2.0'],
      ['3.1.7', 'v1.2.0'],
      // A daemon without a valid version accepts every version.
      ['dev', 'v1.2.0'],
      ['main', 'v1.2.0'],
      ['^1', 'v1.2.0'],
    ] as const)
      expect([compatibility, ...(await versions({ names: 'ranged', compatibility }))]).toEqual([
        compatibility,
        `ranged@${version}`,
      ]);
    expect((await list({ names: 'ranged', compatibility: '1.4.0' })).plugins).toMatchObject([
      { version: '1.10.0', latest_version: 'v1.2.0', status: 'OUTDATED' },
    ]);
    expect(await versions({ names: 'ranged', compatibility: '0.9.0' })).toEqual(['-ranged']);
    // A requested version must fit too.
    expect(await versions({ names: 'ranged@1.9.0', compatibility: '1.4.0' })).toEqual(['ranged@1.9.0']);
    expect(await versions({ names: 'ranged@1.9.0', compatibility: '2.4.0' })).toEqual(['-ranged']);
    expect(await versions({ names: 'ranged@nightly' })).toEqual(['ranged@nightly']);
  });

  it('lists versions without daemon_versions for every daemon, and checks every file of one that has them', async () => {
    await publish(publisher, 'for-all', { version: '1.0.0' });
    for (const compatibility of ['0.0.1', '99.0.0', 'dev', ''])
      expect(await versions({ names: 'for-all', compatibility })).toEqual(['for-all@1.0.0']);
    await publish(publisher, 'parts', { version: '1.0.0', daemon_versions: '>=1' });
    await publish(publisher, 'parts/lib.so', { plugin: 'parts', version: '1.0.0', daemon_versions: '<2' });
    expect(await versions({ names: 'parts', compatibility: '1.5.0' })).toEqual(['parts@1.0.0']);
    for (const compatibility of ['0.9.0', '2.0.0'])
      expect(await versions({ names: 'parts', compatibility })).toEqual(['-parts']);
    // The last upload of a file counts.
    await publish(publisher, 'parts/lib.so', { plugin: 'parts', version: '1.0.0' });
    expect(await versions({ names: 'parts', compatibility: '2.0.0' })).toEqual(['parts@1.0.0']);
  });

  it('accepts an upload without a repository, and refuses an invalid range in daemon_versions', async () => {
    await publish(publisher, 'homeless', { version: '1.0.0', repository: null });
    expect(await versions({ names: 'homeless' })).toEqual(['homeless@1.0.0']);
    const path = '/v1/plugins/download/homeless';
    for (const query of ['', '?exact=true']) expect((await anybody.get(`${path}${query}`)).status).toBe(302);
    expect((await anybody.get(`${path}?exact=true&repository=example`)).status).toBe(404);
    for (const daemon_versions of ['newest', '', '>=a']) {
      const answer = await publisher.post('/v1/plugins/upload/homeless', { version: '1.0.1', daemon_versions });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'daemon_versions']);
    }
  });

  it('leaves out missing plugins, and names them', async () => {
    await publish(publisher, 'there/a', { version: '1.0.0' });
    await publish(publisher, 'there/b', { version: '2.0.0' });
    const names = 'there/b@latest, nowhere ,there/a@1.0.0,there/a@9.9.9';
    expect(await versions({ names })).toEqual(['there/b@2.0.0', 'there/a@1.0.0', '-nowhere,there/a']);
    expect(await versions({ names: 'there/a,there/b, there/a,there/a@latest' })).toEqual([
      'there/a@1.0.0',
      'there/b@2.0.0',
    ]);
    expect((await list({ names: 'there/a' })).unavailable).toBeUndefined();
    await publish(publisher, 'there/c', { version: '1.0.0', daemon_versions: '^1' });
    expect((await list({ names: `${names},there/c`, compatibility: '2.0.0' })).unavailable).toBe(
      'nowhere,there/a,there/c',
    );
    expect((await list({ compatibility: '2.0.0' })).unavailable?.split(',')).toContain('there/c');
    expect(await versions({ names: 'there/a', arch: 'arm64' })).toEqual(['-there/a']);
  });

  it('keeps architectures and builds apart', async () => {
    await publish(publisher, 'apart', { version: '1.0.0', arch: 'arm64' });
    await publish(publisher, 'apart', { version: '1.1.0-alpha.2', build: 'alpha' });
    expect(await versions({ names: 'apart' })).toEqual(['-apart']);
    expect(await versions({ names: 'apart', arch: 'arm64' })).toEqual(['apart@1.0.0']);
    const alpha = { names: 'apart', build: 'alpha' };
    expect((await list(alpha)).plugins).toMatchObject([{ version: '1.1.0-alpha.2', type: 'EXPERIMENTAL' }]);
    expect(await versions({ ...alpha, compatibility: '1.0.0' })).toEqual(['apart@1.1.0-alpha.2']);
  });

  it('gives a build without a version one that is older than every release', async () => {
    const first = await publish(publisher, 'unversioned', { version: null });
    service.clock.advance(1);
    const second = await publish(publisher, 'unversioned');
    const { plugins } = await list({ names: 'unversioned' });
    expect(plugins[0]?.version).toMatch(/^0\.0\.0-20\d{12}\.\d{1,3}$/);
    expect([first, second]).toHaveLength(2);
    await publish(publisher, 'unversioned', { version: '0.0.1' });
    expect(await versions({ names: 'unversioned', compatibility: '1.0.0' })).toEqual(['unversioned@0.0.1']);
  });

  it('lists plugins page by page', async () => {
    const all = (await list({})).plugins.map(({ name }) => name);
    expect(all).toEqual([...all].sort());
    expect(all.length).toBeGreaterThan(4);
    const paged: string[] = [];
    for (let path: string | undefined = '/v1/plugins?limit=2'; path !== undefined;) {
      const { body, headers } = await anybody.get(path);
      paged.push(...(body as Listed[]).map(({ name }) => name));
      path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    }
    expect(paged).toEqual(all);
  });

  it('counts names of plugins by page, and names those of the page that have no version that fits', async () => {
    for (const name of ['page/a', 'page/b', 'page/c', 'page/d'])
      await publish(publisher, name, {
        arch: 'paged',
        version: '1.0.0',
        ...(name < 'page/c' ? { daemon_versions: '^1' } : {}),
      });
    const pagesOf = async (query: Record<string, string>): Promise<unknown[]> => {
      const pages: unknown[] = [];
      const first = new URLSearchParams({ ...query, arch: 'paged', compatibility: '2.0.0', limit: '3' });
      for (let path: string | undefined = `/v1/plugins?${first.toString()}`; path !== undefined;) {
        const { body, headers } = await anybody.get(path);
        pages.push([(body as Listed[]).map(({ name }) => name), headers['x-plugins-unavailable']]);
        path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
      }
      return pages;
    };
    const expected = [
      [['page/c'], 'page/a,page/b'],
      [['page/d'], undefined],
    ];
    expect(await pagesOf({})).toEqual(expected);
    expect(await pagesOf({ names: 'page/a,page/b,page/c,page/d' })).toEqual(expected);
  });

  it('has every plugin on one page, whatever the limit, even behind a page without any', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `each/${letter}`);
    for (const name of names)
      await publish(publisher, name, {
        arch: 'each',
        version: '1.0.0',
        ...('each/b each/c each/e'.includes(name) ? { daemon_versions: '^1' } : {}),
      });
    for (let limit = 1; limit <= names.length + 1; limit++) {
      const listed: string[] = [];
      for (let offset = 0, more = true; more; offset += limit) {
        const page = `arch=each&compatibility=2.0.0&limit=${limit}&offset=${offset}`;
        const { body, headers } = await anybody.get(`/v1/plugins?${page}`);
        listed.push(...(body as Listed[]).map(({ name }) => name));
        more = headers.link !== undefined;
      }
      expect(listed).toEqual(['each/a', 'each/d']);
    }
  });

  it('reads the versions of the plugins of a page, and of no others', async () => {
    await service.db.query(
      `insert into plugin_objects (org_id, id, slot, object_key, name, plugin, kind, install_dir, version, arch, build,
         repository, state, size_bytes, published_at)
       select (select org_id from plugin_objects limit 1), gen_random_uuid(), 'version', gen_random_uuid(), plugin, plugin,
         'binary', '/', version || '.0.0', 'crowded', 'release', '', 'available', 1, now()
       from (select 'crowd-' || lpad(n::text, 3, '0') as plugin from generate_series(1, 100) n) p,
         generate_series(1, 50) version`,
    );
    const sent = jest.spyOn(DatabaseClient.prototype, 'query');
    const { plugins } = await list({ arch: 'crowded', limit: '1', offset: '70' });
    expect(plugins).toMatchObject([{ name: 'crowd-071', version: '50.0.0' }]);
    const answers = (await Promise.all(sent.mock.results.map(({ value }) => value as unknown))) as {
      rows?: unknown[];
    }[];
    sent.mockRestore();
    const rows = answers.map((answer) => answer?.rows ?? []).flat() as { plugin?: string }[];
    const read = rows.flatMap(({ plugin }) => plugin ?? []);
    // The name of the page, and the next one that says that more follow; then each version, and a file.
    expect(read.length).toBe(2 + 50 + 1);
    expect(new Set(read)).toEqual(new Set(['crowd-071', 'crowd-072']));
  });

  it.each([
    ['names', 'a,,b'],
    ['names', '../etc/passwd'],
    ['names', 'a@'],
    ['names', 'a@../b'],
    ['names', 'a b'],
    ['names', Array.from({ length: 101 }, (_, n) => `p${n}`).join()],
    ['arch', '../x'],
    ['build', 'nightly'],
    ['limit', '0'],
  ])('refuses %s=%s', async (name, value) => {
    const { status, body } = await anybody.get(`/v1/plugins?${new URLSearchParams({ [name]: value }).toString()}`);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
  });

  describe('is fed by uploads, which', () => {
    it.each<[string, JsonObject, string]>([
      ['a/../b', {}, 'name'],
      ['.hidden', {}, 'name'],
      ['/etc/passwd', {}, 'name'],
      ['a//b', {}, 'name'],
      ['a\u0000b', {}, 'name'],
      ['a/b/c/d/e/f/g', {}, 'name'],
      ['a'.repeat(256), {}, 'name'],
      ['good', { repository: 7 }, 'repository'],
      ['good', { repository: '' }, 'repository'],
      ['good', { version: 'latest' }, 'version'],
      ['good', { version: '../1' }, 'version'],
      ['good', { arch: '..' }, 'arch'],
      ['good', { build: 'debug' }, 'build'],
      ['good', { checksum: 'abc' }, 'checksum'],
      ['good', { checksum: 'g'.repeat(64) }, 'checksum'],
      ['good', { plugin: 'x/../y' }, 'plugin'],
      ['good', { kind: 'script' }, 'kind'],
      ['good', { install_dir: 'relative' }, 'install_dir'],
      ['good', { install_dir: '/opt/../etc' }, 'install_dir'],
      ['good', { colour: 'red' }, 'colour'],
    ])('are refused as %s with %j', async (name, body, field) => {
      const answer = await publisher.post(uploadPath(name), { repository: 'example/plugins', ...body });
      expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, field]);
    });

    it('leave an audit entry without the addresses, and are repeated with their Idempotency-Key', async () => {
      const key = { 'idempotency-key': 'upload-once' };
      const body = { repository: 'example/plugins', version: '1.0.0' };
      const first = await publisher.post(uploadPath('audited'), body, key);
      const again = await publisher.post(uploadPath('audited'), body, key);
      expect(again.body).toEqual(first.body);
      const { rows } = await service.db.query("select slot from plugin_objects where name = 'audited' order by slot");
      expect(rows).toEqual([{ slot: 'latest' }, { slot: 'version' }]);
      const { body: entries } = await publisher.get('/v1/audit?resource=audited');
      expect(entries).toMatchObject([
        { action: 'upload_plugin', resource_type: 'plugin', details: { version: '1.0.0' } },
      ]);
      expect(JSON.stringify(entries)).not.toContain('signature');
    });
  });

  it('returns the repository of a build on request', async () => {
    const ours = await publish(publisher, 'exact', { repository: 'ours', version: '1.0.0' });
    const theirs = await publish(publisher, 'exact', { repository: 'theirs', version: '1.0.0' });
    const get = async (query: string) => {
      const { status, headers } = await anybody.get(`/v1/plugins/download/exact${query}`);
      if (status !== 302) return status;
      return Buffer.from(await (await fetch(headers.location ?? '')).arrayBuffer());
    };
    for (const version of ['', '&version=1.0.0']) {
      expect(await get(`?${version}`)).toEqual(theirs);
      expect(await get(`?exact=false${version}`)).toEqual(theirs);
      expect(await get(`?exact=true${version}`)).toEqual(ours);
      expect(await get(`?exact=true&repository=theirs${version}`)).toEqual(theirs);
      expect(await get(`?exact=true&repository=nobody${version}`)).toBe(404);
      expect(await get(`?exact=true&build=alpha${version}`)).toBe(404);
      // It applies without `exact` too.
      expect(await get(`?repository=ours${version}`)).toEqual(ours);
      expect(await get(`?repository=nobody${version}`)).toBe(404);
    }
  });

  it.each(['gone', 'mismatched'])(
    'returns the repository that was first, also when its first file is %s',
    async (what) => {
      const name = `first-${what}`;
      const get = async (query: string) => {
        const { status, headers } = await anybody.get(`/v1/plugins/download/${name}?exact=true${query}`);
        return status === 302 ? Buffer.from(await (await fetch(headers.location ?? '')).arrayBuffer()) : status;
      };
      await publish(publisher, name, { repository: 'ours', version: '1.0.0' });
      for (const query of ['', '&version=1.0.0']) expect(await get(query)).toEqual(expect.any(Buffer));
      const { rows: first } = await service.db.query<{ object_key: string }>(
        'select object_key from plugin_objects where name = $1',
        [name],
      );
      await publish(publisher, name, { repository: 'theirs', version: '1.0.0' });
      for (const { object_key } of first) {
        const file = join(directory, 'files', object_key);
        if (what === 'gone') rmSync(file);
        else writeFileSync(file, randomBytes(10));
      }
      for (const version of ['', '&version=1.0.0']) {
        expect(await get(`&repository=ours${version}`)).toBe(404);
        expect(await get(version)).toBe(404);
      }
      const { rows } = await service.db.query('select distinct state from plugin_objects where object_key = any($1)', [
        first.map(({ object_key }) => object_key),
      ]);
      expect(rows).toEqual([{ state: what }]);
      const ours = await publish(publisher, name, { repository: 'ours', version: '2.0.0' });
      await publish(publisher, name, { repository: 'theirs', version: '2.0.0' });
      for (const version of ['', '&version=2.0.0']) expect(await get(version)).toEqual(ours);
    },
  );

  it('gets new addresses for a repeated upload whose first ones have expired', async () => {
    const upload = async () => {
      const build = { version: '1.0.0' };
      const { body } = await publisher.post(uploadPath('repeated'), build, { 'idempotency-key': 'repeated' });
      return body.version_upload_url as string;
    };
    const first = await upload();
    expect(await upload()).toBe(first);
    const seconds = service.environment.objectUrlSeconds + 1;
    service.clock.advance(seconds);
    await service.db.query('update idempotency_keys set created_at = created_at - make_interval(secs => $1)', [
      seconds,
    ]);
    expect((await put(first, randomBytes(10))).status).toBe(403);
    expect((await put(await upload(), randomBytes(10))).status).toBe(200);
  });
});
