import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { HeavyStatement } from './stored-results';

/** Of each case. */
const KEPT = 10;
/** Of all statements that a client sends. Their plans are written with those of the functions they call. */
const SHARE_OF_PLANS = 0.02;
/** Until every process of the server has read its configuration. */
const READ_WITHIN_MS = 300;

/** A statement or a plan that is longer is cut. */
const LONGEST_TEXT = 2_500;

const LOG = 'bench-plans';

/**
 * What the server needs at its next start. Nothing is counted and no plan is written until `countStatements`.
 * The log has its own level for the role of the service, because the server's hides plans.
 */
export const ABLE_TO_COUNT = (role: string): string[] => [
  'alter system set shared_preload_libraries = pg_stat_statements, auto_explain',
  'alter system set logging_collector = on',
  "alter system set log_directory = 'log'",
  `alter system set log_filename = '${LOG}'`,
  "alter system set log_destination = 'jsonlog'",
  'create extension if not exists pg_stat_statements',
  `alter role ${role} set log_min_messages = log`,
];

const setting = (name: string, value: string): string => `alter system set ${name} = '${value}'`;
const RELOAD = 'select pg_reload_conf()';

const settings = (isCounting: boolean): string[] => [
  // With the statements in functions and triggers.
  setting('pg_stat_statements.track', isCounting ? 'all' : 'none'),
  setting('auto_explain.log_nested_statements', 'on'),
  setting('auto_explain.log_verbose', 'on'),
  setting('auto_explain.log_parameter_max_length', '0'),
  setting('auto_explain.sample_rate', String(SHARE_OF_PLANS)),
  setting('auto_explain.log_min_duration', isCounting ? '0' : '-1'),
  RELOAD,
];

/** For measured rounds, from the start that has loaded both libraries. */
export const COUNTING_NOTHING: readonly string[] = settings(false);

const RESET = 'select pg_stat_statements_reset()';
const DATA = "select current_setting('data_directory') as directory";
/** Of the service's role. What runs in a function is also part of the statement that calls it. */
const HEAVIEST = `
  select d.datname as database, s.queryid::text as id, s.query as text, s.calls::int, s.total_exec_time as total,
    not s.toplevel as nested, s.total_exec_time / sum(s.total_exec_time) filter (where s.toplevel) over () as share
  from pg_stat_statements s
    join pg_database d on d.oid = s.dbid
    join pg_roles r on r.oid = s.userid
  where r.rolname = $1
  order by s.total_exec_time desc
  limit ${KEPT}`;

interface Heavy {
  database: string;
  id: string;
  text: string;
  calls: number;
  total: number;
  nested: boolean;
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

const logIn = async (client: pg.Client): Promise<string> =>
  join((await client.query<{ directory: string }>(DATA)).rows[0]?.directory ?? '', 'log', `${LOG}.json`);

/** Counts statements while some work runs, and writes the plans of some. */
export async function whileCounting(adminUrl: string, work: () => Promise<void>): Promise<void> {
  await connected(adminUrl, async (client) => {
    for (const statement of settings(true)) await client.query(statement);
    await sleep(READ_WITHIN_MS);
    const log = await logIn(client);
    if (existsSync(log)) truncateSync(log);
    await client.query(RESET);
  });
  try {
    await work();
  } finally {
    await connected(adminUrl, async (client) => {
      for (const statement of COUNTING_NOTHING) await client.query(statement);
      await sleep(READ_WITHIN_MS);
    });
  }
}

/** `duration: 1.234 ms  plan:`, the text of the statement, its plan, and its number among the statements. */
const PLANNED = /^duration: [\d.]+ ms {2}plan:\nQuery Text: /;
const NUMBER = /\nQuery Identifier: (-?\d+)/;
/** Where a plan begins, behind the text of its statement. */
const PLAN = /\n(?=[A-Z][^\n]*\(cost=)/;

/** What `log_verbose` adds to a plan, besides the number. */
const COLUMNS = /^ *Output: .*\n/gm;

/** Plans as they ran, by the number of their statement: the last one that was written. */
function plansIn(log: string): Map<string, string> {
  const plans = new Map<string, string>();
  if (!existsSync(log)) return plans;
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    if (line === '') continue;
    const { message = '' } = JSON.parse(line) as { message?: string };
    const id = NUMBER.exec(message)?.[1];
    const at = PLAN.exec(message)?.index;
    if (PLANNED.test(message) && id !== undefined && at !== undefined)
      plans.set(
        id,
        message
          .slice(at + 1)
          .replace(NUMBER, '')
          .replaceAll(COLUMNS, ''),
      );
  }
  return plans;
}

/** The plan for any values, as the role of the service gets it, with row level security. */
async function planForAny(url: URL, { database, text }: Heavy): Promise<string> {
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

const cut = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}\n…` : text);

/** Of what was counted last. @param databaseUrl of the role of the service */
export async function heaviestStatements(adminUrl: string, databaseUrl: string): Promise<HeavyStatement[]> {
  const url = new URL(databaseUrl);
  const { rows, log } = await connected(adminUrl, async (client) => ({
    rows: (await client.query<Heavy>(HEAVIEST, [url.username])).rows,
    log: await logIn(client),
  }));
  const plans = plansIn(log);
  return Promise.all(
    rows.map(async (row) => {
      const ran = plans.get(row.id);
      return {
        text: cut(row.text),
        calls: row.calls,
        totalMs: row.total,
        share: row.share,
        isNested: row.nested,
        hasRun: ran !== undefined,
        plan: cut(ran ?? (await planForAny(url, row))),
      };
    }),
  );
}
