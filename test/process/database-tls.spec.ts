import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { unprivilegedAccount } from '../../src/1-platform/database/embedded/embedded-account';
import { Authority } from '../support/authority';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { TOKEN } from '../support/replicas';
import { Caller } from '../support/service';
import { startBuilt, type Start } from '../support/start';
import { asAdmin } from '../support/test-server';

/** As docs/guides/operating.md describes it. */
describeWith(['openssl'], 'a PostgreSQL whose certificate is from an authority of its own', () => {
  let directory: string;
  let postgres: OwnPostgres;
  let first: Authority;
  let second: Authority;
  let started: Start | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'database-tls-'));
    chmodSync(directory, 0o755);
    first = new Authority(directory, 'first');
    second = new Authority(directory, 'second');
    postgres = await OwnPostgres.create(directory);
    await certify(first);
    await inDatabase(async (admin) => {
      const { rows } = await admin.query<{ hba_file: string }>('show hba_file');
      const file = rows[0]?.hba_file ?? '';
      const lines = readFileSync(file, 'utf8');
      // The first line that matches decides.
      writeFileSync(file, `host all postgres 127.0.0.1/32 scram-sha-256\nhostnossl all all all reject\n${lines}`);
    });
    await reload();
  });
  afterEach(async () => {
    started?.kill();
    await started?.exit;
  });
  afterAll(async () => {
    await postgres.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const inDatabase = <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> => asAdmin(postgres.adminUrl, work);

  /** The server presents a certificate of this authority to new connections. */
  async function certify(authority: Authority): Promise<void> {
    const { certificate, key } = authority.issue('IP:127.0.0.1', await unprivilegedAccount());
    await inDatabase(async (admin) => {
      for (const [name, value] of Object.entries({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key }))
        await admin.query(`alter system set ${name} = '${value}'`);
    });
    await reload();
  }

  /** The server reads its files once it has time: resolves when new connections have what is in them. */
  async function reload(): Promise<void> {
    const loadedAt = (): Promise<Date | undefined> =>
      inDatabase(async (admin) => {
        const { rows } = await admin.query<{ at: Date }>('select pg_conf_load_time() as at');
        return rows[0]?.at;
      });
    const before = await loadedAt();
    await inDatabase((admin) => admin.query('select pg_reload_conf()'));
    await eventually(async () => expect(await loadedAt()).not.toEqual(before));
  }

  const addressWith = (parameters: string, host = '127.0.0.1'): string =>
    `${postgres.url.replace('127.0.0.1', host)}?${parameters}`;
  const startWith = (url: string): Start => (started = startBuilt({ DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN }));

  /** Connections of the service by whether they are encrypted. */
  const connections = (): Promise<{ encrypted: boolean; some: boolean }[]> =>
    inDatabase(async (admin) => {
      const { rows } = await admin.query<{ encrypted: boolean; some: boolean }>(
        `select ssl as encrypted, count(*) > 1 as some from pg_stat_ssl join pg_stat_activity using (pid)
         where usename = 'service' group by ssl`,
      );
      return rows;
    });

  it('is reached by encrypted connections only, and a renewed authority without a restart', async () => {
    const authorities = join(directory, 'ca.crt');
    writeFileSync(authorities, first.text);
    const service = startWith(addressWith(`sslmode=verify-full&sslrootcert=${authorities}`));
    const url = await service.address();
    const admin = new Caller(url, TOKEN);
    expect((await admin.get('/v1/cluster')).status).toBe(200);
    expect(await connections()).toEqual([{ encrypted: true, some: true }]);

    // Both authorities, then the server, then the new one alone.
    writeFileSync(authorities, first.text + second.text);
    await certify(second);
    writeFileSync(authorities, second.text);
    await inDatabase((client) => postgres.terminate(client, 1));
    await eventually(async () => expect((await admin.get('/v1/cluster')).status).toBe(200));
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
    // The connections come back one by one.
    await eventually(async () => expect(await connections()).toEqual([{ encrypted: true, some: true }]));
    expect(service.ended).toBe(false);
    await certify(first);
  });

  it('is away while the file of the authority is missing, and back with the file, without a restart', async () => {
    const authorities = join(directory, 'moved.crt');
    writeFileSync(authorities, first.text);
    const service = startWith(addressWith(`sslmode=verify-full&sslrootcert=${authorities}`));
    const url = await service.address();
    const admin = new Caller(url, TOKEN);
    rmSync(authorities);
    await inDatabase((client) => postgres.terminate(client, 1));
    // More requests than the pools have connections: none of these may be lost.
    for (let asked = 0; asked < 30; asked++) expect((await admin.get('/v1/cluster')).status).toBe(503);
    await eventually(() => expect(service.errors).toContain('the connection for notifications was lost'));
    writeFileSync(authorities, first.text);
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
    expect((await admin.get('/v1/cluster')).status).toBe(200);
    const listening = `select count(*)::int as n from pg_stat_activity where usename = 'service' and query like 'listen %'`;
    await eventually(() =>
      inDatabase(async (client) => expect((await client.query(listening)).rows).toEqual([{ n: 1 }])),
    );
    expect(service.ended).toBe(false);
  });

  it.each([
    ['of another authority', () => addressWith(`sslmode=verify-full&sslrootcert=${second.certificate}`), /certificate/],
    ['of an authority that Node does not know', () => addressWith('sslmode=require'), /certificate/],
    [
      'for another host',
      () => addressWith(`sslmode=verify-full&sslrootcert=${first.certificate}`, 'localhost'),
      /does not match certificate's altnames/,
    ],
    ['that nobody asks for, because the connection is not encrypted', () => postgres.url, /no encryption/],
  ])(
    'refuses a start with one line for a certificate %s',
    async (_which, url, reason) => {
      const service = startWith(url());
      expect(await service.exit).toBe(1);
      expect(service.errors).toMatch(/^cannot start: /m);
      expect(service.errors).toMatch(reason);
      expect(service.errors).not.toContain('cannot be reached yet');
    },
    60_000,
  );
});
