import pg from 'pg';
import type { HeavyStatement } from './stored-results';

/** Of each case. */
const KEPT = 10;

const RESET = 'select pg_stat_statements_reset()';
/** Those of the service's role. What nests in functions counts as part of its caller. */
const HEAVIEST = `
  select d.datname as database, s.query as text, s.calls::int, s.total_exec_time as total,
    s.total_exec_time / sum(s.total_exec_time) over () as share
  from pg_stat_statements s
    join pg_database d on d.oid = s.dbid
    join pg_roles r on r.oid = s.userid
  where s.toplevel and r.rolname = $1
  order by s.total_exec_time desc
  limit ${KEPT}`;

interface Heavy {
  database: string;
  text: string;
  calls: number;
  total: number;
  share: number;
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Counts from now on what the server runs. */
export const countStatements = (adminUrl: string): Promise<void> =>
  connected(adminUrl, async (client) => {
    await client.query('create extension if not exists pg_stat_statements');
    await client.query(RESET);
  });

/** The plan for any values, as the role of the service gets it, with row level security. */
async function planOf(url: URL, { database, text }: Heavy): Promise<string> {
  const own = new URL(url);
  own.pathname = database;
  try {
    return await connected(own.href, async (client) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  } catch (error) {
    return `no plan for any values: ${(error as Error).message}`;
  }
}

/** @param databaseUrl of the role of the service */
export async function heaviestStatements(adminUrl: string, databaseUrl: string): Promise<HeavyStatement[]> {
  const url = new URL(databaseUrl);
  const { rows } = await connected(adminUrl, (client) => client.query<Heavy>(HEAVIEST, [url.username]));
  return Promise.all(
    rows.map(async (row) => ({
      text: row.text,
      calls: row.calls,
      totalMs: row.total,
      share: row.share,
      plan: await planOf(url, row),
    })),
  );
}
