import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/1-platform/database/connections/data-source-options';
import { inspectDatabase, migrate } from '../../src/1-platform/database/migrate';
import { objectsOf, schemaOf } from '../support/schema';
import { asAdmin, cloneDatabase, dropDatabase, testServer, urlOf } from '../support/test-server';

describe('the migrations', () => {
  let database: { name: string; url: string };
  let source: DataSource;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    source = new DataSource(dataSourceOptions({ databaseUrl: database.url, poolSize: 2, statementTimeoutMs: 30_000 }));
    await source.initialize();
    // The service has run on the copied database and created the partitions of the current time.
    const partitions = await source.query<{ name: string }[]>(
      "select oid::regclass::text as name from pg_class where relispartition and relkind = 'r'",
    );
    for (const { name } of partitions) await source.query(`drop table ${name}`);
  });
  afterAll(async () => {
    await source.destroy();
    await dropDatabase(testServer(), database.name);
  });

  it('make exactly the tables that the entities describe', async () => {
    expect(source.entityMetadatas.length).toBeGreaterThan(15);
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    // Run `npm run migration:generate` to correct a difference.
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('have all run, and do not run again', async () => {
    expect(await source.showMigrations()).toBe(false);
    const applied = () => source.query('select name from migrations order by id');
    const before = await applied();
    await migrate(database.url);
    expect(await applied()).toEqual(before);
  });

  it('can be taken back one by one, and made again to the same', async () => {
    const before = await schemaOf(source);
    expect([before.functions?.length, before.triggers?.length]).not.toContain(0);
    const count = source.migrations.length;
    expect(count).toBeGreaterThan(0);
    for (let undone = 0; undone < count; undone++) await source.undoLastMigration();
    const left = await source.query<{ relname: string }[]>(
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') order by 1",
    );
    expect(left).toEqual([{ relname: 'migrations' }]);
    expect(await objectsOf(source)).toEqual({ functions: [], views: [], triggers: [] });
    await migrate(database.url);
    expect(await schemaOf(source)).toEqual(before);
  });

  it('run one after the other when replicas start together on an empty database', async () => {
    const server = testServer();
    const name = `${database.name}_empty`;
    await asAdmin(server.adminUrl, (client) => client.query(`create database ${name} owner ${server.owner}`));
    try {
      const url = urlOf(server, name);
      await Promise.all([migrate(url), migrate(url), migrate(url)]);
      await asAdmin(url, async (client) => {
        const { rows } = await client.query<{ name: string }>('select name from migrations order by id');
        expect(rows.map((row) => row.name)).toEqual(source.migrations.map((migration) => migration.name));
      });
    } finally {
      await dropDatabase(server, name);
    }
  });

  it('warn of an account that bypasses row level security', async () => {
    expect(await inspectDatabase(database.url)).toEqual({});
    const url = new URL(testServer().adminUrl);
    url.pathname = `/${database.name}`;
    expect((await inspectDatabase(url.href)).warning).toContain('row level security');
  });
});
