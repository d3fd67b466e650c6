import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { migrate } from '../../../../src/1-platform/database/migrate';
import { account, accountOf, sendTelemetry } from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { schemaOf } from '../../../support/schema';
import { ADMIN_TOKEN, Service } from '../../../support/service';
import { asAdmin, cloneDatabase, dropDatabase, poolOf, testServer, urlOf } from '../../../support/test-server';

/** What the last commit before the baseline left of its 30 migrations and of a few requests. */
const OLD_DATABASE = readFileSync(join(__dirname, 'before-baseline.sql'), 'utf8');

describe('a database of the last commit before the baseline', () => {
  const server = testServer();
  const names: string[] = [];

  /** @returns its URL */
  async function newDatabase(sql = ''): Promise<string> {
    const name = `upgrade_${randomBytes(4).toString('hex')}`;
    names.push(name);
    await asAdmin(server.adminUrl, (client) => client.query(`create database ${name} owner ${server.owner}`));
    const url = urlOf(server, name);
    await asAdmin(url, (client) => client.query(sql));
    return url;
  }
  afterAll(async () => {
    for (const name of names) await dropDatabase(server, name);
  });

  async function onSource<T>(databaseUrl: string, work: (source: DataSource) => Promise<T>): Promise<T> {
    const source = new DataSource({
      ...dataSourceOptions({ databaseUrl, poolSize: 1, statementTimeoutMs: 30_000 }),
      entities: [],
      migrations: [],
    });
    await source.initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  }
  const migrationsOf = (url: string) =>
    onSource(url, (source) =>
      source.query<{ timestamp: number; name: string }[]>('select timestamp, name from migrations order by timestamp'),
    );

  it('gets the schema of a new database, whichever of several replicas comes first', async () => {
    const old = await newDatabase(OLD_DATABASE);
    const { name, url } = await cloneDatabase(server);
    names.push(name);
    await Promise.all([migrate(old), migrate(old), migrate(old)]);
    expect(await onSource(old, schemaOf)).toEqual(await onSource(url, schemaOf));
    expect(await migrationsOf(old)).toEqual(await migrationsOf(url));
  });

  it('keeps its rows, and the service goes on with them', async () => {
    const databaseUrl = await newDatabase(OLD_DATABASE);
    const tables = [
      'clusters',
      'nodes',
      'access_tokens',
      'ledger_entries',
      'usage_records',
      'usage_rollups',
      'busy_hours',
    ];
    const rows = async () => {
      const db = poolOf(databaseUrl);
      const found = await Promise.all(
        tables.map((table) => db.query<{ row: object }>(`select to_jsonb(t) as row from ${table} t order by 1`)),
      );
      await db.end();
      return found.map(({ rows }) => rows);
    };
    const before = await rows();
    expect(before.map((found) => found.length)).toEqual([1, 1, 4, 3, 1, 3, 1]);
    await migrate(databaseUrl);
    // All of that stays, and new columns are filled. There are sums of longer spans than before.
    const added: { readonly [table: string]: object } = {
      usage_records: { unreported: false, repeated: 0 },
    };
    const longer = (row: object): boolean =>
      (row as { step?: number }).step === 86_400 || (row as { step?: number }).step === 864_000;
    const after = await rows();
    expect(after.map((found) => found.filter(({ row }) => !longer(row)))).toEqual(
      before.map((found, place) => found.map(({ row }) => ({ row: { ...row, ...added[tables[place] ?? ''] } }))),
    );
    expect(after.flat().filter(({ row }) => longer(row))).toHaveLength(2);

    const service = await Service.start();
    const db = poolOf(databaseUrl);
    try {
      const { as } = await service.replica({ databaseUrl });
      const admin = as(ADMIN_TOKEN);
      expect((await admin.get('/v1/cluster')).body).toMatchObject([{ name: 'kept' }]);
      const issued = await admin.post('/v1/tokens', { name: 'controller', role: 'controller' });
      const controller = as((issued.body as { raw_token: string }).raw_token);
      const profile = (
        await db.query<{ profile_id: string; logical_model: string }>(
          'select profile_id, logical_model from route_targets',
        )
      ).rows[0];
      // A request that was under way.
      const request = { request_id: 'open-request', logical_model: profile?.logical_model ?? '' };
      const usage = { profile_id: profile?.profile_id, prompt_tokens: 100, completion_tokens: 100, queue_ms: 5 };
      expect((await sendTelemetry(controller, request, { ...usage, activation_path: 'warm' })).status).toBe(200);

      const { rows: keys } = await db.query<{ id: string }>('select id from inference_keys');
      const { reserved } = await accountOf({ db } as Service, keys[0]?.id ?? '');
      expect(reserved).toBe(account('0', '0').reserved);
      await expectSoundLedger(db);
      const { rows: sums } = await db.query(
        'select sum(requests)::int as requests from usage_rollups where step = 3600',
      );
      expect(sums).toEqual([{ requests: 2 }]);
      await expect(db.query('delete from ledger_entries')).rejects.toThrow('stay as they are');
    } finally {
      await db.end();
      await service.close();
    }
  });

  it.each([
    ['some of its migrations', "delete from migrations where name >= 'P'", 'of the 30 migrations'],
    ['the first of its migrations', "delete from migrations where name <> 'Baseline1795200000000'", 'has 1 of the 30'],
    [
      'an unknown migration beside them',
      "insert into migrations (timestamp, name) values (1, 'Unknown1')",
      'has 30 of the 30',
    ],
    [
      'rows of an even earlier build',
      `set app.system = 'on';
       insert into slurm_jobs
         (org_id, cluster_id, job_id, name, nodes, priority, status, start_time, submit_time, ranks)
       select org_id, id, 1, '', '', 0, 'RUNNING', 0, 0, '' from clusters limit 1`,
      "slurm_jobs has rows with ranks = ''",
    ],
  ])('is refused, and left as it is, if it has %s', async (_what, change, message) => {
    const url = await newDatabase(OLD_DATABASE);
    await asAdmin(url, (client) => client.query(change));
    const before = await onSource(url, schemaOf);
    const migrations = await migrationsOf(url);
    await expect(migrate(url)).rejects.toThrow(message);
    expect(await migrationsOf(url)).toEqual(migrations);
    expect(await onSource(url, schemaOf)).toEqual(before);
    await expect(migrate(url)).rejects.toThrow(message);
  });
});
