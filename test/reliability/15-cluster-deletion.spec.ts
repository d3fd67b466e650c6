import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../src/application';
import { createLogger } from '../../src/1-platform/common/logger';
import { buildPod } from '../support/builders';
import { DatabaseProxy } from '../support/database-proxy';
import { eventually } from '../support/eventually';
import { fill, settingsFor } from '../support/everything';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm } from '../support/form';
import { syncObjects } from '../support/inventory';
import { Marketplace } from '../support/marketplace';
import { Caller, Service, type Organisation } from '../support/service';

const ROUNDS = inForm(1, 20);
/** More statements than a deletion has. */
const MOST_STATEMENTS = 40;

/** Rows that only reports of real agents and sweeps give to a cluster. */
const NAMING_THE_CLUSTER = [
  ...['activations', 'artifacts', 'observations'].map(
    (table) => `update ${table} set cluster_id = $2 where org_id = $1`,
  ),
  `insert into pod_savings (org_id, cluster_id, workload, pod_name, namespace, node_name, platform, first_checkpoint, last_checkpoint,
     checkpoint_count, heartbeat_checkpoints, manual_checkpoints, duration_ns, size_bytes)
   values ($1, $2, 'pod', 'pod', 'default', 'n1', 'linux', now(), now(), 1, 0, 1, 1, 1)`,
  // One that grew old before. The deletion adds others.
  'insert into forgotten_checkpoints (org_id, id, cluster_id) values ($1, gen_random_uuid(), $2)',
];

describe('the deletion of a cluster whose connection breaks', () => {
  let service: Service;
  let market: Marketplace;
  let proxy: DatabaseProxy;
  let app: NestExpressApplication;
  let url: string;

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start(settingsFor(market));
    proxy = await DatabaseProxy.before(service.environment.databaseUrl ?? '');
    app = await createApplication({ ...service.environment, databaseUrl: proxy.url }, createLogger('silent'));
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(async () => {
    await proxy.set('pass');
    await app.close();
    await proxy.close();
    await service.close();
    await market.close();
    printFigures();
  });

  /** Tables whose rows belong to an organisation; of those with a cluster, what selects its rows. */
  async function tablesOf(column: 'org_id' | 'cluster_id'): Promise<string[]> {
    const { rows } = await service.db.query<{ table: string }>(
      `select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname = $1 and not a.attisdropped order by 1`,
      [column],
    );
    return rows.map(({ table }) => table);
  }

  /** Every table as one value, of the rows of an organisation. */
  async function eachTable(of: string, orgId: string): Promise<string> {
    // Of tokens, it is noted when they were last used.
    const tables = (await tablesOf('org_id')).filter((name) => name !== 'access_tokens');
    const parts = tables.map((name) => `select '${name}' as name, ${of} as value from ${name} t where org_id = $1`);
    return JSON.stringify((await service.db.query(parts.join(' union all '), [orgId])).rows);
  }
  /** All of its rows: inventory, events of the outbox and audit entries too. */
  const rowsOf = (orgId: string) => eachTable("md5(string_agg(t::text, ';' order by t::text))", orgId);
  const countsOf = (orgId: string) => eachTable('count(*)::text', orgId);

  /** An organisation with a row of every kind. All of them have the same number of rows. */
  async function filled(): Promise<{ org: Organisation; clusterId: string }> {
    const org = await service.organisation();
    const { clusterId } = await fill(service, org);
    await syncObjects(org.controller, clusterId, ...Array.from({ length: 5 }, (_, n) => buildPod(`pod-${n}`)));
    for (const statement of NAMING_THE_CLUSTER) await service.db.query(statement, [org.id, clusterId]);
    return { org, clusterId };
  }

  it('has something of every table to delete', async () => {
    const { clusterId } = await filled();
    const parts = (await tablesOf('cluster_id')).map(
      (name) => `select '${name}' as name, count(*)::int as n from ${name} where cluster_id::text = $1`,
    );
    const { rows } = await service.db.query<{ name: string; n: number }>(parts.join(' union all '), [clusterId]);
    expect(rows.filter(({ n }) => n === 0)).toEqual([]);
    expect(rows.length).toBeGreaterThan(15);
  });

  it('deletes all of the cluster or nothing, whichever statement the connection breaks behind', async () => {
    const reference = await filled();
    expect((await reference.org.operator.delete(`/v1/cluster/${reference.clusterId}`)).status).toBe(200);
    const whole = await countsOf(reference.org.id);
    let [attempts, undone, done, partial] = [0, 0, 0, 0];
    let statements = 0;
    for (let round = 0; round < ROUNDS; round++) {
      let victim = await filled();
      for (let answersFirst = 0; answersFirst < MOST_STATEMENTS; answersFirst++) {
        const { org, clusterId } = victim;
        const before = await rowsOf(org.id);
        proxy.answersFirst = answersFirst;
        await proxy.set('depart');
        const { status } = await new Caller(url, org.operator.token).delete(`/v1/cluster/${clusterId}`);
        await proxy.set('pass');
        await eventually(async () =>
          expect((await new Caller(url, org.viewer.token).get('/v1/cluster')).status).toBe(200),
        );
        attempts++;
        const isUndone = (await rowsOf(org.id)) === before;
        const isDone = !isUndone && (await countsOf(org.id)) === whole;
        if (status === 200) expect(isDone).toBe(true);
        if (isDone) done++;
        else if (isUndone) undone++;
        else partial++;
        // The connection broke behind all statements.
        if (status === 200) {
          statements = Math.max(statements, answersFirst);
          break;
        }
        // The commit succeeded, and its answer was lost.
        if (!isUndone) victim = await filled();
      }
    }
    const attack = `${ROUNDS} rounds, a break behind each of ${statements} replies of the database, rows of every kind`;
    const record = (measure: string, value: number, bound: Figure['bound']): void =>
      recordFigure({ row: 15, attack, measure, value, unit: '', bound });
    record('partial deletions', partial, { atMost: 0 });
    record('attempts', attempts, { atLeast: ROUNDS * 3 });
    record('undone as a whole', undone, { atLeast: ROUNDS });
    expect(done).toBeGreaterThanOrEqual(ROUNDS);
  }, 600_000);
});
