import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverProcess, unprivilegedAccount } from '../../src/1-platform/database/embedded/embedded-account';
import { find } from './components';
import { eventually } from './eventually';
import { freePorts } from './free-ports';
import { shownConfiguration } from './shown-configuration';

/** Whether somebody listens. A login would open a connection to a database, which nobody could copy then. */
async function accepts(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
}

/** A pgbouncer in transaction mode, configured as the guide shows, in front of all databases of a server. */
export class PgBouncer {
  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly bouncer: ChildProcess,
  ) {}

  /**
   * @param databaseUrl of the role that may connect
   * @param settings that differ from the guide's
   */
  static async before(databaseUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<PgBouncer> {
    const { hostname, port: databasePort, username, password } = new URL(databaseUrl);
    const account = await unprivilegedAccount();
    const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    chmodSync(directory, 0o755);
    const [port = 0] = await freePorts(1);
    const users = join(directory, 'userlist.txt');
    const configuration = join(directory, 'pgbouncer.ini');
    const changed = { listen_port: String(port), auth_file: users, unix_socket_dir: '', ...settings };
    // The last line of a setting counts.
    const lines = Object.entries(changed).map(([name, value]) => `${name} = ${value}`);
    // A Unix socket's directory is encoded.
    const databases = `* = host=${decodeURIComponent(hostname)} port=${databasePort || '5432'}`;
    const text = shownConfiguration('ini').replace(/^control_plane = .*$/m, databases);
    writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
    writeFileSync(configuration, [text, ...lines, ''].join('\n'));
    const bouncer = spawn(find('pgbouncer') ?? 'pgbouncer', ['-q', configuration], {
      ...serverProcess(account),
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const started = new PgBouncer(directory, port, bouncer);
    await eventually(() => accepts(port));
    return started;
  }

  /** The URL of a database through it. */
  inFrontOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  async stop(): Promise<void> {
    const { bouncer } = this;
    if (bouncer.exitCode === null && bouncer.signalCode === null) {
      const exited = once(bouncer, 'exit');
      // A friendly stop waits for all clients.
      bouncer.kill('SIGTERM');
      await exited;
    }
    rmSync(this.directory, { recursive: true });
  }
}
