import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { downloadPath, follow, publish, temporaryDirectory } from '../../../support/plugins';
import { Service } from '../../../support/service';
import { shownConfiguration } from '../../../support/shown-configuration';
import { asAdmin } from '../../../support/test-server';

/** As docs/guides/operating.md describes it: after a restore, the storage has more than the database. */
describe('a plugin that was published after the backup that is restored', () => {
  const objectStorageDir = temporaryDirectory();
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ objectStorageDir });
  });
  afterAll(() => service.close());

  const download = (version: string) => service.admin.get(downloadPath('criu', { version }));
  const stored = (): string[] =>
    readdirSync(join(objectStorageDir, 'files'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(objectStorageDir, 'files/').length))
      .sort();
  /** By the role of the service, whose rows its policies hide otherwise. */
  const known = (): Promise<string[]> =>
    asAdmin(service.environment.databaseUrl ?? '', async (client) => {
      // The rows are in the answer to one of the statements.
      const answers = (await client.query(shownConfiguration('sql', 'plugin_objects'))) as unknown as {
        rows: { object_key: string }[];
      }[];
      return answers.flatMap(({ rows }) => rows.map(({ object_key: key }) => key));
    });

  it('is unknown until it is published again, replaces no bytes, and is left behind as the guide lists it', async () => {
    const before = await publish(service.admin, 'criu', { version: '1.0.0' });
    expect(await follow(await download('1.0.0'))).toEqual(before);
    await publish(service.admin, 'criu', { version: '1.1.0' });
    expect((await download('1.1.0')).status).toBe(302);
    const all = stored();
    expect(all).toHaveLength(4);
    expect(await known()).toEqual(all);

    // The backup has no rows of it.
    const { rows } = await service.db.query<{ object_key: string }>(
      "delete from plugin_objects where version = '1.1.0' returning object_key",
    );
    const lost = rows.map(({ object_key: key }) => key);
    expect((await download('1.1.0')).status).toBe(404);
    expect(await follow(await service.admin.get(downloadPath('criu')))).toEqual(before);

    const again = await publish(service.admin, 'criu', { version: '1.1.0' });
    expect(await follow(await download('1.1.0'))).toEqual(again);
    await service.sweep('plugin uploads');
    const listed = await known();
    expect(stored().filter((key) => !listed.includes(key))).toEqual(lost.sort());
  });
});
