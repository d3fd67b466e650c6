import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../src/application';
import { createLogger } from '../../src/1-platform/common/logger';
import { buildNode, buildPod } from '../support/builders';
import { DatabaseProxy } from '../support/database-proxy';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm } from '../support/form';
import { cluster, syncObjects } from '../support/inventory';
import { Caller, Service, type Organisation } from '../support/service';

const ROUNDS = inForm(1, 20);
/** More statements than a deletion has. */
const MOST_STATEMENTS = 40;

describe('the deletion of a cluster whose connection breaks', () => {
  let service: Service;
  let org: Organisation;
  let proxy: DatabaseProxy;
  let app: NestExpressApplication;
  let url: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
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
    printFigures();
  });

  /** The rows that a deletion touches, by table. */
  async function rowsOf(clusterId: string): Promise<string> {
    const { rows } = await service.db.query<{ table: string }>(
      `select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname = 'cluster_id' and not a.attisdropped order by 1`,
    );
    const parts = [
      "select 'clusters' as name, count(*)::int as n from clusters where id::text = $1",
      ...rows.map(({ table }) => `select '${table}', count(*)::int from ${table} where cluster_id::text = $1`),
    ];
    return JSON.stringify((await service.db.query(parts.join(' union all '), [clusterId])).rows);
  }

  async function filled(): Promise<string> {
    const clusterId = await cluster(org);
    const pods = Array.from({ length: 5 }, (_, n) => buildPod(`pod-${n}`));
    await syncObjects(org.controller, clusterId, buildNode('n1'), ...pods);
    return clusterId;
  }

  it('behind any of its statements happened as a whole or not at all', async () => {
    const deleted = await filled();
    expect((await org.operator.delete(`/v1/cluster/${deleted}`)).status).toBe(200);
    const whole = await rowsOf(deleted);
    let [attempts, undone, done, partial] = [0, 0, 0, 0];
    let statements = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (let answersFirst = 0; answersFirst < MOST_STATEMENTS; answersFirst++) {
        const clusterId = await filled();
        const before = await rowsOf(clusterId);
        proxy.answersFirst = answersFirst;
        await proxy.set('depart');
        const { status } = await new Caller(url, org.operator.token).delete(`/v1/cluster/${clusterId}`);
        await proxy.set('pass');
        await eventually(async () =>
          expect((await new Caller(url, org.viewer.token).get('/v1/cluster')).status).toBe(200),
        );
        attempts++;
        const after = await rowsOf(clusterId);
        if (status === 200) expect(after).toBe(whole);
        if (after === whole) done++;
        else if (after === before) undone++;
        else partial++;
        // The connection broke behind all statements.
        if (status === 200) {
          statements = Math.max(statements, answersFirst);
          break;
        }
      }
    }
    const attack = `${ROUNDS} rounds, a break behind each of ${statements} replies of the database`;
    const record = (measure: string, value: number, bound: Figure['bound']): void =>
      recordFigure({ row: 15, attack, measure, value, unit: '', bound });
    record('partial deletions', partial, { atMost: 0 });
    record('attempts', attempts, { atLeast: ROUNDS * 3 });
    record('undone as a whole', undone, { atLeast: ROUNDS });
    expect(done).toBeGreaterThanOrEqual(ROUNDS);
  }, 600_000);
});
