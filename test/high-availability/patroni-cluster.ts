import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import {
  serverProcess,
  unprivilegedAccount,
  type Account,
} from '../../src/1-platform/database/embedded/embedded-account';
import { eventually } from '../support/eventually';
import { freePorts } from '../support/free-ports';
import { shownConfiguration } from '../support/shown-configuration';
import { asAdmin } from '../support/test-server';

const BINARIES = '/usr/lib/postgresql/15/bin';
const PASSWORD = 'high-availability';
const SERVICE = 'control_plane';
/** A cluster that makes its first primary and two standbys on a busy machine. */
const FORMED_WITHIN_MS = 180_000;

/** What Patroni reports of a member at `/cluster`. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** How a primary ends: with everything on its machine, or PostgreSQL alone. */
export type Failure = 'machine' | 'postgres';

/** One machine of the cluster: Patroni and the PostgreSQL that it runs. */
class Machine {
  private patroni: ChildProcess | undefined;

  constructor(
    readonly name: string,
    readonly postgresPort: number,
    readonly restPort: number,
    private readonly directory: string,
    private readonly account: Account | undefined,
  ) {}

  get dataDirectory(): string {
    return join(this.directory, this.name, 'data');
  }

  /** The guide's configuration with the addresses of this machine. */
  configure(etcdPort: number): void {
    mkdirSync(join(this.directory, this.name), { recursive: true });
    chmodSync(join(this.directory, this.name), 0o777);
    const rest = `127.0.0.1:${this.restPort}`;
    const postgres = `127.0.0.1:${this.postgresPort}`;
    const shown = parse(shownConfiguration('yaml')) as { postgresql: object };
    const login = (username: string) => ({ username, password: PASSWORD });
    const configuration = {
      ...shown,
      name: this.name,
      restapi: { listen: rest, connect_address: rest },
      etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
      postgresql: {
        ...shown.postgresql,
        listen: postgres,
        connect_address: postgres,
        data_dir: this.dataDirectory,
        bin_dir: BINARIES,
        pgpass: join(this.directory, this.name, 'pgpass'),
        parameters: { unix_socket_directories: '' },
        pg_hba: ['host replication replicator 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 scram-sha-256'],
        authentication: {
          superuser: login('postgres'),
          replication: login('replicator'),
          rewind: login('rewinder'),
        },
      },
    };
    writeFileSync(this.configuration, stringify(configuration));
  }

