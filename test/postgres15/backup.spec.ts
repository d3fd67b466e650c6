import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { PRICED } from '../support/chat';
import { accountOf, authorize, authorized, buildModel, issueKey, sendTelemetry } from '../support/inference';
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
  const [restored, withoutLedger] = ['restored_from_backup', 'restored_without_ledger'];
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
    for (const name of [restored, withoutLedger])
      await asAdmin(testServer().adminUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
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

  it('may leave the entries of the ledger in an archive, and keys keep what they have spent and reserved', async () => {
    const { model, profileIds } = await buildModel(org, [PRICED]);
    const key = await issueKey(service, org, { budget_usd: 0.006 });
    // With 1,024 tokens of an answer each reserves 0.002036, and costs 0.0005 without one.
    const tokens = { estimated_prompt_tokens: 1_000 };
    const served = await authorized(key, model, tokens);
    const used = { profile_id: profileIds[0], prompt_tokens: 1_000, completion_tokens: 0 };
    expect((await sendTelemetry(org.controller, served, used)).status).toBe(200);
    const open = await authorized(key, model, tokens);
    const { spent, reserved } = await accountOf(service, key.keyId);
    expect([Number(spent), Number(reserved)]).toEqual([0.0005, 0.002036]);
    const POSITIONS = 'select count(*)::int as entries, max(position)::float8 as last from ledger_entries';
    const positionsIn = async (address: string): Promise<{ entries: number; last: number } | undefined> =>
      asAdmin(address, async (client) => {
        await client.query('set app.system = on');
        return (await client.query<{ entries: number; last: number }>(POSITIONS)).rows[0];
      });
    const before = await positionsIn(service.environment.databaseUrl ?? '');
    expect(before?.entries).toBe(3);

    const url = await dumpedAndRestored(withoutLedger, '--exclude-table-data=ledger_entries');
    expect(await positionsIn(url)).toEqual({ entries: 0, last: null });
    const { as } = await service.replica({ databaseUrl: url });
    const account = async (): Promise<unknown> => {
      const { body } = await as(org.operator.token).get('/v1/inference/keys');
      const [{ spent_usd, reserved_usd } = {}] = (body as JsonObject[]).filter(({ key_id: id }) => id === key.keyId);
      return { spent_usd, reserved_usd };
    };
    expect(await account()).toEqual({ spent_usd: 0.0005, reserved_usd: 0.002036 });
    expect((await sendTelemetry(as(org.controller.token), open, used)).status).toBe(200);
    expect(await account()).toEqual({ spent_usd: 0.001, reserved_usd: 0 });
    // Two more fit into the budget.
    const asked: number[] = [];
    for (let n = 0; n < 3; n++) asked.push((await authorize(as(key.rawKey), model, tokens)).status);
    expect(asked).toEqual([200, 200, 402]);
    const after = await positionsIn(url);
    expect(after?.entries).toBe(3);
    expect(after?.last).toBeGreaterThan(before?.last ?? NaN);
  });

  it('is empty without the setting that shows every organisation', async () => {
    const { databaseUrl = '' } = service.environment;
    const options = ['--enable-row-security', '--data-only', '--table=clusters', databaseUrl];
    const { stdout } = await run(program('pg_dump'), options, { env: { ...process.env, PGOPTIONS: '' } });
    expect(stdout).not.toContain('kept');
    expect((await run(program('pg_dump'), options, { env })).stdout).toContain('kept');
  });
});
