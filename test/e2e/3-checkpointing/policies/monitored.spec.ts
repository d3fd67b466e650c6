import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { policiesOfJobs, policiesOfPods } from '../../../../src/3-checkpointing/policies/beats/policy-targets.queries';
import { buildJob, ownedBy } from '../../../support/builders';
import { syncObjects } from '../../../support/inventory';
import { namesOf, plansOf } from '../../../support/plans';
import { buildPolicy, ofJobs, ofNamespace, ofPods } from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, nodeResource, podResource } from '../../../support/workloads';

const PODS = 500;

describe('the policies of a page of pods or jobs', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
  });
  afterAll(() => service.close());

  /** Rows of pods and jobs, by name. */
  async function idsOf(table: 'pods' | 'jobs'): Promise<Record<string, string>> {
    const { rows } = await service.db.query<{ name: string; id: string }>(
      `select name, id from ${table} where org_id = $1`,
      [org.id],
    );
    return Object.fromEntries(rows.map(({ name, id }) => [name, id]));
  }

  /** A job with a pod, of a priority. */
  const reportJob = async (name: string, namespace: string, priority: number, pod = {}): Promise<void> => {
    const job = buildJob(name, { metadata: { namespace } });
    const { metadata, spec, ...rest } = podResource({ name: `${name}-0`, namespace, ...pod });
    const owned = { ...rest, metadata: { ...metadata, ...ownedBy(job) }, spec: { ...spec, priority } };
    await syncObjects(org.controller, clusterId, job, owned);
  };

  const read = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    service.app.get(UnitOfWork).read({ orgId: org.id }, work);

  /** Rows of pods that some work reads. */
  const rowsRead = async (work: (tx: Tx) => Promise<unknown>): Promise<number> =>
    (await plansOf(service, org, work, [], 'explain (analyze, timing off)'))
      .flatMap((plan) => [...plan.matchAll(/ on pods\b.*rows=([\d.]+) loops=(\d+)/g)])
      .reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);

  /** Copies of the only pod, which differ in these members too. */
  async function copyPod(differs = ''): Promise<void> {
    await service.db.query(
      `insert into pods
       select (json_populate_record(p, json_build_object(
         'id', gen_random_uuid(), 'uid', 'u' || i, 'name', 'n' || i ${differs}
       ))).* from pods p, generate_series(1, $2::int) i where p.org_id = $1`,
      [org.id, PODS],
    );
    await service.db.query('vacuum analyze pods, jobs');
  }

  it('are those that act on them, or on the pods of a job, whatever their filter', async () => {
    await reportJob('train', 'ml', 5);
    await reportJob('serve', 'web', 9);
    await reportJob('waiting', 'ml', 9, { phase: 'Pending' });
    const pods = await idsOf('pods');
    const [ml, web, byPod, jobs, important, nothing] = [
      await buildPolicy(org, ofNamespace(clusterId, 'ml')),
      await buildPolicy(org, ofNamespace(clusterId, 'web')),
      await buildPolicy(org, ofPods(clusterId, [pods['train-0']!, pods['waiting-0']!])),
      await buildPolicy(org, ofJobs(clusterId)),
      await buildPolicy(org, ofJobs(clusterId, null, 9)),
      await buildPolicy(org, ofNamespace(clusterId, 'elsewhere')),
    ];
    const [ids, podIds] = [await idsOf('jobs'), Object.values(pods)];
    expect(Object.fromEntries(await read((tx) => policiesOfPods(tx, podIds)))).toEqual({
      [pods['train-0']!]: [ml, byPod, jobs],
      [pods['serve-0']!]: [web, jobs, important],
    });
    const ofTheJobs = await read((tx) => policiesOfJobs(tx, Object.values(ids)));
    expect(Object.fromEntries(ofTheJobs)).toEqual({
      [ids.train!]: [ml, byPod, jobs],
      [ids.serve!]: [web, jobs, important],
      [ids.waiting!]: [jobs, important],
    });
    expect([...ofTheJobs.values()].flat()).not.toContain(nothing);
  });

  it('are asked for by statements that PostgreSQL plans once for each connection', async () => {
    const ids = ['01a228be-5dd1-7172-aaf0-7410c0cffd84'];
    expect(await namesOf(service, org, (tx) => policiesOfPods(tx, ids))).toEqual(['policies-of-pods']);
    expect(await namesOf(service, org, (tx) => policiesOfJobs(tx, ids))).toEqual(['policies-of-jobs']);
  });

  it('are found without the pods that the page does not show, however many policies there are', async () => {
    await syncObjects(org.controller, clusterId, nodeResource('node-1'));
    await reportJob('train', 'ml', 5);
    const [pods, jobs] = [await idsOf('pods'), await idsOf('jobs')];
    await copyPod(", 'owner_uid', null");
    for (let policies = 0; policies < 3; policies++) await buildPolicy(org, ofNamespace(clusterId, 'ml'));
    expect(await rowsRead((tx) => policiesOfPods(tx, [pods['train-0']!]))).toBe(1);
    expect(await rowsRead((tx) => policiesOfJobs(tx, [jobs.train!]))).toBe(1);
  });

  it('are found by one running pod of a job, however many it has', async () => {
    await syncObjects(org.controller, clusterId, nodeResource('node-1'));
    await reportJob('train', 'ml', 5);
    const [jobs, ml] = [await idsOf('jobs'), await buildPolicy(org, ofNamespace(clusterId, 'ml'))];
    await copyPod();
    const work = (tx: Tx) => policiesOfJobs(tx, [jobs.train!]);
    expect(Object.fromEntries(await read(work))).toEqual({ [jobs.train!]: [ml] });
    expect(await rowsRead(work)).toBeLessThanOrEqual(1);
  });
});
