import type pg from 'pg';
import { DataSource } from 'typeorm';
import { PodCounts1795500000000 } from '../../../../src/1-platform/database/migrations/1795500000000-PodCounts';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import type { Filter } from '../../../../src/2-inventory/kubernetes/listing.queries';
import { podListing } from '../../../../src/2-inventory/pods/pods.queries';
import { buildNode, buildPod, newer } from '../../../support/builders';
import { cluster, syncObject, syncObjects } from '../../../support/inventory';
import { BY_INDEX, namesOf, plansOf } from '../../../support/plans';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let clusterId: string;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await cluster(org);
});

const KEPT = `
  select namespace, phase, sum(pods)::int as pods, count(*)::int as rows from pod_counts
  where org_id = $1 group by 1, 2 order by 1, 2`;
const kept = async () => (await service.db.query(KEPT, [org.id])).rows;
const only = (phase: string, pods: number, namespace = 'default') => ({ namespace, phase, pods, rows: 1 });

const COUNTED = `
  select namespace, phase, count(*)::int as pods from pods
  where org_id = $1 and not deleted group by 1, 2 order by 1, 2`;
/** What is kept equals what is counted. */
async function expectExact(): Promise<void> {
  const { rows: counted } = await service.db.query(COUNTED, [org.id]);
  const numbers = (await kept()).filter(({ pods }) => pods !== 0);
  expect(numbers.map(({ rows: _rows, ...number }) => number)).toEqual(counted);
}

/** Many pods, of which PostgreSQL has statistics, on no node or on that many. */
async function insertPods(pods: number, nodes = 0): Promise<void> {
  if (nodes > 0)
    await syncObjects(org.controller, clusterId, ...Array.from({ length: nodes }, (_, n) => buildNode(`n${n}`)));
  const insert = `
    insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers,
      total_containers, restarts, labels, object, deleted)
    select $1, gen_random_uuid(), $2, 'u' || n, 'many-' || lpad(n::text, 4, '0'), 'ns-' || n % 20,
      case when $4::int = 0 then '' else 'n' || n % $4 end, 'Running', 1, 1, n, '{}', '{}', false
    from generate_series(1, $3::int) n`;
  await service.db.query(insert, [org.id, clusterId, pods, nodes]);
  await service.db.query('vacuum analyze pods');
}

const silence = (name: string) =>
  service.db.query("update nodes set synced_at = now() - interval '1 hour' where org_id = $1 and name = $2", [
    org.id,
    name,
  ]);

const listed = async (): Promise<number> => (await org.viewer.get('/v1/pods/paginated?limit=1')).body.total_count;

