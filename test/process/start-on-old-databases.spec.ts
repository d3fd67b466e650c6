import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSchemaObjects } from '../../src/1-platform/database/schema/schema-objects';
import { start, type Start } from '../support/start';
import { asAdmin, dropDatabase, testServer, urlOf } from '../support/test-server';

const OLD_DATABASE = readFileSync(join(__dirname, '../e2e/1-platform/database/before-baseline.sql'), 'utf8');

describe('npm start on a database of the last commit before the baseline', () => {
  const server = testServer();
  const name = `${server.template}_old`;
  const url = urlOf(server, name);
  let started: Start | undefined;

  beforeEach(async () => {
    await asAdmin(server.adminUrl, (client) => client.query(`create database ${name} owner ${server.owner}`));
    await asAdmin(url, (client) => client.query(OLD_DATABASE));
  });
  afterEach(async () => {
    if (started && !started.ended) process.kill(-(started.process.pid ?? 0), 'SIGTERM');
    await started?.exit;
    await dropDatabase(server, name);
  });

  it('upgrades it, with the functions and triggers of the build', async () => {
    started = start({ DATABASE_URL: url });
    await started.address();
    const objects = await asAdmin(url, (client) => client.query('select kind, name, checksum from schema_objects'));
    const expected = readSchemaObjects().map(({ kind, name: of, checksum }) => ({ kind, name: of, checksum }));
    expect(objects.rows).toEqual(expect.arrayContaining(expected));
    expect(objects.rows).toHaveLength(expected.length);
  });

  it('says in one line that it does not know a database that stopped between those migrations', async () => {
    await asAdmin(url, (client) => client.query("delete from migrations where name >= 'P'"));
    started = start({ DATABASE_URL: url });
    expect(await started.exit).toBe(1);
    expect(started.errors).toMatch(
      /^cannot start: the database has \d+ of the 30 migrations that preceded the first release, and 0 others\. .* or use an empty one$/m,
    );
  });
});

describe('npm start on an empty database', () => {
  const server = testServer();
  const name = `${server.template}_empty`;
  const url = urlOf(server, name);
  let started: Start | undefined;

  beforeEach(async () => {
    await asAdmin(server.adminUrl, (client) => client.query(`create database ${name}`));
    const admin = new URL(server.adminUrl);
    admin.pathname = `/${name}`;
    await asAdmin(admin.href, (client) => client.query(`grant create on schema public to ${server.owner}`));
  });
  afterEach(async () => {
    if (started && !started.ended) process.kill(-(started.process.pid ?? 0), 'SIGTERM');
    await started?.exit;
    await dropDatabase(server, name);
  });

  it('creates no token if the schema of the queue cannot be created', async () => {
    started = start({ DATABASE_URL: url });
    expect(await started.exit).toBe(1);
    expect(started.errors).toMatch(/^cannot start: .*permission denied for database/m);
    expect(started.output).not.toContain('Admin token');
    // Otherwise the next start would print none.
    const rows = await asAdmin(url, async (client) => {
      await client.query("set app.system = 'on'");
      return (await client.query('select (select count(*) from access_tokens) + (select count(*) from organisations)'))
        .rows;
    });
    expect(rows).toEqual([{ '?column?': '0' }]);
  });
});
