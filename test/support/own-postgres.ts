import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../../src/1-platform/common/logger';
import {
  serverProcess,
  unprivilegedAccount,
  type Account,
} from '../../src/1-platform/database/embedded/embedded-account';
import { binariesIn, findBinaries, type Binaries } from '../../src/1-platform/database/embedded/embedded-binaries';
import { filesDirectory, initialise, SUPERUSER } from '../../src/1-platform/database/embedded/embedded-files';
import { throughSocket } from '../../src/1-platform/database/embedded/embedded-server';
import { eventually } from './eventually';
import { freePorts } from './free-ports';
import { asAdmin } from './test-server';

const PASSWORD = 'own';
const SERVICE = 'service';

interface OwnPostgresOptions {
  /** Of an installation of PostgreSQL; missing: the one that comes from npm. */
  readonly home?: string;
  /** In addition to those of every server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The service reaches it through its Unix socket, as the one that `npm start` starts. */
  readonly overSocket?: boolean;
}

/** A PostgreSQL for one test, which can stop, restart and hang. Its port stays the same. */
export class OwnPostgres {
  private server: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly files: string,
    private readonly binaries: Binaries,
    private readonly account: Account | undefined,
    private readonly port: number,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly overSocket = false,
  ) {}

  /** @param parent directory for its files */
  static async create(
    parent = tmpdir(),
    { home, settings = {}, overSocket = false }: OwnPostgresOptions = {},
  ): Promise<OwnPostgres> {
    const logger = createLogger('silent');
    const account = await unprivilegedAccount();
    const binaries = home === undefined ? await findBinaries(account, logger) : binariesIn(home);
    const directory = mkdtempSync(join(parent, 'own-postgres-'));
    chmodSync(directory, 0o755);
    const files = await filesDirectory(directory, account, logger);
    rmSync(files, { recursive: true });
    // The server's account creates the files, so it must be able to write here.
    chmodSync(directory, 0o777);
    await initialise(files, PASSWORD, binaries, account);
    const [port = 0] = await freePorts(1);
    const postgres = new OwnPostgres(directory, files, binaries, account, port, settings, overSocket);
    await postgres.start();
    await asAdmin(postgres.adminUrl, async (client) => {
      await client.query(`create role ${SERVICE} login password '${PASSWORD}'`);
      await client.query(`create database ${SERVICE} owner ${SERVICE}`);
    });
    return postgres;
  }

  /** Another server, on the files of a backup of this one. @param files are removed with it */
  async restored(files: string, settings: Readonly<Record<string, string>>): Promise<OwnPostgres> {
    const [port = 0] = await freePorts(1);
    const restored = new OwnPostgres(files, files, this.binaries, this.account, port, settings);
    await restored.start();
    return restored;
  }

  /** A streaming replica of this server, on a copy of its files: this server restarts. */
  async standby(): Promise<OwnPostgres> {
    const directory = mkdtempSync(join(dirname(this.directory), 'own-postgres-'));
    chmodSync(directory, 0o755);
    const files = join(directory, 'files');
    await this.stop();
    // With its owner: the server refuses files of others.
    await promisify(execFile)('cp', ['-a', this.files, files]);
    const signal = join(files, 'standby.signal');
    writeFileSync(signal, '');
    const { uid, gid } = statSync(files);
    chownSync(signal, uid, gid);
    await this.start();
    const [port = 0] = await freePorts(1);
    const primary_conninfo = `host=127.0.0.1 port=${this.port} user=${SUPERUSER} password=${PASSWORD}`;
    const settings = { ...this.settings, primary_conninfo };
    const standby = new OwnPostgres(directory, files, this.binaries, this.account, port, settings);
    await standby.start();
    return standby;
  }

  /** The URL that the service uses. */
  get url(): string {
    const url = `postgres://${SERVICE}:${PASSWORD}@127.0.0.1:${this.port}/${SERVICE}`;
    return this.overSocket ? throughSocket(url, this.files) : url;
  }

  get adminUrl(): string {
    return `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${this.port}/postgres`;
  }

  async start(): Promise<void> {
    const all = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.overSocket ? '.' : '',
      timezone: 'UTC',
      ...this.settings,
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const run = (): ChildProcess =>
      spawn(this.binaries.postgres, ['-D', this.files, ...flags], {
        ...serverProcess(this.account),
        detached: true,
        stdio: 'ignore',
      });
    this.server = run();
    await eventually(() => {
      // It refuses to start while a process of a killed server still ends.
      if (this.ended) this.server = run();
      return asAdmin(this.adminUrl, () => Promise.resolve());
    }, 60_000);
  }

  /** @param how `fast`: connections are closed; `immediate`: as in a crash */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const { server } = this;
    if (!server || this.ended) return;
    const exited = once(server, 'exit');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exited;
  }

  /** Kills every process of it, as a power cut does. */
  async kill(): Promise<void> {
    const { server } = this;
    if (!server || this.ended) return;
    const exited = once(server, 'exit');
    // Suspended, it starts no process that would be missed.
    server.kill('SIGSTOP');
    this.signal('SIGKILL');
    await exited;
  }

  async restart(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.stop(how);
    await this.start();
  }

  /** Suspends all its processes; the kernel still accepts connections. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  /** Closes connections to the service's database, and waits until they are. @param share of them, 0 to 1 */
  async terminate(admin: pg.ClientBase, share: number): Promise<number> {
    const { rowCount } = await admin.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and backend_type = 'client backend' and random() < $2",
      [SERVICE, share],
    );
    return rowCount ?? 0;
  }

  async remove(): Promise<void> {
    this.resume();
    await this.stop('immediate');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get ended(): boolean {
    return this.server === undefined || this.server.exitCode !== null || this.server.signalCode !== null;
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = this.server?.pid;
    if (pid === undefined || this.ended) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    for (const id of [pid, ...children.map(Number)])
      try {
        process.kill(id, signal);
      } catch (error) {
        // A connection ended meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
  }
}