describe('the numbers of pods that are kept', () => {
  it('follow every report: new pods, other phases, other namespaces, and pods that are gone', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => buildPod(name)) as [object, object, object];
    await syncObjects(org.controller, clusterId, one, two, three);
    expect(await kept()).toEqual([only('Running', 3)]);
    const ended = newer(one as never, { status: { phase: 'Succeeded' } });
    await syncObjects(org.controller, clusterId, ended, buildPod('four', { metadata: { namespace: 'ml' } }));
    expect(await kept()).toEqual([only('Running', 2), only('Succeeded', 1), only('Running', 1, 'ml')]);
    const gone = newer(ended, { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } });
    await syncObjects(org.controller, clusterId, gone);
    // No row stays of what there is none of.
    expect(await kept()).toEqual([only('Running', 2), only('Running', 1, 'ml')]);
    await expectExact();
  });

  it('are not written again by a report that moves no pod to another number', async () => {
    const pods = ['one', 'two'].map((name) => buildPod(name));
    await syncObjects(org.controller, clusterId, ...pods);
    const versions = async () =>
      (await service.db.query('select xmin::text, ctid::text from pod_counts where org_id = $1', [org.id])).rows;
    const before = await versions();
    await syncObjects(org.controller, clusterId, ...pods);
    // Written, with the same namespace and phase.
    await syncObjects(org.controller, clusterId, ...pods.map((pod) => newer(pod)));
    expect(await versions()).toEqual(before);
  });

  it('are the same after statements of any other program, and without deleted rows', async () => {
    await syncObjects(org.controller, clusterId, ...['one', 'two', 'three'].map((name) => buildPod(name)));
    await service.db.query("update pods set deleted = true where org_id = $1 and name = 'one'", [org.id]);
    expect(await kept()).toEqual([only('Running', 2)]);
    await service.db.query("delete from pods where org_id = $1 and name <> 'three'", [org.id]);
    expect(await kept()).toEqual([only('Running', 1)]);
    await service.db.query("update pods set phase = 'Failed' where org_id = $1", [org.id]);
    expect(await kept()).toEqual([only('Failed', 1)]);
    await service.db.query('delete from pods where org_id = $1', [org.id]);
    expect(await kept()).toEqual([]);
  });

  it('go with their cluster', async () => {
    await syncObjects(org.controller, clusterId, buildPod('one'));
    await org.admin.delete(`/v1/cluster/${clusterId}`);
    expect(await kept()).toEqual([]);
  });

  it('keep nobody waiting, and add up whoever commits first or not at all', async () => {
    await syncObjects(org.controller, clusterId, ...['one', 'two', 'three', 'four'].map((name) => buildPod(name)));
    const clients: pg.PoolClient[] = [await service.db.connect(), await service.db.connect()];
    const [first, second] = clients as [pg.PoolClient, pg.PoolClient];
    const end = (client: pg.PoolClient, name: string) =>
      client.query("update pods set phase = 'Succeeded' where org_id = $1 and name = $2", [org.id, name]);
    try {
      for (const client of clients) await client.query("begin; set local lock_timeout = '1ms'");
      await end(first, 'one');
      await end(second, 'two');
      await end(first, 'three');
      await second.query('commit');
      await expectExact();
      await first.query('rollback');
      await expectExact();
    } finally {
      for (const client of clients) client.release();
    }
    expect((await kept()).map(({ pods }) => pods)).toEqual([3, 1]);
    // Whoever comes next finds the rows free, and makes them one.
    await syncObjects(org.controller, clusterId, buildPod('five'));
    expect(await kept()).toEqual([only('Running', 4), only('Succeeded', 1)]);
  });

  it('are exact after many reports at once, of the same groups in any order', async () => {
    const namespaces = ['a', 'b', 'c'];
    const podsOf = (batch: number) =>
      Array.from({ length: 12 }, (_, n) =>
        buildPod(`pod-${batch}-${n}`, { metadata: { namespace: namespaces[(batch * n) % 3] } }),
      );
    const batches = Array.from({ length: 12 }, (_, batch) => podsOf(batch));
    await Promise.all(batches.map((pods) => syncObjects(org.controller, clusterId, ...pods)));
    await expectExact();
    const changed = batches.map((pods, batch) =>
      pods.map((pod, n) => newer(pod, { status: { phase: (batch + n) % 2 === 0 ? 'Failed' : 'Running' } })),
    );
    await Promise.all(changed.map((pods) => syncObjects(org.controller, clusterId, ...pods.toReversed())));
    await expectExact();
    expect(await listed()).toBe(144);
  });
});

describe('the migration that makes the numbers', () => {
  /** As if it had been killed before. One process at a time runs migrations. */
  async function repeat(): Promise<void> {
    const source = service.app.get(DataSource);
    const runner = source.createQueryRunner();
    try {
      await new PodCounts1795500000000().up(runner);
    } finally {
      await runner.release();
    }
  }

  it('adds what is missing, however often it is repeated, beside reports', async () => {
    await syncObjects(org.controller, clusterId, buildPod('one'), buildPod('two'));
    await repeat();
    expect(await kept()).toEqual([only('Running', 2)]);
    await service.db.query('delete from pod_counts where org_id = $1', [org.id]);
    // Reported after the triggers were made, and before the pods were counted.
    await syncObjects(org.controller, clusterId, buildPod('three', { status: { phase: 'Pending' } }));
    const reports = Array.from({ length: 10 }, (_, n) => syncObjects(org.controller, clusterId, buildPod(`p${n}`)));
    await Promise.all([repeat(), ...reports]);
    await expectExact();
    expect(await listed()).toBe(13);
  });
});

