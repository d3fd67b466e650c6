import type pg from 'pg';
import { globSync, readFileSync } from 'node:fs';
import { DatabaseClient } from '../../src/1-platform/database/connections/database-client';
import type { Environment } from '../../src/1-platform/config/environment';
import type { Service } from '../support/service';
import { asAdmin, testServer } from '../support/test-server';
import { LARGE } from './large-tables';
import type { PlanNode, TableFacts } from './plan-reader';

/** A statement with the plans by which PostgreSQL ran it. */
export interface PlannedStatement {
  /** Its name; of a statement in a function of the database, that function; else its text. */
  readonly name: string;
  readonly text: string;
  /** How often it ran. */
  runs: number;
  /** The plans that differ, by their structure. */
  readonly plans: Map<string, PlanNode>;
}

/** What auto_explain sends: a line with the duration, and the plan in JSON. */
const NOTICE = /^duration: [\d.]+ ms {2}plan:\s*(\{.*\})\s*$/s;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Figures that differ from run to run. */
const MEASURED = /^(Actual|Rows Removed|Plan Rows|Total Cost|Startup Cost|Plan Width|Heap Fetches|Index Searches)/;

const shapeOf = (plan: PlanNode): string =>
  JSON.stringify(plan, (key, value: unknown) => (MEASURED.test(key) ? undefined : value));

/** Settings for later connections to a database: the server sends each plan to the client that caused it. */
const SENDING_PLANS: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_verbose': 'off',
  // What functions of the database run too.
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_parameter_max_length': '0',
};

/** From now on, new connections to the service's database receive the plans of what they run. */
export async function sendPlans({ environment }: Service): Promise<void> {
  const admin = databaseAsAdmin(environment);
  await asAdmin(admin.href, async (client) => {
    for (const [name, value] of Object.entries(SENDING_PLANS))
      await client.query(`alter database "${admin.pathname.slice(1)}" set ${name} = '${value}'`);
  });
}

/** The address of the service's database, also behind a pooler, for a role that may do everything. */
export function databaseAsAdmin({ databaseListenUrl, databaseUrl = '' }: Environment): URL {
  const admin = new URL(testServer().adminUrl);
  admin.pathname = new URL(databaseListenUrl ?? databaseUrl).pathname;
  return admin;
}

const OF_ORGANISATIONS = `
  select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
const PARTITIONS = `
  select inhrelid::regclass::text as partition, inhparent::regclass::text as table from pg_inherits
  where inhparent::regclass::text !~ '^pgboss'`;

/**
 * Keeps PostgreSQL from analysing any table, which it may begin a minute after the first rows.
 * @param client of a superuser
 */
export async function neverAnalyse(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = off)`);
}

/** What the reader of plans has to know about the tables of the service. */
export async function readTables({ db }: { readonly db: Pick<pg.ClientBase, 'query'> }): Promise<TableFacts> {
  const { rows: owned } = await db.query<{ table: string }>(OF_ORGANISATIONS);
  const { rows: parts } = await db.query<{ partition: string; table: string }>(PARTITIONS);
  return {
    ofOrganisations: new Set(owned.map(({ table }) => table)),
    large: new Set(LARGE),
    partitions: new Map(parts.map(({ partition, table }) => [partition, table])),
  };
}

/** Bodies of the functions that the service defines, by their names. */
const FUNCTIONS = globSync('src/**/{functions,triggers}/*.sql').map((file) => ({
  name: /(\w+)\.sql$/.exec(file)?.[1] ?? file,
  body: oneLine(readFileSync(file, 'utf8')).toLowerCase(),
}));

/** All statements of the service's connections, with their plans. Each test file restores its mocks. */
export class PlanLog {
  readonly statements = new Map<string, PlannedStatement>();
  private readonly names = new Map<string, string>();
  private readonly seen = new WeakSet<DatabaseClient>();

  constructor() {
    // oxlint-disable-next-line typescript/no-this-alias -- the clients have their own `this`
    const log = this;
    // oxlint-disable-next-line typescript/unbound-method -- it is called with the client as its `this`
    const send = DatabaseClient.prototype.query as (...args: unknown[]) => unknown;
    jest.spyOn(DatabaseClient.prototype, 'query').mockImplementation(function (
      this: DatabaseClient,
      ...args: unknown[]
    ): unknown {
      log.listenTo(this);
      const [asked] = args as [string | { name?: string; text?: string } | undefined];
      if (typeof asked === 'object' && asked.name && asked.text) log.names.set(oneLine(asked.text), asked.name);
      return send.apply(this, args);
    });
  }

  forget(): void {
    this.statements.clear();
  }

  private listenTo(client: DatabaseClient): void {
    if (this.seen.has(client)) return;
    this.seen.add(client);
    client.on('notice', ({ message = '' }) => {
      const [, json] = NOTICE.exec(message) ?? [];
      if (json !== undefined) this.note(JSON.parse(json) as { 'Query Text': string; Plan: PlanNode });
    });
  }

  private note({ 'Query Text': asked, Plan: plan }: { 'Query Text': string; Plan: PlanNode }): void {
    const text = oneLine(asked);
    const name = this.names.get(text) ?? functionOf(text) ?? text;
    const one = this.statements.get(text) ?? { name, text, runs: 0, plans: new Map<string, PlanNode>() };
    one.runs++;
    const shape = shapeOf(plan);
    const known = one.plans.get(shape);
    // The run that reached most rows stands for all of the same structure.
    if (!known || rowsIn(known) < rowsIn(plan)) one.plans.set(shape, plan);
    this.statements.set(text, one);
  }
}

const rowsIn = (plan: PlanNode): number =>
  ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) * (plan['Actual Loops'] ?? 1) +
  (plan.Plans ?? []).reduce((sum, one) => sum + rowsIn(one), 0);

function functionOf(text: string): string | undefined {
  const searched = text.toLowerCase();
  const found = FUNCTIONS.find(({ body }) => body.includes(searched));
  return found && `${found.name}()`;
}
