import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../../src/1-platform/common/logger';
import { EmbeddedServer } from '../../src/1-platform/database/embedded/embedded-server';

const PROJECT = join(__dirname, '../..');
/** The options of `npm start` by default. */
const NODE_ARGS = (process.env.BENCH_NODE_ARGS ?? '--max-semi-space-size=16').split(' ');
/** The token of an admin. */
export const TOKEN = `ccp_${'b'.repeat(43)}`;
const STARTED_WITHIN_MS = 30_000;

export const havePsql = spawnSync('psql', ['--version']).status === 0;

/** A serving process, once it has printed its address. */
export interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
  /** Address of its inspector, if it has one. */
  readonly inspector?: string | undefined;
  stop(): Promise<void>;
}

const INSPECTOR = /^Debugger listening on (ws:\S+)/m;
/** What Node prints about its inspector. */
const OF_INSPECTOR = /^(Debugger (listening|attached|ending)|For help, see: .*debugging|Waiting for the debugger)/;

/** @param address the pattern of the address in its output */
async function serve(args: string[], env: Record<string, string>, address: RegExp): Promise<Serving> {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, args, { cwd: PROJECT, env: { ...process.env, ...env }, stdio: [...stdio] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  let output = '';
  let warnings = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (OF_INSPECTOR.test(line)) warnings += `${line}\n`;
    else process.stderr.write(`${line}\n`);
  });
  for (let waited = 0; waited < STARTED_WITHIN_MS; waited += 20) {
    const url = address.exec(output)?.[1];
    if (url !== undefined) return { url, process: child, inspector: INSPECTOR.exec(warnings)?.[1], stop };
    await sleep(20);
  }
  await stop();
  throw new Error(`${args.join(' ')} did not start`);
}

/** The running processes of the service. */
const services = new Set<Serving>();

/** Addresses of the inspectors of all running processes of the service. */
export const inspectors = (): string[] => [...services].flatMap(({ inspector }) => inspector ?? []);

/** Process ids of the same. */
export const servicePids = (): number[] => [...services].flatMap(({ process: { pid } }) => pid ?? []);

async function service(
  databaseUrl: string,
  logLevel: string,
  directory: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const env = {
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_TOKEN: TOKEN,
    PORT: '0',
    LOG_LEVEL: logLevel,
    OBJECT_STORAGE_DIR: join(directory, 'objects'),
    // Workers are programs of this directory, or only named.
    WORKER_ENDPOINT_ALLOW: '127.0.0.0/8,10.0.0.0/8',
    ...variables,
  };
  // An inspector that nobody uses costs nothing.
  const started = await serve([...NODE_ARGS, '--inspect=127.0.0.1:0', 'dist/main.js'], env, /Control plane: +(\S+)/);
  services.add(started);
  started.process.once('exit', () => services.delete(started));
  return started;
}

/** Lets the server count statements, from its next start. */
async function preload(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query('alter system set shared_preload_libraries = pg_stat_statements');
  await client.end();
}

/**
 * The built service in a separate process, over a PostgreSQL that is started for the run and removed after
 * it.
 */
export class Workbench {
  private readonly started: Serving[] = [];

  private constructor(
    readonly url: string,
    /** The connection of the service. */
    readonly databaseUrl: string,
    private readonly logLevel: string,
    /** The connection of the superuser: `copy` into a table does not work under row level security. */
    readonly adminUrl: string,
    /** Sees every row. */
    readonly db: pg.Pool,
    readonly directory: string,
    private readonly stopAll: () => Promise<void>,
  ) {}