describe('pods that no list has', () => {
  it('are left out of the numbers while their node is silent or gone', async () => {
    const on = (nodeName: string, phase: string) =>
      buildPod(`${nodeName}-${phase}`.toLowerCase(), { spec: { nodeName }, status: { phase } });
    const [n1, n2] = [buildNode('n1'), buildNode('n2')];
    await syncObjects(org.controller, clusterId, n1, n2, on('n1', 'Running'), on('n2', 'Running'), on('n2', 'Failed'));
    await syncObjects(org.controller, clusterId, buildPod('nowhere'));
    // A node of the same name in another cluster hides nothing here.
    const other = await cluster(org, 'other');
    await syncObjects(org.controller, other, buildNode('n1'), on('n1', 'Running'));
    expect(await listed()).toBe(5);
    await silence('n2');
    expect((await org.viewer.get('/v1/pods/statuses')).body).toEqual({ statuses: ['Running'] });
    expect(await listed()).toBe(3);
    await syncObject(org.controller, clusterId, newer(n1, { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } }));
    expect(await listed()).toBe(2);
    await syncObject(org.controller, clusterId, newer(n2));
    expect(await listed()).toBe(4);
  });

  it('are looked up by their nodes, in an index', async () => {
    await insertPods(3_000, 100);
    const [plan] = await plansOf(service, org, (tx) => podListing.summary(tx), BY_INDEX);
    expect(plan).toMatch(/pods_on_node_idx on pods[^]*?Index Cond: [^\n]*node_name >= n\w*\.name[^\n]*node_name <= n/);
    expect(plan!.match(/ on pods\b/g)).toHaveLength(1);
  });

  it('are counted by a statement that PostgreSQL plans once for each connection', async () => {
    for (const [silent, name] of [
      [false, 'pods-summary'],
      [true, 'pods-summary-with-silent'],
    ] as const)
      expect(await namesOf(service, org, (tx) => podListing.including(silent).summary(tx))).toEqual([name]);
  });

  it('read each pod once, however many clusters have silent nodes of the same name', async () => {
    await syncObject(org.controller, clusterId, buildNode('edge'));
    await silence('edge');
    const pods = 2_000;
    await insertPods(pods);
    // All that differs between the copies of the cluster, and of its node.
    const copies = (table: string, differs: string) => `
      insert into ${table}
      select (jsonb_populate_record(r, jsonb_build_object(${differs}))).* from ${table} r, generate_series(1, 200) n
      where r.org_id = $1`;
    const copy = "md5($1::uuid || 'copy' || n)::uuid";
    await service.db.query(copies('clusters', `'id', ${copy}, 'name', 'edge-' || n`), [org.id]);
    await service.db.query(copies('nodes', `'id', gen_random_uuid(), 'cluster_id', ${copy}`), [org.id]);
    await service.db.query(
      `update pods set node_name = 'edge', cluster_id = c.id
       from (select id, row_number() over () n from clusters where org_id = $1 and id <> $2) c
       where org_id = $1 and c.n = 1 + restarts % 200`,
      [org.id, clusterId],
    );
    await service.db.query('vacuum analyze pods, nodes');
    const readBy = async (work: (tx: Tx) => Promise<unknown>): Promise<number> =>
      (await plansOf(service, org, work, [], 'explain (analyze, costs off)'))
        .flatMap((plan) => [...plan.matchAll(/ on pods\b.*rows=([\d.]+) loops=(\d+)/g)])
        .reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);
    expect(await readBy((tx) => podListing.summary(tx))).toBe(pods);
    expect(await listed()).toBe(0);
    // More than are found at once: counted apart.
    const sorted = { sort: 'name', ascending: true, limit: 5, offset: 0 };
    expect(await readBy((tx) => podListing.pageOfSome(tx, { name: 'many' }, sorted))).toBeLessThan(5 * pods);
    expect((await org.viewer.get('/v1/pods/paginated?limit=1&pod_name=many')).body.total_count).toBe(0);
    await syncObject(org.controller, clusterId, newer(buildNode('edge')));
    await service.db.query('update pods set cluster_id = $2 where org_id = $1 and restarts <= 1500', [
      org.id,
      clusterId,
    ]);
    expect((await org.viewer.get('/v1/pods/paginated?limit=1&pod_name=many')).body.total_count).toBe(1_500);
  });

  it('are none of the numbers of another organisation', async () => {
    await syncObjects(org.controller, clusterId, buildPod('one'));
    const stranger = await service.organisation();
    const seen = await service.app
      .get(UnitOfWork)
      .read({ orgId: stranger.id }, (tx) => tx.query('select * from pod_counts', {}));
    expect(seen).toEqual([]);
  });
});

