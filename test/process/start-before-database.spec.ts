import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { TOKEN } from '../support/replicas';
import { startBuilt, type Start } from '../support/start';
import { asAdmin } from '../support/test-server';

/** As after a crash of a machine, on which a supervisor starts both again. */
describe('a start while the database does not answer', () => {
  let postgres: OwnPostgres;
  let started: Start | undefined;

  beforeAll(async () => {
    postgres = await OwnPostgres.create();
  });
  afterEach(async () => {
    started?.kill();
    await started?.exit;
  });
  afterAll(() => postgres.remove());

  const startOn = (url: string): Start => (started = startBuilt({ DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN }));

  it('waits for a server that is not there yet, and says so once', async () => {
    await postgres.kill();
    const service = startOn(postgres.url);
    const waits = /the database cannot be reached yet/g;
    await eventually(() => expect(service.errors).toMatch(waits), 60_000);
    await postgres.start();
    const answer = await fetch(`${await service.address()}/readyz`);
    expect(answer.status).toBe(200);
    expect(service.errors.match(waits)).toHaveLength(1);
  });

  it('ends when it is stopped meanwhile', async () => {
    await postgres.stop();
    const service = startOn(postgres.url);
    await eventually(() => expect(service.errors).toContain('cannot be reached yet'), 60_000);
    service.process.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(service.errors).not.toContain('cannot start');
    await postgres.start();
  });

  it('waits for a connection, while those of others are all that the server allows', async () => {
    // As replicas that are replaced one by one use them all: the old ones stop when the new one serves.
    const limit = (connections: number): Promise<unknown> =>
      asAdmin(postgres.adminUrl, (admin) => admin.query(`alter role service connection limit ${connections}`));
    await asAdmin(postgres.url, async () => {
      await limit(1);
      const service = startOn(postgres.url);
      await eventually(() => expect(service.errors).toContain('too many connections for role'), 60_000);
      expect(service.errors).toContain('the database cannot be reached yet');
      expect(service.ended).toBe(false);
      await limit(-1);
      expect((await fetch(`${await service.address()}/readyz`)).status).toBe(200);
    });
  });

  it('is refused at once by a server that knows no such database', async () => {
    const service = startOn(postgres.url.replace(/[^/]+$/, 'missing'));
    expect(await service.exit).toBe(1);
    expect(service.errors).toMatch(/^cannot start: database "missing" does not exist$/m);
    expect(service.errors).not.toContain('cannot be reached yet');
  });
});
