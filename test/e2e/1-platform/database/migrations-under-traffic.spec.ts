import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { newId } from '../../../../src/1-platform/common/ids';
import { dataSourceOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { migrate } from '../../../../src/1-platform/database/migrate';
import { schemaOf } from '../../../support/schema';
import { cloneDatabase, dropDatabase, testServer } from '../../../support/test-server';

/** Far below the seconds for which somebody holds the tables here. */
const SHORT_MS = 1_000;
const HELD_MS = 3_000;
const ORG = newId();

describe('the migrations of a database at the baseline', () => {
  let database: { name: string; url: string };
  let source: DataSource;

  beforeEach(async () => {
    database = await cloneDatabase(testServer());
    source = new DataSource(dataSourceOptions({ databaseUrl: database.url, poolSize: 1, statementTimeoutMs: 60_000 }));
    await source.initialize();
  });
  afterEach(async () => {
    await source.destroy();
    await dropDatabase(testServer(), database.name);
  });

  const connected = async (options = ''): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url, options });
    await client.connect();
    return client;
  };

  it.each([
    ['reads', 'select from pods', 'select from outbox_events'],
    ['writes', 'delete from pods', 'delete from outbox_events'],
  ])(
    'keep nobody waiting behind a transaction that %s their tables for long, and end with the same schema',
    async (_does, ...held) => {
      const schema = await schemaOf(source);
      for (let left = source.migrations.length; left > 1; left--) await source.undoLastMigration();
      const holder = await connected();
      await holder.query('begin');
      for (const statement of held) await holder.query(statement);
      const migrated = migrate(database.url);

      const other = await connected(`-c statement_timeout=${SHORT_MS}`);
      const until = performance.now() + HELD_MS;
      while (performance.now() < until) {
        // Both would queue behind a migration that waits for the tables.
        for (const table of ['pods', 'outbox_events']) {
          await other.query(`select from ${table} limit 1`);
          await other.query(`update ${table} set org_id = org_id where false`);
        }
        await sleep(5);
      }
      await holder.query('commit');
      await migrated;
      await Promise.all([holder.end(), other.end()]);
      expect(await schemaOf(source)).toEqual(schema);
    },
  );

  it('shorten the phase of a pod that no index could hold', async () => {
    for (let left = source.migrations.length; left > 1; left--) await source.undoLastMigration();
    const db = await connected('-c app.system=on');
    const text = (length: number) =>
      `(select string_agg(chr(19968 + (random() * 20000)::int), '') from generate_series(1, ${length}))`;
    await db.query("insert into organisations (id, name, created_at) values ($1, 'long', now())", [ORG]);
    await db.query("insert into clusters (org_id, id, name, kind) values ($1, $1, 'long', 'kubernetes')", [ORG]);
    await db.query(
      `insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers,
         restarts, labels, object, deleted, resource_version, created_at)
       values ($1, $1, $1, 'pod', ${text(253)}, ${text(253)}, ${text(253)}, ${text(300)}, 1, 1, 0, '{}', '{}', false, 1, now())`,
      [ORG],
    );
    const { rows: before } = await db.query('select phase from pods');
    await migrate(database.url);
    const { rows: after } = await db.query('select phase from pods');
    await db.end();
    expect(after).toEqual([{ phase: before[0].phase.slice(0, 64) }]);
  });
});
