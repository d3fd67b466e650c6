import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { asAdmin, dropDatabase, testServer, urlOf } from '../support/test-server';

const PROJECT = join(__dirname, '../..');
const PROGRAM = 'dist/1-platform/database/migrate-command.js';

const { DATABASE_URL: _database, ...inherited } = process.env;

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

const migrate = (args: string[], variables: Record<string, string>): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd: PROJECT, env: { ...inherited, ...variables } };
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });

describe('npm run migrate', () => {
  const server = testServer();
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  const DATABASE_URL = urlOf(server, name);
  const DONE = 'the database has the schema of this release\n';

  beforeAll(async () => {
    execFileSync('npm', ['run', '-s', 'compile'], { cwd: PROJECT });
    await asAdmin(server.adminUrl, (client) => client.query(`create database ${name} owner ${server.owner}`));
  });
  afterAll(() => dropDatabase(server, name));

  it('migrates an empty database while others wait for it, and a migrated one again', async () => {
    const waiting = spawn(process.execPath, [PROGRAM, '--wait'], {
      cwd: PROJECT,
      env: { ...inherited, DATABASE_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Behind all that it printed.
    const ended = once(waiting, 'close');
    let printed = '';
    waiting.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await once(waiting.stdout, 'data');
    expect(printed).toBe('waiting: the database is empty or of an older release\n');
    expect(waiting.exitCode).toBeNull();

    const together = await Promise.all([migrate([], { DATABASE_URL }), migrate([], { DATABASE_URL })]);
    expect(together).toEqual([
      { code: 0, stdout: DONE, stderr: '' },
      { code: 0, stdout: DONE, stderr: '' },
    ]);
    expect(await ended).toEqual([0, null]);
    expect(printed).toMatch(DONE);
    expect(await migrate([], { DATABASE_URL })).toMatchObject({ code: 0 });
  });

  it('waits until the functions, views and triggers are those of this release too', async () => {
    await asAdmin(urlOf(server, name), (client) => client.query("update schema_objects set checksum = 'old'"));
    const waiting = spawn(process.execPath, [PROGRAM, '--wait'], {
      cwd: PROJECT,
      env: { ...inherited, DATABASE_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(waiting, 'exit');
    await once(waiting.stdout, 'data');
    expect(waiting.exitCode).toBeNull();
    expect(await migrate([], { DATABASE_URL })).toMatchObject({ code: 0 });
    expect(await ended).toEqual([0, null]);
  });

  it.each([
    ['no database', [], {}, 1, /^DATABASE_URL is missing/],
    [
      'a server that is not there',
      [],
      { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' },
      1,
      /^the database cannot be used/,
    ],
    ['an invalid port', [], { DATABASE_URL, PORT: 'http' }, 1, /PORT/],
    ['an unknown option', ['--now'], { DATABASE_URL }, 2, /--now[^]*--wait/],
  ])('refuses %s', async (_, args, variables, code, sentence) => {
    const ran = await migrate(args, variables);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toMatch(sentence);
  });
});
