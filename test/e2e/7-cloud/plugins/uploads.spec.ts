import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { LOGGER } from '../../../../src/1-platform/common/logger';
import { ObjectStorage } from '../../../../src/1-platform/object-storage/object-storage';
import { PluginInspection } from '../../../../src/7-cloud/plugins/uploads/plugin-inspection';
import { eventually } from '../../../support/eventually';
import { announce, downloadPath, follow, publish, put, sha256, temporaryDirectory } from '../../../support/plugins';
import { Service } from '../../../support/service';

describe('an upload without a reader', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ objectStorageDir: temporaryDirectory() });
  });
  afterAll(() => service.close());

  const sweep = () => service.sweep('plugin uploads');
  const states = async (name: string): Promise<string[]> => {
    const { rows } = await service.db.query<{ text: string }>(
      "select slot || ' ' || state as text from plugin_objects where name = $1 order by announced_at, slot",
      [name],
    );
    return rows.map(({ text }) => text);
  };
  const age = (name: string, seconds: number) =>
    service.db.query(
      'update plugin_objects set announced_at = announced_at - make_interval(secs => $2) where name = $1',
      [name, seconds],
    );

  it('is found by the sweep, right or wrong', async () => {
    const bytes = randomBytes(100);
    const urls = await announce(service.admin, 'quiet', { version: '1.0.0', checksum: sha256(bytes) });
    await put(urls.version, bytes);
    await put(urls.latest, randomBytes(100));
    expect(await states('quiet')).toEqual(['latest awaited', 'version awaited']);
    await sweep();
    expect(await states('quiet')).toEqual(['latest mismatched', 'version available']);
  });

  it('is given up when its address has expired, and not before', async () => {
    await announce(service.admin, 'abandoned', { version: '1.0.0' });
    const { objectUrlSeconds } = service.environment;
    await age('abandoned', objectUrlSeconds + 3_500);
    await sweep();
    expect(await states('abandoned')).toEqual(['latest awaited', 'version awaited']);
    await age('abandoned', 200);
    await sweep();
    expect(await states('abandoned')).toEqual([]);
  });

  it('takes no version away that was the latest before, and keeps one unlisted that was not', async () => {
    const bytes = await publish(service.admin, 'tool', { version: '1.0.0' });
    await announce(service.admin, 'toll', { plugin: 'tool', version: '1.0.0' });
    const urls = await announce(service.admin, 'part', { version: '1.0.0', checksum: sha256(bytes) });
    await put(urls.version, bytes);
    await announce(service.admin, 'parts', { plugin: 'part', version: '1.0.0' });
    // Both are seen before they are old.
    await sweep();
    for (const name of ['tool', 'toll', 'part', 'parts']) await age(name, 7_200);
    const logged = jest.spyOn(service.app.get<Logger>(LOGGER), 'warn');
    try {
      await sweep();
      expect(logged.mock.calls).toEqual([
        [expect.objectContaining({ missing: { plugin: 'part', name: 'parts', version: '1.0.0' } }), expect.any(String)],
      ]);
    } finally {
      logged.mockRestore();
    }
    expect([await states('toll'), await states('parts')]).toEqual([[], ['version gone']]);
    const listed = await service.admin.get('/v1/plugins?names=tool,part');
    expect(listed.body).toMatchObject([{ name: 'tool', version: '1.0.0', latest_version: '1.0.0' }]);
    expect(listed.headers['x-plugins-unavailable']).toBe('part');
    for (const path of [downloadPath('tool'), downloadPath('tool', { version: '1.0.0' })])
      expect(await follow(await service.admin.get(path))).toEqual(bytes);
  });

  it('is not given up if it is there, however late that is seen', async () => {
    const bytes = randomBytes(100);
    const urls = await announce(service.admin, 'late', { version: '1.0.0', checksum: sha256(bytes) });
    await put(urls.version, bytes);
    await age('late', 1_000_000);
    await sweep();
    expect(await states('late')).toEqual(['version available']);
    expect((await service.admin.get(downloadPath('late', { version: '1.0.0' }))).status).toBe(302);
  });

  it('is not given up while it is read, however long that takes', async () => {
    const bytes = randomBytes(100);
    const storage = service.app.get(ObjectStorage);
    const urls = await announce(service.admin, 'slow', { version: '1.0.0', checksum: sha256(bytes) });
    await put(urls.version, bytes);
    await put(urls.latest, bytes);
    await age('slow', 1_000_000);
    const finish: (() => void)[] = [];
    const patience = jest.replaceProperty(service.app.get(PluginInspection), 'waitMs', 200);
    const read = jest.spyOn(storage, 'read').mockImplementation(() => {
      const rest = new Promise<Buffer>((resolve) => finish.push(() => resolve(bytes.subarray(50))));
      return Promise.resolve(Readable.from([bytes.subarray(0, 50), rest]));
    });
    try {
      await sweep();
      expect([finish.length, await states('slow')]).toEqual([2, ['latest awaited', 'version awaited']]);
      for (const go of finish) go();
      await eventually(async () => expect(await states('slow')).toEqual(['latest available', 'version available']));
    } finally {
      read.mockRestore();
      patience.restore();
    }
  });

  it('is checked by several replicas at once, and counted once', async () => {
    const replica = await service.replica();
    const bytes = randomBytes(1_000);
    for (let n = 0; n < 60; n++) {
      const urls = await announce(service.admin, 'many', { version: `1.0.${n}`, checksum: sha256(bytes) });
      await put(urls.version, bytes);
    }
    await Promise.all([sweep(), replica.sweep('plugin uploads'), sweep()]);
    expect((await states('many')).filter((text) => text === 'version available')).toHaveLength(60);
    await publish(service.admin, 'many', { version: '2.0.0' }, bytes);
    expect((await service.as(undefined).get('/v1/plugins?names=many')).body).toMatchObject([{ version: '2.0.0' }]);
  });
});
