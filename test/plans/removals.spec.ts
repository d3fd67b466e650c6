import type pg from 'pg';
import type { Statement, Values } from '../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../src/1-platform/database/transactions/tx';
import { OldRowsOf } from '../../src/1-platform/old-rows/old-rows.queries';
import { forgetOldKeys } from '../../src/1-platform/idempotency/idempotency.queries';
import { forgetEvents as forgetNumbered } from '../../src/1-platform/outbox/outbox.queries';
import { removeWorkloads } from '../../src/2-inventory/clusters/queued-workloads.queries';
import { forgetSilentJobs } from '../../src/2-inventory/slurm/jobs/slurm-jobs-write.queries';
import { forgetPhases } from '../../src/4-serving/activations/activations.queries';
import { forgetEvents } from '../../src/4-serving/lifecycle-events/lifecycle-events.queries';
import { forgetAuthorizations } from '../../src/5-traffic/admissions/settlements.queries';
import { forgetSamples } from '../../src/5-traffic/external-routers/external-routers.queries';
import { forgetUsage } from '../../src/5-traffic/usage/usage.queries';
import { forgetPods, forgetSeries } from '../../src/6-insight/time-series/samples.queries';
import { keptRows } from '../../src/kept-rows';
import { DAY } from '../support/durations';
import { inForm } from '../support/form';
import { asAdmin, cloneDatabase, dropDatabase, testServer, type TestServer } from '../support/test-server';
import { makeUpRows } from './made-up-rows';
import { neverAnalyse, readTables } from './plan-log';
import { faultsOf, type PlanNode, type TableFacts } from './plan-reader';

/** In each table, all of one organisation. */
const ROWS = inForm(20_000, 100_000);
const OLD = { few: 50, many: ROWS / 2 } as const;
/** Of a removal. It is more than PostgreSQL expects to find in a table that it has not analysed. */
const LIMIT = 5_000;
const DAYS = 30;
/** Rows that stay, which a removal may read to find those that go. */
const BESIDE = 101;
/** A removal finds a row, may lock it by its place, and deletes it by its place. */
const READS_OF_A_ROW = 3;
const ORGANISATION = '00000000-0000-0000-0000-000000000001';

/** Conditions that look into the same table again have their own reads, and machines are few. */
const KEPT = keptRows({
  operationRetentionDays: DAYS,
  startRetentionDays: DAYS,
  podRetentionDays: DAYS,
  historyRetentionDays: DAYS,
}).filter(({ table, unneeded = '' }) => !unneeded.includes('select') && table !== 'instances');

/** By its table, the column that tells the age of a row. */
const AGES: Readonly<Record<string, string>> = {
  usage_records: 'occurred_at',
  usage_rollups: 'bucket',
  warm_waits: 'hour',
  busy_minutes: 'minute',
  busy_hours: 'hour',
  busy_spans: 'bucket',
  authorizations: 'settled_at',
  lifecycle_events: 'occurred_at',
  activation_phases: 'occurred_at',
  outbox_events: 'created_at',
  metric_series: 'last_sampled_on',
  metric_pods: 'seen_at',
  router_samples: 'measured_at',
  queued_workloads: 'forget_at',
  idempotency_keys: 'created_at',
  slurm_jobs: 'synced_at',
  ...Object.fromEntries(KEPT.map(({ table, at }) => [table, at])),
};

/** What made-up rows have instead, so that they are such as removals look for. */
const INSTEAD = [
  'update usage_rollups set step = (array[60, 900, 3600])[1 + step % 3]',
  'update busy_spans set step = (array[86400, 864000])[1 + step % 2]',
  'update queued_workloads set manifest = null',
  'update pods set deleted = true',
  'update jobs set deleted = true',
  'update outbox_heads set head = (select max(event_id) from outbox_events)',
  // Twenty others, which have no rows.
  'delete from organisations where id > (select id from organisations order by id offset 20 limit 1)',
];

/** Made-up rows stay here, because they are in use or not over. Only what is read of them is judged. */
const STAYING = [
  'slurm-jobs-forget-silent',
  'old-rows-remove restores',
  'old-rows-remove checkpoints',
  'old-rows-remove experiments',
  'old-rows-remove maintenance_windows',
];

interface Removal {
  readonly statement: Statement;
  readonly values: Values;
  /** Rows that it may reach. */
  readonly most: number;
}

const removedBy = (plan: PlanNode): number =>
  (plan['Node Type'] === 'ModifyTable' ? (plan['Actual Rows'] ?? 0) : 0) +
  (plan.Plans ?? []).reduce((sum, part) => sum + removedBy(part), 0);

const removes = ({ text }: Statement): boolean => text.includes('delete from');

