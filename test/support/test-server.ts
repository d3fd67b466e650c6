import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Where the tests' databases are: known to every worker through its environment. */
export const SERVER_VARIABLE = 'E2E_SERVER';

export interface TestServer {
  /** URL of an account that may create databases. */
  adminUrl: string;
  /** Whether that account is a superuser. */
  superuser: boolean;
  /** Account that the service connects as: no superuser, so that row level security binds it. */
  owner: string;
  ownerPassword: string;
  /** Database with every migration applied. */
  template: string;
  /** File in which the operations that were called are noted. */
  callsFile: string;
}

export const testServer = (): TestServer => JSON.parse(process.env[SERVER_VARIABLE] ?? '') as TestServer;

export function urlOf({ adminUrl, owner, ownerPassword }: TestServer, database: string): string {
  const url = new URL(adminUrl);
  url.username = owner;
  url.password = ownerPassword;
  url.pathname = `/${database}`;
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

/** Sees every row: for arranging and looking. */
export function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 3, options: '-c app.system=on' });
  // A pool that has ended may still hear of its last connections,
  // which are cut off when their database is dropped.
  pool.on('error', () => undefined);
  return pool;
}

/** A database of its own, as the migrations left it. */
export async function cloneDatabase(server: TestServer): Promise<{ name: string; url: string }> {
  const name = `e2e_${randomBytes(6).toString('hex')}`;
  // Two copies of one template at the same time are refused: the others wait for their turn.
  await asAdmin(server.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${name} template ${server.template} owner ${server.owner}`);
    await client.query('select pg_advisory_unlock(1)');
  });
  return { name, url: urlOf(server, name) };
}

export async function dropDatabase(server: TestServer, name: string): Promise<void> {
  await asAdmin(server.adminUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
}
