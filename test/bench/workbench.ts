import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../../src/1-platform/common/logger';
import { EmbeddedServer } from '../../src/1-platform/database/embedded/embedded-server';

const PROJECT = join(__dirname, '../..');
/** As `npm start` has them, unless told. */
const NODE_ARGS = (process.env.BENCH_NODE_ARGS ?? '--max-semi-space-size=16').split(' ');
/** Of an admin. */
export const TOKEN = `ccp_${'b'.repeat(43)}`;
const STARTED_WITHIN_MS = 30_000;

export const havePsql = spawnSync('psql', ['--version']).status === 0;

/** A process that serves, once it has said where. */
export interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** @param address in what the process prints */
async function serve(args: string[], env: Record<string, string>, address: RegExp): Promise<Serving> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, args, { cwd: PROJECT, env: { ...process.env, ...env }, stdio: [...stdio] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  for (let waited = 0; waited < STARTED_WITHIN_MS; waited += 20) {
    const url = address.exec(output)?.[1];
    if (url !== undefined) return { url, process: child, stop };
    await sleep(20);
  }
  await stop();
  throw new Error(`${args.join(' ')} did not start`);
}

const service = (databaseUrl: string, logLevel: string): Promise<Serving> => {
  const env = {
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_TOKEN: TOKEN,
    PORT: '0',
    LOG_LEVEL: logLevel,
    // Workers are programs of this directory, or only told of.
    WORKER_ENDPOINT_ALLOW: '127.0.0.0/8,10.0.0.0/8',
  };
  return serve([...NODE_ARGS, 'dist/main.js'], env, /Control plane: +(\S+)/);
};

/**
 * The built service in a process of its own, over a PostgreSQL
 * that is started for the run and thrown away after it.
 */
export class Workbench {
  private readonly started: Serving[] = [];

  private constructor(
    readonly url: string,
    /** As the service connects. */
    readonly databaseUrl: string,
    private readonly logLevel: string,
    /** Of the superuser: who is bound by row level security cannot copy into a table. */
    private readonly adminUrl: string,
    /** Sees every row. */
    readonly db: pg.Pool,
    readonly directory: string,
    private readonly stopAll: () => Promise<void>,
  ) {}

  static async open(logLevel = 'warn'): Promise<Workbench> {
    const directory = mkdtempSync(join(tmpdir(), 'control-plane-bench-'));
    // Run as root, the server has an account of its own, which must be able to enter.
    chmodSync(directory, 0o755);
    const server = await EmbeddedServer.start(directory, createLogger('silent'));
    const stopServer = async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    };
    return Workbench.on(server.url, logLevel, server.adminUrl, directory, stopServer);
  }

  /** Over a database that is there. @param after when the service has ended, or did not start */
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
      serving = await service(url, logLevel);
      return new Workbench(serving.url, url, logLevel, adminUrl.href, db, directory, stopAll);
    } catch (error) {
      await stopAll();
      throw error;
    }
  }

  /** One more database of the same server, empty, with a service of its own. */
  async another(name: string): Promise<Workbench> {
    const url = new URL(this.databaseUrl);
    await this.fill({ text: `create database ${name} owner ${url.username}` });
    url.pathname = `/${name}`;
    return Workbench.on(url.href, this.logLevel, this.adminUrl, this.directory);
  }

  /** One more process of the service on the same database. */
  async replica(): Promise<Serving> {
    return this.keep(await service(this.databaseUrl, this.logLevel));
  }

  /** Another program of this directory, on the same database. */
  beside(file: string): Promise<Serving> {
    const args = ['--import', 'tsx', join(__dirname, file)];
    return this.program(args, { DATABASE_URL: this.databaseUrl }, /: +(http\S+)/);
  }

  /** Any program of Node. @param address in what it prints */
  async program(args: string[], env: Record<string, string>, address: RegExp): Promise<Serving> {
    return this.keep(await serve(args, env, address));
  }

  /** Whoever started it may stop it earlier. */
  private keep(serving: Serving): Serving {
    this.started.push(serving);
    return serving;
  }

  /** The organisation that the first start made. */
  async orgId(): Promise<string> {
    const { rows } = await this.db.query<{ id: string }>(
      'select id from organisations order by created_at, id limit 1',
    );
    return rows[0]?.id ?? '';
  }

  /** Statements of the superuser, without the checks of foreign keys: rows by the million. */
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

  /** @returns the answer's text, and milliseconds from the first byte sent to the last one received */
  async post(path: string, body: string): Promise<{ text: string; milliseconds: number }> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const begun = performance.now();
    const answer = await fetch(`${this.url}${path}`, { method: 'POST', headers, body });
    const text = await answer.text();
    const milliseconds = performance.now() - begun;
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return { text, milliseconds };
  }

  /** @returns what a request made */
  async made<T>(path: string, body: object): Promise<T> {
    return JSON.parse((await this.post(path, JSON.stringify(body))).text) as T;
  }

  /** @returns what was answered, and milliseconds from the first byte sent to the last one received */
  async get(path: string): Promise<{ body: unknown; milliseconds: number }> {
    const begun = performance.now();
    const answer = await fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await answer.text();
    const milliseconds = performance.now() - begun;
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return { body: JSON.parse(text) as unknown, milliseconds };
  }

  /** A new cluster. @returns its id */
  async cluster(name: string, kind: 'kubernetes' | 'slurm'): Promise<string> {
    return (await this.post('/v1/cluster', JSON.stringify({ cluster_name: name, kind }))).text;
  }

  /** Runs one command of psql. @returns milliseconds, the start of psql included */
  async psql(command: string): Promise<number> {
    const begun = performance.now();
    await promisify(execFile)('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', this.adminUrl, '-c', command]);
    return performance.now() - begun;
  }

  /** A file with what `copy` writes of a query, for `copy … from` to read. */
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
