import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, type Start } from '../support/start';
import { asAdmin, cloneDatabase, dropDatabase, poolOf, testServer, urlOf } from '../support/test-server';

const PROJECT = join(__dirname, '../..');
const RESCUE = ['--role', 'admin', '--name', 'rescue'];

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** As a person runs it, without npm's own output. */
const BY_NPM = ['npm', 'run', '-s', 'token', '--'] as const;
/** What that runs, in a third of the time. */
const BY_NODE = [process.execPath, 'dist/1-platform/tokens/token-command.js'] as const;

const token = (
  args: string[],
  variables: Record<string, string> = {},
  [program, ...first]: typeof BY_NPM | typeof BY_NODE = BY_NODE,
): Promise<Ran> =>
  new Promise((resolve) => {
    const { DATABASE_URL: _database, BOOTSTRAP_TOKEN: _token, ...inherited } = process.env;
    const options = { cwd: PROJECT, env: { ...inherited, LOG_LEVEL: 'warn', ...variables } };
    execFile(program, [...first, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });

const temporary = (): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'control-plane-token-')));
  // If the tests run as root, the database runs as another account, which must be able to enter this
  // directory.
  chmodSync(directory, 0o755);
  return directory;
};

describe('npm run token', () => {
  // Otherwise the first command would build the service and print that.
  beforeAll(() => void execFileSync('npm', ['run', '-s', 'compile:all'], { cwd: PROJECT }));

  describe("with the service's own database in DATA_DIR", () => {
    let dataDir: string;
    let running: Start | undefined;

    beforeAll(() => {
      dataDir = temporary();
    });
    afterEach(async () => {
      if (running && !running.ended) process.kill(-(running.process.pid ?? 0), 'SIGTERM');
      await running?.exit;
      running = undefined;
    });
    afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

    const serve = async (): Promise<string> => {
      running = start({ DATA_DIR: dataDir });
      return running.address();
    };
    const get = async (address: string, path: string, bearer: string): Promise<{ status: number; body: unknown }> => {
      const answer = await fetch(address + path, { headers: { authorization: `Bearer ${bearer}` } });
      return { status: answer.status, body: answer.ok ? await answer.json() : undefined };
    };

    it('creates a token while the service runs, which accepts it at once, and audits that', async () => {
      const address = await serve();
      const ran = await token(RESCUE, { DATA_DIR: dataDir }, BY_NPM);
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ccp_[A-Za-z0-9_-]{43}\n$/) });
      expect(ran.stderr).toMatch(/^Token [0-9a-f-]{36}: role admin, scope platform, organisation default\. .*\n$/);
      const bearer = ran.stdout.trim();
      expect(ran.stderr).not.toContain(bearer);

      expect((await get(address, '/v1/organisations', bearer)).status).toBe(200);
      const id = /Token (\S+):/.exec(ran.stderr)?.[1];
      expect((await get(address, '/v1/tokens', bearer)).body).toContainEqual(
        expect.objectContaining({ token_id: id, name: 'rescue', role: 'admin', scope: 'platform', expires_at: null }),
      );
      expect((await get(address, `/v1/audit?resource=${id}`, bearer)).body).toEqual([
        expect.objectContaining({
          action: 'create_token',
          resource_type: 'token',
          actor_id: expect.stringMatching(/^command line: .+@.+$/),
          details: expect.objectContaining({ name: 'rescue', role: 'admin', scope: 'platform' }),
        }),
      ]);
    });

    it('creates a token while no service runs, and leaves neither a running database nor a lock', async () => {
      const ran = await token(['--role', 'viewer', '--name', 'reader'], { DATA_DIR: dataDir });
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('role viewer, scope organisation')]);
      expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
      expect(readdirSync(join(dataDir, 'postgres'))).not.toContain('postmaster.pid');

      const address = await serve();
      const bearer = ran.stdout.trim();
      expect((await get(address, '/v1/cluster', bearer)).status).toBe(200);
      expect((await get(address, '/v1/tokens', bearer)).status).toBe(403);
    });

    it('creates a token for each of several concurrent commands while no service runs', async () => {
      const ran = await Promise.all([1, 2, 3].map(() => token(RESCUE, { DATA_DIR: dataDir })));
      expect(ran.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(Array(3).fill([0, '']));
      expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(3);
    });

    it('refuses a directory without a database in one line, and creates none there', async () => {
      const empty = temporary();
      try {
        const ran = await token(RESCUE, { DATA_DIR: empty });
        expect(ran).toEqual({
          code: 1,
          stdout: '',
          stderr: `there is no database in ${empty}; set DATA_DIR or DATABASE_URL\n`,
        });
        expect(readdirSync(empty)).toEqual([]);
      } finally {
        rmSync(empty, { recursive: true });
      }
    });
  });

  describe('with DATABASE_URL', () => {
    let database: { name: string; url: string };

    beforeAll(async () => {
      database = await cloneDatabase(testServer());
      const db = poolOf(database.url);
      await db.query(`
        insert into organisations (id, name, created_at) values
          ('00000000-0000-7000-8000-000000000001', 'default', '2026-01-01'),
          ('00000000-0000-7000-8000-000000000002', 'research', '2026-01-02')`);
      await db.end();
    });
    afterAll(() => dropDatabase(testServer(), database.name));

    const written = (...args: string[]) => token([...RESCUE, ...args], { DATABASE_URL: database.url });

    it.each([
      ['the first organisation', [], 'scope platform, organisation default'],
      [
        'the first organisation, limited to it',
        ['--scope', 'organisation'],
        'scope organisation, organisation default',
      ],
      ['an organisation by its name', ['--organisation', 'research'], 'scope organisation, organisation research'],
      [
        'an organisation by its id',
        ['--organisation', '00000000-0000-7000-8000-000000000002', '--scope', 'platform'],
        'scope platform, organisation research',
      ],
    ])('creates a token for %s', async (_whom, args, said) => {
      const ran = await written(...args);
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(said)]);
      const db = poolOf(database.url);
      const { rows } = await db.query(
        'select from access_tokens t join audit_entries a on a.org_id = t.org_id and a.resource_id = t.id::text where t.digest = sha256($1)',
        [Buffer.from(ran.stdout.trim())],
      );
      await db.end();
      expect(rows).toHaveLength(1);
    });

    it('refuses an unknown organisation', async () => {
      expect(await written('--organisation', 'nowhere')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'there is no organisation nowhere\n',
      });
    });

    it('refuses a database that the service has not prepared, and does not change it', async () => {
      const server = testServer();
      const name = `${database.name}_empty`;
      await asAdmin(server.adminUrl, (client) => client.query(`create database ${name} owner ${server.owner}`));
      try {
        const ran = await token(RESCUE, { DATABASE_URL: urlOf(server, name) });
        expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringContaining('start this release')]);
        const db = poolOf(urlOf(server, name));
        const { rows } = await db.query("select relname from pg_class where relnamespace = 'public'::regnamespace");
        await db.end();
        expect(rows).toEqual([]);
      } finally {
        await dropDatabase(server, name);
      }
    });

    it('reports an unreachable database in one line, without its password', async () => {
      const ran = await token(RESCUE, { DATABASE_URL: 'postgres://someone:secret-word@127.0.0.1:1/none' });
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toMatch(/^the database cannot be used: .*\n$/);
      expect(ran.stderr).not.toContain('secret-word');
    });
  });

  it.each([
    ['no role', ['--name', 'x'], '--role must be admin, operator, viewer, controller'],
    ['an unknown role', ['--role', 'root', '--name', 'x'], '--role must be'],
    ['no name', ['--role', 'admin'], '--name must have 1 to 200 characters'],
    ['a long name', ['--role', 'admin', '--name', 'n'.repeat(201)], '--name must have 1 to 200 characters'],
    ['an unknown scope', [...RESCUE, '--scope', 'all'], '--scope must be organisation or platform'],
    [
      'the platform for a viewer',
      ['--role', 'viewer', '--name', 'x', '--scope', 'platform'],
      '--scope platform is for the role admin only',
    ],
    ['an unknown option', [...RESCUE, '--force'], "Unknown option '--force'"],
    ['an unexpected word', [...RESCUE, 'now'], "Unexpected argument 'now'"],
  ])('exits with 2 and prints its usage for %s', async (_what, args, said) => {
    const ran = await token(args, { DATA_DIR: '/nonexistent' });
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toContain('npm run token -- --role <role>');
  });

  it('prints its usage for --help', async () => {
    const ran = await token(['--help'], {}, BY_NPM);
    expect(ran).toEqual({ code: 0, stdout: expect.stringContaining('--organisation'), stderr: '' });
  });
});
