import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../../src/common/logger';
import { EmbeddedServer } from '../../src/database/embedded-server';

const PROJECT = join(__dirname, '../..');
const TOKEN = `ccp_${'b'.repeat(43)}`;
const STARTED_WITHIN_MS = 30_000;

export const havePsql = spawnSync('psql', ['--version']).status === 0;

/** The built service in a process of its own, over a PostgreSQL that is started for the run and thrown away after it. */
export class Workbench {
  private constructor(
    readonly url: string,
    /** Of the superuser: who is bound by row level security cannot copy into a table. */
    private readonly adminUrl: string,
    /** Sees every row. */
    readonly db: pg.Pool,
    readonly directory: string,
    private readonly stopAll: () => Promise<void>,
  ) {}

  static async open(): Promise<Workbench> {
    const directory = mkdtempSync(join(tmpdir(), 'control-plane-bench-'));
    // Run as root, the server has an account of its own, which must be able to enter.
    chmodSync(directory, 0o755);
    const server = await EmbeddedServer.start(directory, createLogger('silent'));
    const service = spawn(process.execPath, ['dist/main.js'], {
      cwd: PROJECT,
      env: { ...process.env, DATABASE_URL: server.url, BOOTSTRAP_TOKEN: TOKEN, PORT: '0', LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const adminUrl = new URL(server.adminUrl);
    adminUrl.pathname = new URL(server.url).pathname;
    const db = new pg.Pool({ connectionString: server.url, max: 2, options: '-c app.system=on' });
    const stopAll = async () => {
      await db.end();
      if (service.exitCode === null) {
        service.kill('SIGTERM');
        await once(service, 'exit');
      }
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    };
    const output: string[] = [];
    service.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    for (let waited = 0; waited < STARTED_WITHIN_MS; waited += 20) {
      const address = /Control plane: +(\S+)/.exec(output.join(''))?.[1];
      if (address !== undefined) return new Workbench(address, adminUrl.href, db, directory, stopAll);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await stopAll();
    throw new Error('the service did not start');
  }

  close(): Promise<void> {
    return this.stopAll();
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

  async get(path: string): Promise<{ body: unknown }> {
    const answer = await fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return { body: await answer.json() };
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
