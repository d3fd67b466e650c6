import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cut, legible } from './legible-plans';
import type { HeavyStatement } from './stored-results';

/** Of each case, those with the most time in total, and those with the most time for each call. */
const KEPT = 10;
const KEPT_BY_CALL = 5;
/** Top-level statements of which plans are written, with those of the functions they call. */
const PLANS = 1_000;
/** Until every process of the server has read its configuration. */
const READ_WITHIN_MS = 300;

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

/** @param shareOfPlans of the statements that a client sends */
const settings = (isCounting: boolean, shareOfPlans: number): string[] => [
  // With the statements in functions and triggers.
  setting('pg_stat_statements.track', isCounting ? 'all' : 'none'),
  setting('auto_explain.log_nested_statements', 'on'),
  setting('auto_explain.log_verbose', 'on'),
  setting('auto_explain.log_parameter_max_length', '0'),
  // Rows as they were, and no times of nodes, which would take more than many of them.
  setting('auto_explain.log_analyze', shareOfPlans > 0 ? 'on' : 'off'),
  setting('auto_explain.log_timing', 'off'),
  setting('auto_explain.sample_rate', String(shareOfPlans)),
  setting('auto_explain.log_min_duration', shareOfPlans > 0 ? '0' : '-1'),
  RELOAD,
];

/** For measured rounds, from the start that has loaded both libraries. */
export const COUNTING_NOTHING: readonly string[] = settings(false, 0);

const RESET = 'select pg_stat_statements_reset()';
const DATA = "select current_setting('data_directory') as directory";
/** Of the service's role. What runs in a function is also part of the statement that calls it. */
const HEAVIEST = `
  select * from (
    select d.datname as database, s.queryid::text as id, s.query as text, s.calls::int, s.total_exec_time as total,
      not s.toplevel as nested, s.total_exec_time / sum(s.total_exec_time) filter (where s.toplevel) over () as share,
      sum(s.calls) filter (where s.toplevel) over ()::int as asked,
      row_number() over (order by s.total_exec_time desc) as place, row_number() over (order by s.mean_exec_time desc) as place_by_call
    from pg_stat_statements s
      join pg_database d on d.oid = s.dbid
      join pg_roles r on r.oid = s.userid
    where r.rolname = $1
  ) ranked
  where place <= ${KEPT} or place_by_call <= ${KEPT_BY_CALL}
  order by total desc`;

export interface Heavy {
  database: string;
  id: string;
  text: string;
  calls: number;
  total: number;
  nested: boolean;
  share: number;
  /** Calls of all statements that a client sends. */
  asked: number;
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

/** Changes the server's settings while some work runs. */
async function withSettings(adminUrl: string, changed: readonly string[], work: () => Promise<void>): Promise<void> {
  const set = (statements: readonly string[]): Promise<void> =>
    connected(adminUrl, async (client) => {
      for (const statement of statements) await client.query(statement);
      await sleep(READ_WITHIN_MS);
    });
  await set(changed);
  try {
    await work();
  } finally {
    await set(COUNTING_NOTHING);
  }
}

/** Counts statements while some work runs. */
export const whileCounting = (adminUrl: string, work: () => Promise<void>): Promise<void> =>
  withSettings(adminUrl, [...settings(true, 0), RESET], work);

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

/** Of what was counted last, in the order of their time. @param databaseUrl of the role of the service */
export const heaviestStatements = (adminUrl: string, databaseUrl: string): Promise<Heavy[]> =>
  connected(adminUrl, async (client) => {
    const { rows } = await client.query<Heavy>(HEAVIEST, [new URL(databaseUrl).username]);
    return rows;
  });

/** Adds plans as they run in a round more. Those of statements that are rare in it are for any values. */
export async function withPlans(
  adminUrl: string,
  databaseUrl: string,
  heavy: readonly Heavy[],
  runRound: () => Promise<void>,
): Promise<HeavyStatement[]> {
  const log = await connected(adminUrl, logIn);
  if (existsSync(log)) truncateSync(log);
  const share = Math.min(PLANS / (heavy[0]?.asked ?? 1), 1);
  await withSettings(adminUrl, settings(false, share), runRound);
  const plans = plansIn(log);
  return Promise.all(
    heavy.map(async (row) => {
      const ran = plans.get(row.id);
      return {
        text: cut(row.text),
        calls: row.calls,
        totalMs: row.total,
        share: row.share,
        isNested: row.nested,
        hasRun: ran !== undefined,
        plan: legible(ran ?? (await planForAny(new URL(databaseUrl), row))),
      };
    }),
  );
}
