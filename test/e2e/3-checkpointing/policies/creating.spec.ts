import { newId } from '../../../../src/1-platform/common/ids';
import {
  buildPolicy,
  checkpoint,
  heartbeat,
  maintenance,
  ofJobs,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
  storedPolicy,
  tryPolicy,
  type Filter,
  type Trigger,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, ok, type RunningPod } from '../../../support/workloads';

describe('creating policies', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId);
  });
  afterAll(() => service.close());

  const create = (body: unknown) => org.operator.post('/v1/policy/pipeline/create', body);
  const get = async (id: string) => (await org.viewer.get(`/v1/policy/pipeline/${id}`)).body;
  const pipeline = (members: object = {}) => ({
    trigger: heartbeat(),
    filter: ofNamespace(clusterId),
    action: checkpoint(),
    ...members,
  });
  const policies = async () => (await service.db.query('select from policies')).rowCount;

  const TRIGGERS: [string, () => Trigger][] = [
    ['heartbeat', () => heartbeat(10)],
    ['heartbeat that ends', () => heartbeat(2 ** 31 - 1, 1)],
    ['maintenance', () => maintenance()],
    ['maintenance that began', () => maintenance(-3_600, 3_600)],
  ];
  const FILTERS: [string, () => Filter][] = [
    ['a namespace', () => ofNamespace(clusterId)],
    ['pods', () => ofPods(clusterId, [pod.id])],
    ['jobs', () => ofJobs(clusterId, 'none', -1)],
    ['all jobs', () => ofJobs(clusterId)],
    ['Slurm jobs', () => ofSlurmJobs(clusterId, 4711, Number.MAX_SAFE_INTEGER)],
  ];
  const PAIRS = TRIGGERS.flatMap(([on, trigger]) => FILTERS.map(([of, filter]) => [on, of, trigger, filter] as const));

  it.each(PAIRS)('%s of %s is returned as it was created', async (_on, _of, trigger, filter) => {
    const made = { trigger: trigger(), filter: filter(), action: checkpoint('rootfs', '/run/runc') };
    const answer = await create({ name: 'hourly', pipeline: made });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const found = await get(answer.text);
    expect(found).toMatchObject({ id: answer.text, status: 'active', name: 'hourly', pipeline: made });
    expect(new Date(found.timestamp as string).getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('optional members default to null', async () => {
    const id = ok(
      await create({
        pipeline: {
          trigger: { type: 'heartbeat', config: { interval_seconds: 10 } },
          filter: { type: 'jobs', config: { cluster_id: clusterId.toUpperCase() } },
          action: { type: 'checkpoint', config: { kind: 'simple' } },
        },
      }),
    ).text;
    expect(await get(id)).toMatchObject({
      name: null,
      pipeline: { trigger: heartbeat(10), filter: ofJobs(clusterId), action: checkpoint() },
    });
  });

  it('a heartbeat is due after its first interval, a window at its start', async () => {
    const before = Date.now();
    const [beating, waiting, begun] = [
      await buildPolicy(org, ofNamespace(clusterId), heartbeat(1_000)),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(500, 600)),
      await buildPolicy(org, ofPods(clusterId, [pod.id]), maintenance(-500, 600)),
    ];
    const dueIn = async (id: string) => ((await storedPolicy(service, id))?.next_at?.getTime() ?? NaN) - before;
    expect(await dueIn(beating)).toBeGreaterThanOrEqual(999_990);
    expect(await dueIn(beating)).toBeLessThan(1_030_000);
    expect(Math.abs((await dueIn(waiting)) - 500_000)).toBeLessThan(30_000);
    // Its beat may have happened already: then it is due at its end.
    expect((await storedPolicy(service, begun))?.status).toBe('active');
  });

  it('pods may be named by row id or uid, and each counts once', async () => {
    const second = await buildPod(org, clusterId, { uid: `not-a-uuid-${newId()}` });
    const ids = [pod.uid, second.uid, pod.id.toUpperCase(), second.id];
    const id = ok(await tryPolicy(org, heartbeat(), ofPods(clusterId, ids))).text;
    expect((await get(id)).pipeline.filter).toEqual(ofPods(clusterId, [pod.id, second.id]));
  });

  it('happens once for an idempotency key', async () => {
    const [before, headers] = [await policies(), { 'idempotency-key': newId() }];
    const answers = await Promise.all(
      [1, 2, 3].map(() => org.operator.post('/v1/policy/pipeline/create', { pipeline: pipeline() }, headers)),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(await policies()).toBe((before ?? 0) + 1);
    const changed = await org.operator.post('/v1/policy/pipeline/create', { name: 'x', pipeline: pipeline() }, headers);
    expect(changed.status).toBe(422);
  });

  it('writes an audit entry, as deleting does; a deleted policy answers 404', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), heartbeat(), { name: 'audited' });
    expect(await org.operator.delete('/v1/policy/delete', { id })).toMatchObject({ status: 200, text: id });
    const { rows } = await service.db.query(
      'select action, resource_type, details from audit_entries where resource_id = $1 order by id',
      [id],
    );
    const details = {
      name: 'audited',
      trigger: 'heartbeat',
      filter: 'namespace',
      cluster_id: clusterId,
      keep_last: null,
    };
    expect(rows).toEqual([
      { action: 'create_pipeline_policy', resource_type: 'policy', details },
      { action: 'delete_policy', resource_type: 'policy', details: null },
    ]);
    for (const [method, path, body] of [
      ['delete', '/v1/policy/delete', { id }],
      ['get', `/v1/policy/pipeline/${id}`, undefined],
      ['get', `/v1/policy/${id}/activity`, undefined],
      ['get', `/v1/policy/${id}/job-status`, undefined],
      ['get', `/v1/policy/${id}/jobs`, undefined],
      ['get', `/v1/policy/${id}/pods`, undefined],
    ] as const) {
      const answer = await org.operator.send(method, path, body, {});
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'policy_not_found']);
    }
  });

  it('cannot be undone by another organisation, nor without an id', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId));
    expect((await other.operator.delete('/v1/policy/delete', { id })).body.code).toBe('policy_not_found');
    for (const body of [{}, { id: 'x' }, { id: null }, { id, name: 'x' }, undefined])
      expect((await org.operator.delete('/v1/policy/delete', body)).status).toBe(400);
    expect((await get(id)).status).toBe('active');
  });
});
