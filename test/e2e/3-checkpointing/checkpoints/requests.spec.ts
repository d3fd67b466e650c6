import { newId } from '../../../../src/1-platform/common/ids';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  nodeResource,
  ok,
  podResource,
  putUploaded,
  syncAll,
  takeUp,
} from '../../../support/workloads';

describe('requests for checkpoints', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await buildCluster(org);
  });
  afterAll(() => service.close());

  const detailsOf = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;
  const listed = async (id: string) =>
    (await org.viewer.get('/v1/actions')).body.find((action: { action_id: string }) => action.action_id === id);
  const payloadOf = async (id: string) =>
    (await service.db.query('select payload from outbox_events where aggregate_id = $1', [id])).rows[0].payload;

  describe('leave_running', () => {
    it.each([
      [undefined, true],
      [true, true],
      [false, false],
    ])('%s appears in the action and in the event as %s', async (asked, expected) => {
      const { uid } = await buildPod(org, clusterId);
      const id = await askCheckpoint(org, uid, asked === undefined ? {} : { leave_running: asked });
      const shown = { leave_running: expected, details: { leave_running: expected } };
      expect(await detailsOf(id)).toMatchObject(shown);
      expect(await listed(id)).toMatchObject(shown);
      expect((await payloadOf(id)).leave_running).toBe(expected);
    });

    it('is accepted for a Slurm job too', async () => {
      const slurm = await slurmCluster(org);
      ok(await syncJobs(org.controller, slurm, [slurmJob(7)]));
      const body = { cluster_id: slurm, job_id: '7', leave_running: false };
      const id = ok(await org.operator.post('/v1/slurm/checkpoint/job', body)).text;
      expect(await detailsOf(id)).toMatchObject({ leave_running: false, containers: null });
      expect(await payloadOf(id)).toMatchObject({ leave_running: false });
    });

    it('is null for a restore', async () => {
      const { uid } = await buildPod(org, clusterId);
      const actionId = await askCheckpoint(org, uid, { leave_running: false });
      ok(await putUploaded(org, await takeUp(org, actionId, { container_name: 'main' })));
      const id = ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text;
      expect((await detailsOf(id)).leave_running).toBeNull();
      expect((await listed(id)).leave_running).toBeNull();
    });

    it.each(['false', null, 0])('is refused with 400 for %p', async (leaveRunning) => {
      const { uid } = await buildPod(org, clusterId);
      const answer = await org.operator.post('/v1/checkpoint/pod', { pod_id: uid, leave_running: leaveRunning });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'leave_running']);
    });
  });

  describe('of a pod on a silent node', () => {
    const silentNode = async (name: string) => {
      await syncAll(org.controller, clusterId, [nodeResource(name)]);
      const pod = await buildPod(org, clusterId, { node: name });
      const { rows } = await service.db.query(
        "update nodes set synced_at = clock_timestamp() - interval '301 seconds' where cluster_id = $1 and name = $2 returning synced_at",
        [clusterId, name],
      );
      return { pod, since: (rows[0].synced_at as Date).toISOString() };
    };

    it('are answered 409 node_silent with last_seen_at, and create no action', async () => {
      const { pod, since } = await silentNode('silent-1');
      const named = { cluster_id: clusterId, namespace: pod.namespace, pod_name: pod.name };
      for (const body of [{ pod_id: pod.uid }, { pod_id: pod.id }, named]) {
        const answer = await org.operator.post('/v1/checkpoint/pod', body);
        expect(answer).toMatchObject({ status: 409, body: { code: 'node_silent', last_seen_at: since } });
      }
      expect((await org.viewer.get(`/v1/actions/from_pod/${pod.uid}`)).status).toBe(404);
    });

    it('succeed as soon as the node reports again', async () => {
      const { pod } = await silentNode('silent-2');
      await syncAll(org.controller, clusterId, [nodeResource('silent-2')]);
      ok(await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.uid }));
    });

    it('are answered 404 first if the pod does not run', async () => {
      const { pod } = await silentNode('silent-3');
      const ended = podResource({ uid: pod.uid, name: pod.name, node: 'silent-3', phase: 'Failed', version: 2 });
      await syncAll(org.controller, clusterId, [ended]);
      expect((await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.uid })).status).toBe(404);
    });
  });

  describe('and the kind of workload', () => {
    const engine = (type: string, name: string, metadata: object = {}) => ({
      type,
      kind: type,
      metadata: { uid: newId(), name, namespace: 'training', resourceVersion: '1', ...metadata },
    });
    const podOf = async (owner: { kind: string; name: string; uid?: string }) => {
      const pod = podResource({ owner });
      await syncAll(org.controller, clusterId, [pod]);
      return askCheckpoint(org, pod.metadata.uid);
    };
    const kindOf = async (id: string) => (await listed(id)).workload_kind;
    const reference = ({ kind, metadata }: ReturnType<typeof engine>) => ({
      kind,
      name: metadata.name,
      uid: metadata.uid,
    });

    it("is the owner's that the pod names, if that owner was not synced", async () => {
      expect(await kindOf(await podOf({ kind: 'StatefulSet', name: 'db' }))).toBe('StatefulSet');
    });

    it('is that of a synced graph deployment that owns it, whatever the reference calls it', async () => {
      const graph = engine('EngineGraphDeployment', 'graph-1');
      await syncAll(org.controller, clusterId, [graph]);
      expect(await kindOf(await podOf({ ...reference(graph), kind: 'VendorGraph' }))).toBe('EngineGraphDeployment');
    });

    it('is that of the graph deployment that owns its owner, which may be synced after the pod', async () => {
      const graph = engine('EngineGraphDeployment', 'graph-2');
      const part = engine('EngineService', 'decode-2', {
        ownerReferences: [{ controller: true, ...reference(graph) }],
      });
      const pod = podResource({ owner: reference(part) });
      await syncAll(org.controller, clusterId, [pod]);
      expect(await kindOf(await askCheckpoint(org, pod.metadata.uid))).toBe('EngineService');
      await syncAll(org.controller, clusterId, [graph, part]);
      expect(await kindOf(await askCheckpoint(org, pod.metadata.uid))).toBe('EngineGraphDeployment');
    });

    it('is read from the label of its synced owner', async () => {
      const labels = { 'vendor.io/x-graph-deployment-name': 'graph-3' };
      const [job, plain] = [engine('Job', 'train-3', { labels }), engine('Job', 'train-4')];
      await syncAll(org.controller, clusterId, [job, plain]);
      expect(await kindOf(await podOf(reference(job)))).toBe('EngineGraphDeployment');
      expect(await kindOf(await podOf(reference(plain)))).toBe('Job');
    });

    it('is not that of an owner of the same name with another uid, or of another cluster', async () => {
      const elsewhere = await buildCluster(org);
      const graph = engine('EngineGraphDeployment', 'graph-5');
      await syncAll(org.controller, elsewhere, [graph]);
      expect(await kindOf(await podOf({ ...reference(graph), kind: 'VendorGraph' }))).toBe('VendorGraph');
      const again = engine('EngineGraphDeployment', 'graph-6');
      await syncAll(org.controller, clusterId, [again]);
      expect(await kindOf(await podOf({ kind: 'VendorGraph', name: 'graph-6' }))).toBe('VendorGraph');
    });
  });
});

