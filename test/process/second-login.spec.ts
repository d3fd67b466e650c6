import type pg from 'pg';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { TOKEN } from '../support/replicas';
import { Caller } from '../support/service';
import { shownConfiguration } from '../support/shown-configuration';
import { startBuilt, type Start } from '../support/start';
import { asAdmin } from '../support/test-server';

const PASSWORD = 'a new password';
const CLUSTERS = '/v1/cluster';

/** How docs/guides/operating.md replaces the password of the database. */
describe('a second login that acts as the owner of the database', () => {
  let postgres: OwnPostgres;
  let second: string;
  const running: Start[] = [];

  beforeAll(async () => {
    postgres = await OwnPostgres.create();
    await inDatabase((admin) =>
      admin.query(shownConfiguration('sql', 'create role').replaceAll('control_plane', 'service')),
    );
    const url = new URL(postgres.url);
    [url.username, url.password] = ['service_2', PASSWORD];
    second = url.href;
  });
  afterAll(async () => {
    for (const start of running) {
      start.kill();
      await start.exit;
    }
    await postgres.remove();
  });

  const inDatabase = <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> => asAdmin(postgres.adminUrl, work);

  async function serve(url: string): Promise<{ start: Start; admin: Caller }> {
    const start = startBuilt({ DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN });
    running.push(start);
    return { start, admin: new Caller(await start.address(), TOKEN) };
  }

  const rowsOn = <Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> =>
    asAdmin(url, async (client) => (await client.query<Row>(text)).rows);

  it('migrates, serves beside the first one, and goes on when that has no password any more', async () => {
    const migrating = await serve(second);
    const owners = `select distinct tableowner as owner from pg_tables where schemaname in ('public', 'pgboss')`;
    expect(await rowsOn(postgres.url, owners)).toEqual([{ owner: 'service' }]);

    const before = await serve(postgres.url);
    expect((await migrating.admin.post(CLUSTERS, { cluster_name: 'of-the-second' })).status).toBe(200);
    expect((await before.admin.post(CLUSTERS, { cluster_name: 'of-the-first' })).status).toBe(200);
    for (const { admin } of [migrating, before])
      expect((await admin.get(CLUSTERS)).body).toMatchObject([{ name: 'of-the-first' }, { name: 'of-the-second' }]);

    before.start.process.kill('SIGTERM');
    expect(await before.start.exit).toBe(0);
    await inDatabase((admin) => admin.query('alter role service password null'));
    await inDatabase((admin) => postgres.terminate(admin, 1));
    await eventually(async () => expect((await migrating.admin.get(CLUSTERS)).status).toBe(200));
    expect(migrating.start.ended).toBe(false);
  });

  it('sees what the server does for its own connections, which tells dead ones from busy ones', async () => {
    const hidden = `select count(*)::int as n from pg_stat_activity where usename = session_user and state is null`;
    expect(await rowsOn(second, hidden)).toEqual([{ n: 0 }]);
    expect(await rowsOn(second, 'select current_user as acts_as, session_user as login')).toEqual([
      { acts_as: 'service', login: 'service_2' },
    ]);
  });
});
