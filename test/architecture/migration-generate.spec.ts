import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asAdmin, cloneDatabase, dropDatabase, testServer } from '../support/test-server';

const run = promisify(execFile);

/** A copy of the database that the newest migrations made, with the partitions of a service that has run. */
describe('npm run migration:generate', () => {
  let database: { name: string; url: string };
  let directory: string;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    directory = mkdtempSync(join(tmpdir(), 'migration-'));
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await dropDatabase(testServer(), database.name);
  });

  const generate = (name: string) =>
    run('npm', ['run', '-s', 'migration:generate', '--', join(directory, name)], {
      env: { ...process.env, DATABASE_URL: database.url },
    }).then(
      ({ stdout }) => ({ code: 0, printed: stdout }),
      // Why it failed is in its errors.
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        printed: `${stdout}\n${stderr}`,
      }),
    );

  it('finds no change at the newest migration, as CONTRIBUTING.md says', async () => {
    expect(await generate('Nothing')).toEqual({
      code: 1,
      printed: expect.stringContaining('No changes in database schema were found') as string,
    });
    expect(readdirSync(directory)).toEqual([]);
  }, 300_000);

  it('writes a migration for a column that an entity has and the database has not', async () => {
    await asAdmin(database.url, (client) => client.query('alter table plugin_objects drop column checksum'));
    expect(await generate('AddsColumn')).toMatchObject({ code: 0 });
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^\d+-AddsColumn\.ts$/)]);
  }, 300_000);
});
