import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PRICED } from '../support/chat';
import { authorized, buildModel, issueKey } from '../support/inference';
import { Service, type Organisation } from '../support/service';
import { asAdmin, testServer, urlOf } from '../support/test-server';

const run = promisify(execFile);

const COUNTS = `
  select c.relname as name, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', n.nspname, c.relname),
    false, true, '')))[1]::text as rows
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') order by 1`;

/** An organisation is created, and a cluster, and the test writes one itself. */
const CHANGES = 3;
const IN_THE_LAST_PARTITION = `
  insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, request_id)
  select $1, gen_random_uuid(), max(since), 'tests', 'admin', 'written', 'cluster', '' from partitions_of('audit_entries')`;

/** As docs/guides/operating.md describes it, with the programs of the server's own installation. */
describe('a backup by the owner of the database', () => {
  const program = (name: string): string => join(process.env.TEST_POSTGRES_HOME ?? '', 'bin', name);
  const env = { ...process.env, PGOPTIONS: '-c app.system=on' };
  const restored = 'restored_from_backup';
  let directory: string;
  let service: Service;
  let org: Organisation;
  let dump: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'backup-'));
    dump = join(directory, 'control-plane.dump');
    service = await Service.start();
    org = await service.organisation();
    await org.operator.post('/v1/cluster', { cluster_name: 'kept' });
    await service.db.query(IN_THE_LAST_PARTITION, [org.id]);
  });
  afterAll(async () => {
    await service.close();
    await asAdmin(testServer().adminUrl, (client) => client.query(`drop database if exists ${restored} with (force)`));
    rmSync(directory, { recursive: true });
  });

  const countsOf = async (url: string): Promise<unknown> =>
    asAdmin(url, async (client) => {
      await client.query('set app.system = on');
      return (await client.query(COUNTS)).rows;
    });

  /** Into a new database of this name. @returns its address */
  async function dumpedAndRestored(name: string, ...more: readonly string[]): Promise<string> {
    const { databaseUrl = '' } = service.environment;
    const dumped = ['--enable-row-security', '--format=custom', ...more, `--file=${dump}`, databaseUrl];
    await run(program('pg_dump'), dumped, { env });
    await asAdmin(testServer().adminUrl, (client) =>
      client.query(`create database ${name} owner ${testServer().owner}`),
    );
    const url = urlOf(testServer(), name);
    const options = ['--no-owner', '--exit-on-error', '--single-transaction', `--dbname=${url}`, dump];
    await run(program('pg_restore'), options, { env });
    return url;
  }

  it('contains every row, and the service starts on the restored database', async () => {
    const { databaseUrl = '' } = service.environment;
    const before = await countsOf(databaseUrl);
    const url = await dumpedAndRestored(restored);
    expect(await countsOf(url)).toEqual(before);
    expect(before).toContainEqual({ name: 'clusters', rows: '1' });
    // A backup reads partitions by their own names.
    expect(before).toContainEqual({ name: 'audit_entries', rows: String(CHANGES) });
    expect(before).toContainEqual({ name: 'audit_entries_before', rows: String(CHANGES - 1) });
    expect(before).toContainEqual({ name: expect.stringMatching(/^audit_entries_\d{8}$/), rows: '1' });

    const { url: address } = await service.replica({ databaseUrl: url });
    const answer = await fetch(`${address}/v1/cluster`, {
      headers: { authorization: `Bearer ${org.viewer.token}` },
    });
    expect(await answer.json()).toMatchObject([{ name: 'kept' }]);
  });

  it('may be a file of a part of the ledger alone, from which its entries can be read again', async () => {
    const { model } = await buildModel(org, [PRICED]);
    await authorized(await issueKey(service, org), model);
    const { databaseUrl = '' } = service.environment;
    const psql = (...commands: readonly string[]) =>
      run(program('psql'), ['-At', databaseUrl, ...commands.map((command) => `--command=${command}`)], { env });
    const file = join(directory, 'ledger.csv');
    await psql(`\\copy (select * from ledger_entries_before) to '${file}' with (format csv, header)`);
    const { stdout } = await psql(
      'create temporary table archived (like ledger_entries)',
      `\\copy archived from '${file}' with (format csv, header)`,
      'select count(*) from ledger_entries',
      'select count(*) from (table ledger_entries intersect table archived) same',
    );
    expect(stdout.trim().split('\n').slice(-2)).toEqual(['1', '1']);
  });

  it('is empty without the setting that shows every organisation', async () => {
    const { databaseUrl = '' } = service.environment;
    const options = ['--enable-row-security', '--data-only', '--table=clusters', databaseUrl];
    const { stdout } = await run(program('pg_dump'), options, { env: { ...process.env, PGOPTIONS: '' } });
    expect(stdout).not.toContain('kept');
    expect((await run(program('pg_dump'), options, { env })).stdout).toContain('kept');
  });
});
