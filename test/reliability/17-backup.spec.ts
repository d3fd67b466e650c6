import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith } from '../support/components';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas } from '../support/replicas';
import { call } from '../support/steady-load';
import { asAdmin } from '../support/test-server';

const run = promisify(execFile);
const HOME = '/usr/lib/postgresql/15';
const RUN_MS = 20 * 60_000;
const GIBIBYTE = 2 ** 30;

/** More than a gigabyte with its indexes. */
const FILL = `
  insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers, restarts,
    labels, object, deleted, resource_version, created_at)
  select c.org_id, gen_random_uuid(), c.id, gen_random_uuid(), 'pod-' || n, 'ns-' || n % 20, '', 'Running', 1, 1, 0,
    '{}', json_build_object('note', md5(n::text) || md5((n + 1)::text) || repeat(md5((n + 2)::text), 20)), false, n, clock_timestamp()
  from clusters c, generate_series(1, 640000) n`;

/** As docs/guides/operating.md describes it. */
describeWith(['PostgreSQL 15'], 'a backup of a gigabyte', () => {
  let postgres: OwnPostgres;
  let replicas: Replicas;
  let directory: string;
  const program = (name: string): string => join(HOME, 'bin', name);
  const env = { ...process.env, PGOPTIONS: '-c app.system=on' };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'backup-'));
    postgres = await OwnPostgres.create(directory, { home: HOME });
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, { LOG_LEVEL: 'fatal' });
    await call(replicas.of(0), '/v1/cluster', { cluster_name: 'kept' });
    await replicas.db.query(FILL);
  }, RUN_MS);
  afterAll(async () => {
    await replicas.close();
    rmSync(directory, { recursive: true, force: true });
    printFigures();
  });

  /** The md5 of the rows of each table, and of none of the lists that sweeps change. */
  async function contentsOf(url: string): Promise<Record<string, string>> {
    return asAdmin(url, async (client) => {
      await client.query('set app.system = on');
      const { rows: tables } = await client.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public' order by 1",
      );
      const found: Record<string, string> = {};
      for (const { name } of tables) {
        const query = `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from ${name} t`;
        found[name] = (await client.query<{ sum: string }>(query)).rows[0]?.sum ?? '';
      }
      return found;
    });
  }

  it(
    'restores every row, in time, and the service starts on it',
    async () => {
      // Nothing changes meanwhile.
      const replica = replicas.of(0);
      replica.process.process.kill('SIGTERM');
      await replica.process.exit;
      const before = await contentsOf(postgres.url);
      const { rows: sizes } = await asAdmin(postgres.url, (client) =>
        client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes'),
      );
      const dump = join(directory, 'dump');
      await run(program('pg_dump'), ['--enable-row-security', '--format=custom', `--file=${dump}`, postgres.url], {
        env,
      });

      const began = performance.now();
      const admin = new URL(postgres.adminUrl);
      const url = new URL(postgres.url);
      await asAdmin(admin.href, (client) => client.query(`create database restored owner ${url.username}`));
      url.pathname = '/restored';
      const options = ['--no-owner', '--exit-on-error', '--single-transaction', `--dbname=${url.href}`, dump];
      await run(program('pg_restore'), options, { env });
      const restoredMs = performance.now() - began;
      // A service writes when its tokens were used, so this comes before its start.
      const after = await contentsOf(url.href);
      const differ = Object.keys({ ...before, ...after }).filter((table) => before[table] !== after[table]);

      const startedAt = performance.now();
      const restored = await replicas.add({ DATABASE_URL: url.href });
      const answer = await call(restored, '/v1/cluster');
      const took = restoredMs + performance.now() - startedAt;
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"kept"')]);
      restored.process.process.kill('SIGTERM');
      await restored.process.exit;

      const bytes = Number(sizes[0]?.bytes);
      const attack = `pg_dump and pg_restore of ${(bytes / GIBIBYTE).toFixed(1)} GiB, ${(statSync(dump).size / 2 ** 20).toFixed(0)} MiB compressed`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 17, attack, measure, value, unit, bound, on: 'PostgreSQL 15' });
      record('tables that differ by md5', differ.length, { atMost: 0 });
      record('size', bytes / 1e9, { atLeast: 1 }, 'GB');
      record('tables compared', Object.keys(before).length, { atLeast: 60 });
      record('the restore, and the start until the first reply', took / 1_000, { atMost: 60 }, 's');
      expect(differ).toEqual([]);
    },
    RUN_MS,
  );
});