describe('checkpoints without a GPU', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  it.each<[string, object]>([
    ['is absent', {}],
    ['is empty', { gpu: '' }],
    ['is null', { gpu: null }],
  ])('pass the whole loop when gpu %s', async (_how, gpu) => {
    const { uid } = await buildPod(org, await buildCluster(org));
    const actionId = await askCheckpoint(org, uid);
    const id = await takeUp(org, actionId, { container_name: 'main' });
    const info = { magic: 'STATS', entries: [{ dump: { freezing_time: 62, frozen_time: 1_000, pages_written: 10 } }] };
    ok(await org.controller.put(`/v1/checkpoints/info/${id}`, { platform: 'linux/amd64', info, ...gpu }));
    ok(await putUploaded(org, id, '/cpu/1'));
    expect((await org.viewer.get(`/v1/checkpoints?ids=${id}`)).body).toMatchObject([{ gpu: '', status: 'ready' }]);
    expect((await org.viewer.get(`/v1/operations/${id}`)).body).toMatchObject({ result: 'succeeded', gpu_model: '' });
    const action = (await org.viewer.get(`/v1/actions/${actionId}`)).body;
    expect(action).toMatchObject({ status: 'ready', gpu: null, platform: 'linux/amd64' });
    ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'nodeTermination' }));
    expect((await org.viewer.get('/v1/metrics/checkpoint-savings')).status).toBe(200);
  });

  it('pass it for a Slurm job too', async () => {
    const slurm = await slurmCluster(org);
    ok(await syncJobs(org.controller, slurm, [slurmJob(7)]));
    const asked = await org.operator.post('/v1/slurm/checkpoint/job', { cluster_id: slurm, job_id: '7' });
    const id = ok(await org.controller.post('/v1/slurm/checkpoints', { action_id: ok(asked).text })).text;
    ok(await org.controller.put(`/v1/slurm/checkpoints/info/${id}`, { platform: 'linux/amd64' }));
    ok(await org.controller.post(`/v1/slurm/checkpoints/uploaded/${id}`, {}));
    expect((await org.viewer.get(`/v1/checkpoint/status/${asked.text}`)).body.status).toBe('ready');
  });

  it('are answered 400 for a gpu that is not a string, and without a platform', async () => {
    const id = ok(await org.controller.post('/v1/checkpoints')).text;
    const wrong = async (body: object) =>
      (await org.controller.put(`/v1/checkpoints/info/${id}`, body)).body.errors.map(
        ({ field }: { field: string }) => field,
      );
    expect(await wrong({ gpu: 1, platform: 'x' })).toEqual(['gpu']);
    expect(await wrong({})).toEqual(['platform']);
  });
});

describe('a repeated upload report', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const standing = async () => ok(await org.controller.post('/v1/checkpoints', { name: `n-${newId()}` })).text;
  const pathOf = async (id: string) =>
    (await service.db.query('select restore_path from checkpoints where id = $1', [id])).rows[0].restore_path;

  it('is answered 409 if it names another restore_path', async () => {
    const id = await standing();
    ok(await putUploaded(org, id, '/a'));
    ok(await putUploaded(org, id, '/a'));
    ok(await putUploaded(org, id));
    const answer = await putUploaded(org, id, '/b');
    expect([answer.status, answer.body.code]).toEqual([409, 'another_restore_path']);
    expect(await pathOf(id)).toBe('/a');
  });

  it('may add the path that the first report lacked', async () => {
    const id = await standing();
    ok(await putUploaded(org, id));
    ok(await putUploaded(org, id, '/a'));
    expect(await pathOf(id)).toBe('/a');
    expect((await putUploaded(org, id, '/b')).status).toBe(409);
  });

  it('leaves one of two paths that are reported concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await standing();
      const answers = await Promise.all([putUploaded(org, id, '/a'), putUploaded(org, id, '/b')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await pathOf(id)).toBe(answers[0].status === 200 ? '/a' : '/b');
    }
  });
});
