import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { throughSocket } from '../../src/1-platform/database/embedded/embedded-server';

/** The PostgreSQL of the tests, passed to the workers through the environment. */
export const SERVER_VARIABLE = 'E2E_SERVER';

export interface TestServer {
  /** URL of an account that may create databases. */
  adminUrl: string;
  /** Whether that account is a superuser. */
  superuser: boolean;
  /** Account of the service: not a superuser, so row level security applies to it. */
  owner: string;
  ownerPassword: string;
  /** Database with every migration applied. */
  template: string;
  /** File with the ids of the operations that were called. */
  callsFile: string;
  /** Directory of its socket, if it has one. */
  socketDirectory?: string;
  /** URL of a pgbouncer in front of it, if the service is to use one. */
  pooler?: string;
}

export const testServer = (): TestServer => JSON.parse(process.env[SERVER_VARIABLE] ?? '') as TestServer;

export function urlOf({ adminUrl, owner, ownerPassword }: TestServer, database: string): string {
  const url = new URL(adminUrl);
  url.username = owner;
  url.password = ownerPassword;
  url.pathname = `/${database}`;
  return url.href;
}

/** The URL of a database for a service: through the server's socket, as `npm start` uses its own server. */
export function serviceUrl(databaseUrl: string): string {
  const { socketDirectory } = testServer();
  return socketDirectory === undefined ? databaseUrl : throughSocket(databaseUrl, socketDirectory);
}

/** The URL of a database through the pooler of the run; undefined if it has none. */
export function pooledUrl(databaseUrl: string): string | undefined {
  const { pooler } = testServer();
  if (pooler === undefined) return undefined;
  const url = new URL(databaseUrl);
  url.host = new URL(pooler).host;
  return url.href;
}

export async function asAdmin<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A connection that sees every row, for set-up and checks. */
export function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 3, options: '-c app.system=on' });
  // A closed pool may still receive errors of its last connections, which break when their database is
  // dropped.
  pool.on('error', () => undefined);
  return pool;
}

/** A new database with all migrations applied. */
export async function cloneDatabase(server: TestServer): Promise<{ name: string; url: string }> {
  const name = `e2e_${randomBytes(6).toString('hex')}`;
  // PostgreSQL refuses concurrent copies of one template, so the others wait.
  await asAdmin(server.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    // Without a disk to wait for, copying files takes a quarter of the time of writing them to the log.
    await client.query(`create database ${name} template ${server.template} strategy file_copy owner ${server.owner}`);
    await client.query('select pg_advisory_unlock(1)');
  });
  return { name, url: urlOf(server, name) };
}

export async function dropDatabase(server: TestServer, name: string): Promise<void> {
  await asAdmin(server.adminUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
}
