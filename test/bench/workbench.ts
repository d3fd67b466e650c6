import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../../src/1-platform/common/logger';
import { EmbeddedServer } from '../../src/1-platform/database/embedded/embedded-server';
import { START_ARGUMENTS, START_VARIABLES } from './npm-start';
import { ABLE_TO_COUNT, COUNTING_NOTHING } from './page/heavy-statements';

const PROJECT = join(__dirname, '../..');
/** As `npm start` runs it, or with other options for Node. */
const PROGRAM =
  process.env.BENCH_NODE_ARGS === undefined
    ? START_ARGUMENTS
    : [...process.env.BENCH_NODE_ARGS.split(' '), 'dist/main.js'];
/** The token of an admin. */
export const TOKEN = `ccp_${'b'.repeat(43)}`;
const STARTED_WITHIN_MS = 60_000;

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
/** Lines of the log that say nothing about a failure. */
const OF_NO_FAILURE = /^\{"level":"(info|debug|trace)"/;
const MOST_LINES = 40;

/** The lines of a log that somebody must see. */
function failuresIn(log: string): string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  const shown = lines.filter((line) => line !== '' && !OF_INSPECTOR.test(line) && !OF_NO_FAILURE.test(line));
  const more = shown.length - MOST_LINES;
  return more > 0 ? [...shown.slice(0, MOST_LINES), `… ${more} more`] : shown;
}

interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The pattern of the address in its output. */
  readonly address: RegExp;
  /** A file for its log: to read it from a pipe would take a part of the load generator's processor. */
  readonly log: string;
}