  start(): void {
    const log = openSync(join(this.directory, `${this.name}.log`), 'a');
    this.patroni = spawn('/usr/bin/patroni', [this.configuration], {
      ...serverProcess(this.account),
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
  }

  /** As when the machine loses its power: nothing of it says goodbye. */
  async kill(failure: Failure): Promise<void> {
    const { patroni } = this;
    const exited = patroni && once(patroni, 'exit');
    if (failure === 'machine') patroni?.kill('SIGKILL');
    for (const pid of this.postgresProcesses()) killIfThere(pid);
    if (failure === 'machine') await exited;
  }

  /** The server and its children, the server first: it would notice the death of a child. */
  private postgresProcesses(): number[] {
    try {
      const [first = ''] = readFileSync(join(this.dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
      const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ');
      return [first, ...children].filter(Boolean).map(Number);
    } catch {
      // It does not run.
      return [];
    }
  }

  private get configuration(): string {
    return join(this.directory, `${this.name}.yml`);
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Three machines with PostgreSQL and Patroni, configured as the guide to operating shows, an etcd, and an
 * haproxy that leads to the primary. All on loopback.
 */
export class PatroniCluster {
  private readonly others: ChildProcess[] = [];

  private constructor(
    private readonly directory: string,
    private readonly account: Account | undefined,
    private readonly machines: readonly Machine[],
    private readonly etcdPort: number,
    private readonly proxyPort: number,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const account = await unprivilegedAccount();
    const directory = mkdtempSync(join(tmpdir(), 'high-availability-'));
    chmodSync(directory, 0o777);
    const [etcd = 0, peer = 0, proxy = 0, ...ports] = await freePorts(9);
    const machines = ['a', 'b', 'c'].map((name, n) => {
      const [postgres = 0, rest = 0] = ports.slice(2 * n);
      return new Machine(name, postgres, rest, directory, account);
    });
    const cluster = new PatroniCluster(directory, account, machines, etcd, proxy);
    try {
      await cluster.form(peer);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The URL of the service: haproxy leads it to the primary. */
  get url(): string {
    return `postgres://${SERVICE}:${PASSWORD}@127.0.0.1:${this.proxyPort}/${SERVICE}`;
  }

  /** Sees every row. */
  get adminUrl(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.proxyPort}/${SERVICE}`;
  }

  /** Kills the primary. @returns its name */
  async killPrimary(failure: Failure): Promise<string> {
    const primary = await this.primary();
    await this.machine(primary).kill(failure);
    return primary;
  }

  /** Starts a killed machine again; its PostgreSQL follows the new primary. */
  revive(name: string): void {
    this.machine(name).start();
  }

  /** Waits until the primary has a synchronous standby, and all machines are part of the cluster. */
  async isWhole(): Promise<void> {
    await eventually(async () => {
      const members = await this.members();
      const roles = members.map(({ role }) => role).sort();
      expect(roles).toEqual(['leader', 'replica', 'sync_standby']);
      expect(members.every(({ state }) => state === 'running' || state === 'streaming')).toBe(true);
    }, FORMED_WITHIN_MS);
  }

  async primary(): Promise<string> {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    if (!leader) throw new Error('the cluster has no primary');
    return leader.name;
  }

  async stop(): Promise<void> {
    for (const machine of this.machines) await machine.kill('machine');
    for (const process of this.others) {
      if (process.exitCode !== null || process.signalCode !== null) continue;
      const exited = once(process, 'exit');
      process.kill('SIGKILL');
      await exited;
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  private machine(name: string): Machine {
    const machine = this.machines.find((one) => one.name === name);
    if (!machine) throw new Error(`there is no machine ${name}`);
    return machine;
  }

  private async form(peerPort: number): Promise<void> {
    this.startEtcd(peerPort);
    this.startProxy();
    for (const machine of this.machines) machine.configure(this.etcdPort);
    for (const machine of this.machines) machine.start();
    await this.isWhole();
    const admin = this.adminUrl.replace(/\/[^/]*$/, '/postgres');
    await eventually(() =>
      asAdmin(admin, async (client) => {
        await client.query(`create role ${SERVICE} login password '${PASSWORD}'`);
        await client.query(`create database ${SERVICE} owner ${SERVICE}`);
      }),
    );
  }

  private startEtcd(peerPort: number): void {
    const [client, peer] = [`http://127.0.0.1:${this.etcdPort}`, `http://127.0.0.1:${peerPort}`];
    this.startOther('etcd', 'etcd', [
      `--data-dir=${join(this.directory, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ]);
  }

  /** The guide's configuration with the addresses of these machines. */
  private startProxy(): void {
    const servers = this.machines.map(
      ({ name, postgresPort, restPort }) => `  server ${name} 127.0.0.1:${postgresPort} port ${restPort}`,
    );
    const shown = shownConfiguration('haproxy')
      .replace(/^ {2}server .*\n/gm, '')
      .replace(/bind \S+/, `bind 127.0.0.1:${this.proxyPort}`);
    const file = join(this.directory, 'haproxy.cfg');
    writeFileSync(file, `${shown}${servers.join('\n')}\n`);
    this.startOther('haproxy', '/usr/sbin/haproxy', ['-db', '-f', file]);
  }

  private startOther(name: string, program: string, args: readonly string[]): void {
    const log = openSync(join(this.directory, `${name}.log`), 'a');
    this.others.push(spawn(program, args, { ...serverProcess(this.account), stdio: ['ignore', log, log] }));
    closeSync(log);
  }

  /** As any reachable member reports them. */
  private async members(): Promise<readonly Member[]> {
    let failed: unknown = new Error('there are no machines');
    for (const { restPort } of this.machines) {
      try {
        const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
        return ((await answer.json()) as { members: Member[] }).members;
      } catch (error) {
        failed = error;
      }
    }
    throw failed;
  }
}
