import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { shownConfiguration } from '../support/shown-configuration';
import { asAdmin } from '../support/test-server';

const SEGMENT_BYTES = 16 * 1024 ** 2;

/** With the settings of docs/guides/operating.md. */
describe('the archive of the log', () => {
  let directory: string;
  let archive: string;
  let postgres: OwnPostgres;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'log-archive-'));
    archive = join(directory, 'archive');
    mkdirSync(archive);
    for (const path of [directory, archive]) chmodSync(path, 0o777);
    const lines = shownConfiguration('conf').replaceAll('/archive', archive).trim().split('\n');
    const settings = Object.fromEntries(lines.map((line) => /^(\w+) = '?(.*?)'?$/.exec(line)?.slice(1) ?? []));
    postgres = await OwnPostgres.create(directory, { home: process.env.TEST_POSTGRES_HOME ?? '', settings });
  });
  afterAll(async () => {
    await postgres.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const inDatabase = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => asAdmin(postgres.adminUrl, work);

  /** The file of the log to which the server writes. */
  async function currentFile(client: pg.Client): Promise<string> {
    const { rows } = await client.query<{ file: string }>(
      'select pg_walfile_name(pg_current_wal_insert_lsn()) as file',
    );
    return rows[0]?.file ?? '';
  }

  /** Ends the current file, which the archive then gets. @returns its name */
  async function endFile(client: pg.Client): Promise<string> {
    await client.query('create table if not exists written (at timestamptz)');
    await client.query('insert into written values (now())');
    const file = await currentFile(client);
    await client.query('select pg_switch_wal()');
    return file;
  }

  async function isArchived(client: pg.Client, file: string): Promise<void> {
    await eventually(async () => {
      const { rows } = await client.query('select last_archived_wal, failed_count from pg_stat_archiver');
      expect(rows).toEqual([{ last_archived_wal: file, failed_count: '0' }]);
    });
  }

  async function alarm(client: pg.Client): Promise<unknown> {
    const { rows } = await client.query<{ archiving_fails: boolean }>(shownConfiguration('sql', 'pg_stat_archiver'));
    return rows[0]?.archiving_fails;
  }

  it('accepts a file again that it has already, as after a crash', () =>
    inDatabase(async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      const states = join(rows[0]?.data_directory ?? '', 'pg_wal/archive_status');
      const first = await endFile(client);
      await isArchived(client, first);
      renameSync(join(states, `${first}.done`), join(states, `${first}.ready`));
      await isArchived(client, await endFile(client));
      // The server counts it as archived.
      expect(statSync(join(states, `${first}.done`)).isFile()).toBe(true);
      expect(await alarm(client)).toBe(false);
    }));

  it('has whole files only, also where a copy was cut', () =>
    inDatabase(async (client) => {
      const file = await currentFile(client);
      writeFileSync(join(archive, `${file}.new`), 'half of it');
      chmodSync(join(archive, `${file}.new`), 0o666);
      expect(await endFile(client)).toBe(file);
      await isArchived(client, file);
      expect(statSync(join(archive, file)).size).toBe(SEGMENT_BYTES);
    }));

  it('keeps a file that another one would replace, and the statement for an alarm reports it until it is gone', () =>
    inDatabase(async (client) => {
      const file = await currentFile(client);
      const taken = join(archive, file);
      writeFileSync(taken, 'of another server');
      expect(await endFile(client)).toBe(file);
      await eventually(async () => expect(await alarm(client)).toBe(true));
      expect(readFileSync(taken, 'utf8')).toBe('of another server');

      rmSync(taken);
      await endFile(client);
      await eventually(async () => expect(await alarm(client)).toBe(false));
      expect(statSync(taken).size).toBe(SEGMENT_BYTES);
    }));
});