/** The removals that some work runs one after the other, as if they found nothing. */
async function removalsOf(most: number, work: (tx: Tx) => Promise<unknown>): Promise<Removal[]> {
  const found: Removal[] = [];
  const prepared = (statement: Statement, values: Values): Promise<unknown[]> => {
    if (removes(statement) || statement.name.startsWith('old-rows-holders')) found.push({ statement, values, most });
    return Promise.resolve([]);
  };
  await work({ prepared, orgId: ORGANISATION } as unknown as Tx);
  return found;
}

async function allRemovals(old: number): Promise<Removal[]> {
  const page = READS_OF_A_ROW * Math.min(old, LIMIT) + BESIDE;
  const before = new Date(Date.now() - DAYS * DAY);
  const forgetting = [
    forgetUsage,
    forgetAuthorizations,
    forgetEvents,
    forgetPhases,
    forgetNumbered,
    forgetSeries,
    forgetPods,
    forgetSamples,
  ];
  const found = await Promise.all([
    ...forgetting.map((forget) => removalsOf(page, (tx) => forget(tx, DAYS, LIMIT))),
    removalsOf(page, (tx) => removeWorkloads(tx, LIMIT, DAYS)),
    removalsOf(page, (tx) => forgetOldKeys(tx, LIMIT)),
    // A walk along all jobs, for which there is no index of their age.
    removalsOf(page + LIMIT, (tx) => forgetSilentJobs(tx, DAYS, undefined, LIMIT)),
    ...KEPT.map((rows) => removalsOf(page, (tx) => new OldRowsOf(rows).remove(tx, before, undefined, LIMIT))),
    ...KEPT.map((rows) => removalsOf(2, (tx) => new OldRowsOf(rows).held(tx, DAYS))),
  ]);
  return found.flat();
}

async function planOf(client: pg.Client, { statement, values }: Removal): Promise<PlanNode> {
  const { name, text, parameters } = statement;
  const literals = parameters.map((parameter) => literalOf(client, values[parameter]));
  await client.query(`prepare removal as ${text}`);
  await client.query('begin');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) execute removal(${literals.join(', ')})`,
  );
  await client.query('rollback');
  await client.query('deallocate removal');
  const [plan] = rows.map(({ 'QUERY PLAN': [{ Plan }] }) => Plan);
  if (!plan) throw new Error(`no plan of ${name}`);
  return plan;
}

const literalOf = (client: pg.Client, value: unknown): string =>
  client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));

describe.each(Object.entries(OLD))('the removals of old rows, where %s are old', (_how, old) => {
  let server: TestServer;
  let database: { name: string; url: string };
  let tables: TableFacts;
  let removals: readonly Removal[];

  beforeAll(async () => {
    server = testServer();
    database = await cloneDatabase(server);
    removals = await allRemovals(old);
    await asSuperuser(async (client) => {
      await neverAnalyse(client);
      await makeUpRows(client, ROWS, (table) => table in AGES || table === 'organisations' || table === 'outbox_heads');
      await client.query('set session_replication_role = replica');
      for (const statement of INSTEAD) await client.query(statement);
      for (const [table, at] of Object.entries(AGES))
        await client.query(
          `update ${table} set ${at} = ${at} - interval '60 days'
           where ctid = any(array(select ctid from ${table} order by ctid limit ${old}))`,
        );
      tables = { ...(await readTables({ db: client })), large: new Set(Object.keys(AGES)) };
    });
  }, 600_000);
  afterAll(() => dropDatabase(server, database.name));

  const asSuperuser = (work: (client: pg.Client) => Promise<void>): Promise<void> =>
    asAdmin(Object.assign(new URL(server.adminUrl), { pathname: database.name }).href, work);

  /** Which statements read more than they remove, or remove less than they should. */
  async function faults(): Promise<string[]> {
    const found: string[] = [];
    await asAdmin(database.url, async (client) => {
      await client.query("select set_config('app.system', 'on', false), set_config('app.retention', 'on', false)");
      // Connections plan with the values at first, and later without them.
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`set plan_cache_mode = ${mode}`);
        for (const removal of removals) {
          const plan = await planOf(client, removal);
          const { name } = removal.statement;
          const removed = removedBy(plan);
          if (removes(removal.statement) && !STAYING.includes(name) && removed !== Math.min(old, LIMIT))
            found.push(`${name} (${mode}): removes ${removed}`);
          for (const fault of faultsOf(plan, tables, removal.most))
            if (fault.kind === 'scans' || fault.kind === 'reads many rows')
              found.push(`${removal.statement.name} (${mode}): ${fault.kind}`);
        }
      }
    });
    return found;
  }

  it('reach those that they remove and few others, before PostgreSQL has analysed their tables', async () => {
    expect(removals.length).toBeGreaterThan(25);
    expect(await faults()).toEqual([]);
  }, 240_000);

  it('reach those that they remove and few others, once PostgreSQL has analysed their tables', async () => {
    await asSuperuser(async (client) => void (await client.query('analyze')));
    expect(await faults()).toEqual([]);
  }, 240_000);
});