  static async open(logLevel = 'warn'): Promise<Workbench> {
    const directory = mkdtempSync(join(tmpdir(), 'control-plane-bench-'));
    // As root, the server runs under another account, which must have access.
    chmodSync(directory, 0o755);
    const logger = createLogger('silent');
    const first = await EmbeddedServer.start(directory, logger);
    await preload(first.adminUrl);
    await first.stop();
    const server = await EmbeddedServer.start(directory, logger);
    const stopServer = async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    };
    return Workbench.on(server.url, logLevel, server.adminUrl, directory, stopServer);
  }

  /** Over an existing database. @param after runs when the service has ended, or did not start */
  private static async on(
    url: string,
    logLevel: string,
    anyAdminUrl: string,
    directory: string,
    after?: () => Promise<void>,
  ): Promise<Workbench> {
    const adminUrl = new URL(anyAdminUrl);
    adminUrl.pathname = new URL(url).pathname;
    const db = new pg.Pool({ connectionString: url, max: 2, options: '-c app.system=on' });
    let serving: Serving | undefined;
    const stopAll = async () => {
      await db.end();
      await serving?.stop();
      await after?.();
    };
    try {
      serving = await service(url, logLevel, directory);
      return new Workbench(serving.url, url, logLevel, adminUrl.href, db, directory, stopAll);
    } catch (error) {
      await stopAll();
      throw error;
    }
  }

  /** Another, empty database of the same server, with a service of its own. */
  async another(name: string): Promise<Workbench> {
    const url = new URL(this.databaseUrl);
    await this.fill({ text: `create database ${name} owner ${url.username}` });
    url.pathname = `/${name}`;
    return Workbench.on(url.href, this.logLevel, this.adminUrl, this.directory);
  }

  /** Another process of the service on the same database. */
  async replica(variables: Readonly<Record<string, string>> = {}): Promise<Serving> {
    return this.keep(await service(this.databaseUrl, this.logLevel, this.directory, variables));
  }

  /** Another program of this directory, on the same database. */
  beside(file: string, env: Record<string, string> = {}): Promise<Serving> {
    const args = ['--import', 'tsx', join(__dirname, file)];
    return this.program(args, { DATABASE_URL: this.databaseUrl, ...env }, /: +(http\S+)/);
  }

  /** Any Node program. @param address the pattern of the address in its output */
  async program(args: string[], env: Record<string, string>, address: RegExp): Promise<Serving> {
    return this.keep(await serve(args, env, address));
  }

  /** The caller may stop it earlier. */
  private keep(serving: Serving): Serving {
    this.started.push(serving);
    return serving;
  }

  /** The organisation that the first start created. */
  async orgId(): Promise<string> {
    const { rows } = await this.db.query<{ id: string }>(
      'select id from organisations order by created_at, id limit 1',
    );
    return rows[0]?.id ?? '';
  }

  /** Runs statements as the superuser, without foreign key checks: for millions of rows. */
  async fill(...statements: { text: string; values?: unknown[] }[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.adminUrl });
    await client.connect();
    try {
      await client.query('set session_replication_role = replica');
      for (const { text, values } of statements) await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.started.map((serving) => serving.stop()));
    await this.stopAll();
  }

  /** @returns the reply's text, and milliseconds from the first byte sent to the last one received */
  async post(path: string, body: string): Promise<{ text: string; milliseconds: number }> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const begun = performance.now();
    const answer = await fetch(`${this.url}${path}`, { method: 'POST', headers, body });
    const text = await answer.text();
    const milliseconds = performance.now() - begun;
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return { text, milliseconds };
  }

  /** @returns what a request created */
  async made<T>(path: string, body: object): Promise<T> {
    return JSON.parse((await this.post(path, JSON.stringify(body))).text) as T;
  }

  /** @returns the reply, and milliseconds from the first byte sent to the last one received */
  async get(path: string): Promise<{ body: unknown; milliseconds: number }> {
    const begun = performance.now();
    const answer = await fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await answer.text();
    const milliseconds = performance.now() - begun;
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return { body: JSON.parse(text) as unknown, milliseconds };
  }

  /** Creates a cluster. @returns its id */
  async cluster(name: string, kind: 'kubernetes' | 'slurm'): Promise<string> {
    return (await this.post('/v1/cluster', JSON.stringify({ cluster_name: name, kind }))).text;
  }

  /** Runs one psql command. @returns milliseconds, including the start of psql */
  async psql(command: string): Promise<number> {
    const begun = performance.now();
    await promisify(execFile)('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', this.adminUrl, '-c', command]);
    return performance.now() - begun;
  }

  /** A file with what `copy` writes for a query, for `copy … from` to read. */
  async dump(query: string, name: string): Promise<string> {
    const file = join(this.directory, name);
    writeFileSync(file, '');
    await this.psql(`\\copy (${query.replace(/\s+/g, ' ')}) to '${file}'`);
    return file;
  }

  async columns(table: string, except: readonly string[]): Promise<string[]> {
    const { rows } = await this.db.query<{ column_name: string }>(
      `select column_name from information_schema.columns
       where table_schema = 'public' and table_name = $1 and not column_name = any($2) order by ordinal_position`,
      [table, except],
    );
    return rows.map(({ column_name: name }) => `"${name}"`);
  }

  async count(table: string, clusterId: string): Promise<number> {
    const statement = `select count(*)::int as rows from ${table} where cluster_id = $1`;
    return (await this.db.query<{ rows: number }>(statement, [clusterId])).rows[0]?.rows ?? 0;
  }
}