describe('a search for a part of a name', () => {
  it('finds names in either case, though names with capitals are an exception', async () => {
    const found = async (part: string) =>
      (await org.viewer.get(`/v1/pods/paginated?pod_name=${part}`)).body.pods.map((pod: { name: string }) => pod.name);
    await syncObjects(org.controller, clusterId, buildPod('needle-1'), buildPod('hay'));
    expect(await found('NEEDLE')).toEqual(['needle-1']);
    await syncObjects(org.controller, clusterId, buildPod('Needle-2'));
    expect(await found('needle')).toEqual(['Needle-2', 'needle-1']);
    expect(await found('NEEDLE')).toEqual(['Needle-2', 'needle-1']);
  });

  const sorted = { sort: 'name', ascending: true, limit: 5, offset: 0 };
  const searching = (filter: Filter) => (tx: Tx) => podListing.pageOfSome(tx, filter, sorted);

  it('learns from an index whether there are capitals, and folds no name if there are none', async () => {
    await insertPods(3_000);
    const [, capitals, names] = await plansOf(service, org, searching({ name: 'needle' }));
    expect(capitals).toContain('using pods_with_capitals_idx on pods p');
    expect(names).not.toContain('lower(');
    await syncObjects(org.controller, clusterId, buildPod('Needle'));
    expect((await plansOf(service, org, searching({ name: 'needle' })))[2]).toContain('lower(');
  });

  it('compares names in the index that has no more than them, those of one namespace alone', async () => {
    await insertPods(3_000);
    const read = async (filter: Filter) => {
      // Pods as small as these are read in the table otherwise.
      const [, , plan] = await plansOf(service, org, searching(filter), BY_INDEX);
      return /Index Only Scan using pods_by_name_idx on pods r .*\n.*(Index Cond: .*)\n/.exec(plan!)?.[1];
    };
    expect(await read({ name: 'many-0007' })).toMatch(/^Index Cond: \(org_id = '[\w-]+'::uuid\)$/);
    expect(await read({ name: 'many-0007', namespace: 'ns-7' })).toContain("(namespace = 'ns-7'::text)");
  });

  it('sends as few statements as its answer needs', async () => {
    await insertPods(1_001);
    const sent = (filter: Filter) => namesOf(service, org, searching(filter));
    const first = ['compare-in-index', 'pods-capitals', ''];
    expect(await sent({ name: 'nowhere' })).toEqual(first);
    expect(await sent({ name: 'many-0007' })).toEqual([...first, '']);
    // The page, and the total.
    expect(await sent({ name: 'many' })).toEqual([...first, '', '']);
    // Too many have such a name, but few of them the status.
    expect(await sent({ name: 'many', status: 'Failed' })).toEqual([...first, '']);
  });

  it('reads no table of pods that were reported again and again, beside those of others', async () => {
    const others = [await service.organisation(), await service.organisation()];
    await service.db.query('delete from pods');
    await insertPods(1_500);
    // As many kilobytes as a pod has.
    const object = `json_build_object('spec', repeat('x', 1500))`;
    await service.db.query(`update pods set object = ${object} where org_id = $1`, [org.id]);
    await service.db.query('vacuum full pods');
    for (const other of others)
      await service.db.query(
        `insert into pods
         select (json_populate_record(p, json_build_object(
           'id', gen_random_uuid(), 'org_id', $2::uuid, 'cluster_id', $3::uuid
         ))).* from pods p where p.org_id = $1`,
        [org.id, other.id, await cluster(other)],
      );
    // Their places are no longer known to hold live rows alone, so that an index costs more.
    await service.db.query(`update pods set object = ${object} where restarts % 3 = 0`);
    await service.db.query('analyze pods');
    const plans = await plansOf(service, org, searching({ name: 'needle' }));
    expect(plans.filter((plan) => plan.includes('Seq Scan on pods'))).toEqual([]);
  });

  it('does not look up again whether the pods that it found are on silent nodes', async () => {
    await syncObjects(org.controller, clusterId, buildPod('needle'));
    const plans = await plansOf(service, org, searching({ name: 'needle' }));
    expect(plans.map((plan) => / on nodes\b/.test(plan))).toEqual([false, false, true, false]);
  });

  it('answers the same from more rows than are found at once', async () => {
    await insertPods(1_001);
    const page = async (query: string) => (await org.viewer.get(`/v1/pods/paginated?limit=2&${query}`)).body;
    const names = ({ pods }: { pods: { name: string }[] }) => pods.map(({ name }) => name);
    const many = await page('pod_name=many&sort=restarts&ascending=false');
    expect([names(many), many.total_count]).toEqual([['many-1001', 'many-1000'], 1001]);
    const few = await page('pod_name=many-1&sort=restarts&ascending=false');
    expect([names(few), few.total_count]).toEqual([['many-1001', 'many-1000'], 2]);
    const last = await page('pod_name=many-0&offset=998');
    expect([names(last), last.total_count]).toEqual([['many-0999'], 999]);
  });

  it('finds what other filters leave of few names and of many, in every cluster', async () => {
    await insertPods(1_001);
    await syncObjects(org.controller, await cluster(org), buildPod('many-0007', { metadata: { namespace: 'ns-7' } }));
    await syncObjects(org.controller, clusterId, buildNode('edge'));
    await syncObjects(org.controller, clusterId, buildPod('many-0007', { spec: { nodeName: 'edge' } }));
    const failed = 'update pods set phase = $2 where org_id = $1 and restarts between 6 and 8';
    await service.db.query(failed, [org.id, 'Failed']);
    const found = async (query: string) => {
      const { pods, total_count: total } = (await org.viewer.get(`/v1/pods/paginated?limit=5&${query}`)).body;
      return [pods.map(({ name, namespace }: Record<string, string>) => `${namespace}/${name}`), total];
    };
    const twice = ['ns-7/many-0007', 'ns-7/many-0007'];
    expect(await found('pod_name=many-0007&sort=namespace')).toEqual([['default/many-0007', ...twice], 3]);
    expect(await found(`pod_name=many-0007&cluster_id=${clusterId}&status=Failed`)).toEqual([twice.slice(1), 1]);
    const three = ['ns-6/many-0006', 'ns-7/many-0007', 'ns-8/many-0008'];
    expect(await found('pod_name=many&status=Failed')).toEqual([three, 3]);
    expect(await found(`pod_name=many&cluster_id=${clusterId}&status=Failed&namespace=ns-8`)).toEqual([[three[2]], 1]);
    await silence('edge');
    expect(await found('pod_name=many-0007')).toEqual([twice, 2]);
    expect(await found('pod_name=many-0007&silent=true&sort=namespace')).toEqual([['default/many-0007', ...twice], 3]);
  });
});