async function serve({ args, env, address, log }: Started): Promise<Serving> {
  const file = openSync(log, 'w');
  const child = spawn(process.execPath, args, {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', file],
  });
  closeSync(file);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  let reported = false;
  const stop = async () => {
    if (!hasEnded()) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    if (reported) return;
    reported = true;
    for (const line of failuresIn(log)) process.stderr.write(`${line}\n`);
    rmSync(log);
  };
  for (let waited = 0; waited < STARTED_WITHIN_MS && !hasEnded(); waited += 20) {
    const url = address.exec(output)?.[1];
    if (url !== undefined) {
      const inspector = INSPECTOR.exec(readFileSync(log, 'utf8'))?.[1];
      return { url, process: child, inspector, stop };
    }
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
  server: Server,
  variables: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const env = {
    ...START_VARIABLES,
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_TOKEN: TOKEN,
    PORT: '0',
    OBJECT_STORAGE_DIR: join(server.directory, 'objects'),
    // Workers are programs of this directory, or only named.
    WORKER_ENDPOINT_ALLOW: '127.0.0.0/8,10.0.0.0/8',
    ...variables,
  };
  // An inspector that nobody uses costs nothing.
  const args = ['--inspect=127.0.0.1:0', ...PROGRAM];
  const started = await serve({ args, env, address: /Control plane: +(\S+)/, log: server.logFile() });
  services.add(started);
  started.process.once('exit', () => services.delete(started));
  return started;
}

/** A role for checks: only the statements of the service's role are counted. */
const CHECKS = 'bench_checks';

/** A database that no case uses: those of the cases are copies of it. */
const TEMPLATE = 'bench_template';

/** A PostgreSQL that is started for a run, as `npm start` does, and removed after it. */
export class Server {
  private logs = 0;
  private opened = 0;

  private constructor(
    private readonly embedded: EmbeddedServer,
    readonly directory: string,
  ) {}

  static async open(): Promise<Server> {
    const directory = mkdtempSync(join(tmpdir(), 'control-plane-bench-'));
    // As root, the server runs under another account, which must have access.
    chmodSync(directory, 0o755);
    const logger = createLogger('silent');
    let embedded = await EmbeddedServer.start(directory, logger);
    try {
      const server = new Server(embedded, directory);
      await server.run(...ABLE_TO_COUNT(new URL(embedded.url).username));
      await embedded.stop();
      embedded = await EmbeddedServer.start(directory, logger);
      const again = new Server(embedded, directory);
      const owner = new URL(embedded.url);
      const checks = `create role ${CHECKS} login password '${owner.password}' in role ${owner.username}`;
      await again.run(...COUNTING_NOTHING, checks, `create database ${TEMPLATE} owner ${owner.username}`);
      // A first start migrates it.
      await (await service(again.urlOf(TEMPLATE), again)).stop();
      return again;
    } catch (error) {
      await embedded.stop();
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** The superuser's connection. */
  get adminUrl(): string {
    return this.embedded.adminUrl;
  }

  /** Process id of its server. */
  get pid(): number {
    return this.embedded.pid ?? 0;
  }

  /** The connection of the service's role to a database. */
  urlOf(database: string): string {
    const url = new URL(this.embedded.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  logFile(): string {
    return join(this.directory, `log-${++this.logs}`);
  }

  async run(...statements: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.adminUrl });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async version(): Promise<string> {
    const client = new pg.Client({ connectionString: this.adminUrl });
    await client.connect();
    const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
    await client.end();
    return rows[0]?.version ?? 'unknown';
  }

  /** An empty database with a service of its own. */
  async workbench(): Promise<Workbench> {
    const database = `bench_${++this.opened}`;
    await this.run(`create database ${database} template ${TEMPLATE} owner ${new URL(this.embedded.url).username}`);
    const drop = () => this.run(`drop database ${database} with (force)`, 'checkpoint');
    return Workbench.on(this, database, drop);
  }

  async close(): Promise<void> {
    await this.embedded.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The built service in a separate process, over a database of its own. */
export class Workbench {
  private readonly started: Serving[] = [];

  private constructor(
    readonly server: Server,
    readonly url: string,
    /** The connection of the service. */
    readonly databaseUrl: string,
    /** The connection of the superuser: `copy` into a table does not work under row level security. */
    readonly adminUrl: string,
    /** Sees every row. */
    readonly db: pg.Pool,
    private readonly stopAll: () => Promise<void>,
  ) {}

  /** @param after runs when the service has ended, or did not start */
  static async on(server: Server, database: string, after: () => Promise<void>): Promise<Workbench> {
    const url = server.urlOf(database);
    const adminUrl = new URL(server.adminUrl);
    adminUrl.pathname = `/${database}`;
    const forChecks = new URL(url);
    forChecks.username = CHECKS;
    const db = new pg.Pool({ connectionString: forChecks.href, max: 2, options: '-c app.system=on' });
    let serving: Serving | undefined;
    const stopAll = async () => {
      await db.end();
      await serving?.stop();
      await after();
    };
    try {
      serving = await service(url, server);
      return new Workbench(server, serving.url, url, adminUrl.href, db, stopAll);
    } catch (error) {
      await stopAll();
      throw error;
    }
  }

  /** For files of programs. */
  get directory(): string {
    return this.server.directory;
  }

  /** Another, empty database of the same server, with a service of its own. */
  another(): Promise<Workbench> {
    return this.server.workbench();
  }

  /** Another process of the service on the same database. */
  async replica(variables: Readonly<Record<string, string>> = {}): Promise<Serving> {
    return this.keep(await service(this.databaseUrl, this.server, variables));
  }

  /** Another program of this directory, on the same database. */
  beside(file: string, env: Record<string, string> = {}): Promise<Serving> {
    const args = ['--import', 'tsx', join(__dirname, file)];
    return this.program(args, { DATABASE_URL: this.databaseUrl, ...env }, /: +(http\S+)/);
  }

  /** Any Node program. @param address the pattern of the address in its output */
  async program(args: readonly string[], env: Readonly<Record<string, string>>, address: RegExp): Promise<Serving> {
    return this.keep(await serve({ args, env, address, log: this.server.logFile() }));
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
