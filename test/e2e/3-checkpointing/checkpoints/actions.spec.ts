import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  takeUp,
  type RunningPod,
} from '../../../support/workloads';

const tree = (duration: number, io: number) => ({ components: [{ name: 'dump', duration, io }] });

describe('actions', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId, {
      name: 'db-0',
      checkpoint: 'nightly',
      owner: { kind: 'StatefulSet', name: 'db' },
    });
  });
  afterAll(() => service.close());

  const list = (query = '', caller = org.viewer) => caller.get(`/v1/actions${query}`);
  const upload = (body: object) => org.controller.post('/v1/actions/upload', body);
  const statusOf = async (id: string) => (await org.viewer.get(`/v1/checkpoint/status/${id}`)).body;

  describe('in lists', () => {
    let all: string[];
    beforeAll(async () => {
      const own = await service.organisation();
      const ownPod = await buildPod(own, await buildCluster(own));
      all = [];
      for (let i = 0; i < 5; i++) {
        service.clock.advance(1);
        all.unshift(await askCheckpoint(own, ownPod.uid, { reason: i % 2 === 0 ? 'manual' : 'heartbeat' }));
      }
      ids = async (query = '') => {
        const answer = await list(query, own.viewer);
        return {
          ids: answer.body.map((one: { action_id: string }) => one.action_id),
          link: answer.headers.link,
          status: answer.status,
        };
      };
    });
    let ids: (query?: string) => Promise<{ ids: string[]; link: string | undefined; status: number }>;

    it('are sorted newest first', async () => {
      expect(await ids()).toMatchObject({ ids: all, link: undefined });
    });

    it('can be filtered by type', async () => {
      expect((await ids('?type=heartbeat')).ids).toEqual([all[1], all[3]]);
      expect((await ids('?type=checkpoint_pod')).ids).toEqual([all[0], all[2], all[4]]);
      expect((await ids('?type=restore_pod')).ids).toEqual([]);
    });

    it('can be filtered by their id', async () => {
      expect((await ids(`?action_id=${all[3]}`)).ids).toEqual([all[3]]);
      expect((await ids(`?action_id=${all[3]}&type=checkpoint_pod`)).ids).toEqual([]);
      expect((await ids(`?action_id=${newId()}`)).ids).toEqual([]);
      expect((await list(`?action_id=${all[3]}`, other.viewer)).body).toEqual([]);
    });

    it('come in pages that link to the next', async () => {
      const first = await ids('?limit=2');
      expect(first.ids).toEqual(all.slice(0, 2));
      const next = /<([^>]+)>; rel="next"/.exec(first.link ?? '')?.[1] ?? '';
      expect(new URL(next, service.url).searchParams.get('offset')).toBe('2');
      expect((await ids('?limit=2&offset=2')).ids).toEqual(all.slice(2, 4));
      expect(await ids('?limit=2&offset=4')).toMatchObject({ ids: all.slice(4), link: undefined });
      expect((await ids('?limit=100000')).ids).toEqual(all);
    });

    it('can be of one cluster, and open ones only, in pages that miss none while others end', async () => {
      const own = await service.organisation();
      const [mine, theirs] = [await buildCluster(own), await buildCluster(own)];
      const made: string[] = [];
      for (let i = 0; i < 5; i++) {
        service.clock.advance(1);
        made.unshift(await askCheckpoint(own, (await buildPod(own, mine)).uid));
      }
      const elsewhere = await askCheckpoint(own, (await buildPod(own, theirs)).uid);
      const end = async (id: string) =>
        ok(await own.controller.post('/v1/actions/upload', { action_id: id, status: 'error' }));
      await end(made[4]!);
      const read = async (path: string) => {
        const { status, body, headers } = await own.viewer.get(path);
        expect(status).toBe(200);
        const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
        return { ids: (body as { action_id: string }[]).map(({ action_id: id }) => id), next };
      };
      expect((await read(`/v1/actions?cluster_id=${mine}`)).ids).toEqual(made);
      expect((await read(`/v1/actions?cluster_id=${theirs}&open=true`)).ids).toEqual([elsewhere]);
      expect((await read('/v1/actions?open=true')).ids).toEqual([elsewhere, ...made.slice(0, 4)]);
      const first = await read(`/v1/actions?cluster_id=${mine}&open=true&limit=2&offset=1`);
      expect(first.ids).toEqual(made.slice(1, 3));
      for (const id of first.ids) await end(id);
      expect(await read(first.next ?? '')).toEqual({ ids: [made[3]], next: undefined });
      // Behind an action, the other pages are found in the same way.
      const behind = await read(`/v1/actions?cluster_id=${mine}&limit=2&after=${made[1]}`);
      expect(behind.ids).toEqual(made.slice(2, 4));
      expect(await read(behind.next ?? '')).toEqual({ ids: [made[4]], next: undefined });
      // That of another organisation is none.
      const foreign = await list(`?after=${made[0]}`);
      expect(foreign).toMatchObject({ status: 400, body: { errors: [{ field: 'after' }] } });
    });

    it.each([
      ...['?type=restore', '?action_id=1', '?limit=0', '?limit=x', '?offset=-1'],
      ...['?open=maybe', '?cluster_id=x', '?after=x', `?after=${newId()}`],
    ])('answer 400 for %s', async (query) => {
      expect((await list(query)).status).toBe(400);
    });
  });

  it('show all their members', async () => {
    const asked = service.clock.now();
    const pair = await buildPod(org, clusterId, {
      checkpoint: 'nightly',
      owner: { kind: 'StatefulSet', name: 'db' },
      containers: ['a', 'b'],
    });
    const actionId = await askCheckpoint(org, pair.uid);
    const [a, b] = [
      await takeUp(org, actionId, { container_name: 'a' }),
      await takeUp(org, actionId, { container_name: 'b' }),
    ];
    ok(await putInfo(org, a, tree(1_000, 2_000)));
    ok(await putInfo(org, b, tree(3_000, 5_000)));
    service.clock.advance(10);
    ok(await putUploaded(org, a, '/a'));
    service.clock.advance(10);
    const completed = service.clock.now();
    ok(await putUploaded(org, b, '/b'));
    const common = {
      action_id: actionId,
      type: 'checkpoint_pod',
      status: 'ready',
      reason: 'manual',
      checkpoint_id: a,
      checkpoint_name: 'nightly',
      gpu: 'NVIDIA H100',
      platform: 'linux/amd64',
      node_name: 'node-1',
      details: { pod_id: pair.uid, kind: 'simple', reason: 'manual', leave_running: true },
      leave_running: true,
      action_timestamp: asked.toISOString(),
      checkpoint_completed_timestamp: completed.toISOString(),
      // Of both containers.
      total_duration: 4_000,
      total_io: 7_000,
    };
    expect((await org.viewer.get(`/v1/actions/${actionId}`)).body).toEqual({
      ...common,
      checkpoint_ids: [a, b],
      checkpoint_size: 7_000,
      checkpoint_info: tree(1_000, 2_000),
      restore_path: '/a',
      containers: ['a', 'b'],
      error: null,
      pod_metadata: expect.objectContaining({ uid: pair.uid }),
      pod_spec: pair.resource.spec,
    });
    const [listed] = (await list('?limit=1')).body;
    expect(listed).toEqual({ ...common, delta: false, parent_checkpoint_id: null, workload_kind: 'StatefulSet' });
  });

  it('say that a pod of the engine belongs to a graph deployment', async () => {
    const labelled = await buildPod(org, clusterId, {
      labels: { 'nvidia.com/dynamo-graph-deployment-name': 'vllm-agg' },
      owner: { kind: 'ReplicaSet', name: 'x' },
    });
    await askCheckpoint(org, labelled.uid);
    expect((await list('?limit=1')).body[0].workload_kind).toBe('EngineGraphDeployment');
  });

  it('answer 404 if they are unknown or of another organisation', async () => {
    const id = await askCheckpoint(org, pod.uid);
    for (const path of ['/v1/actions/', '/v1/checkpoint/status/']) {
      expect((await org.viewer.get(path + newId())).body.code).toBe('action_not_found');
      expect((await other.viewer.get(path + id)).body.code).toBe('action_not_found');
    }
    expect((await org.viewer.get('/v1/actions/x')).status).toBe(400);
    expect((await org.viewer.get('/v1/checkpoint/status/x')).status).toBe(404);
    expect((await list('', other.viewer)).body).toEqual([]);
  });

  describe('of a pod', () => {
    it('are found by uid and by row id; the newest one is returned', async () => {
      const own = await buildPod(org, clusterId);
      const path = (id: string) => `/v1/actions/from_pod/${id}`;
      expect((await org.viewer.get(path(own.uid))).status).toBe(404);
      await askCheckpoint(org, own.uid);
      service.clock.advance(1);
      const newest = await askCheckpoint(org, own.uid);
      expect(await org.viewer.get(path(own.uid))).toMatchObject({ status: 200, text: newest });
      expect((await org.viewer.get(path(own.id))).text).toBe(newest);
      expect((await other.viewer.get(path(own.uid))).status).toBe(404);
      expect((await org.viewer.get(path('not-a-uuid'))).status).toBe(404);
    });
  });

  describe('reported by their node', () => {
    it.each([
      ['initialized', { status: 'initialized', details: null }],
      ['processing', { status: 'processing', details: null }],
      ['checkpoint_created', { status: 'checkpoint_created', details: null }],
      // Ready because its checkpoints are.
      ['ready', { status: 'checkpoint_created', details: null }],
      ['error', { status: 'error', details: 'the node reported an error' }],
      ['UPLOADING', { status: 'initialized', details: null }],
      ['not_found', { status: 'initialized', details: null }],
      ['', { status: 'initialized', details: null }],
    ])('an action is reported by its node as %j', async (word, status) => {
      const id = await askCheckpoint(org, pod.uid);
      expect(await upload({ action_id: id, status: word })).toMatchObject({ status: 200, text: id });
      expect(await statusOf(id)).toEqual(status);
    });

    it('an action that its node reports as failed fails its unfinished checkpoints too', async () => {
      const id = await askCheckpoint(org, pod.uid);
      const [a, b] = [await takeUp(org, id), await takeUp(org, id)];
      ok(await putUploaded(org, a));
      ok(await upload({ action_id: id, status: 'error' }));
      expect((await org.viewer.get(`/v1/operations/${a}`)).body.result).toBe('succeeded');
      expect((await org.viewer.get(`/v1/operations/${b}`)).body).toMatchObject({
        result: 'failed',
        failure_reason: 'the node reported an error',
      });
    });

    it('never move back, and never leave a final status', async () => {
      const id = await askCheckpoint(org, pod.uid);
      ok(await upload({ action_id: id, status: 'checkpoint_created' }));
      ok(await upload({ action_id: id, status: 'processing' }));
      expect((await statusOf(id)).status).toBe('checkpoint_created');
      const { actionId } = await readyCheckpoint(org, pod.uid);
      ok(await upload({ action_id: actionId, status: 'error' }));
      expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
    });

    it('replace what they store of the pod by the report', async () => {
      const id = await askCheckpoint(org, pod.uid);
      const objects = { pod_spec: { a: 1 }, pod_metadata_spec: { b: 2 }, persistent_volume_claim: { c: [3] } };
      ok(await upload({ action_id: id, status: 'processing', pod_id: pod.uid, ...objects }));
      ok(await upload({ action_id: id, status: 'processing', pod_spec: null, pod_metadata_spec: { b: 3 } }));
      expect((await org.viewer.get(`/v1/actions/${id}`)).body).toMatchObject({
        pod_spec: { a: 1 },
        pod_metadata: { b: 3 },
      });
      const { rows } = await service.db.query('select persistent_volume_claim from actions where id = $1', [id]);
      expect(rows[0].persistent_volume_claim).toEqual({ c: [3] });
    });

    it('answer 404 if unknown or of another organisation, and 400 without a status', async () => {
      const id = await askCheckpoint(org, pod.uid);
      for (const action_id of [newId(), 'x', ''])
        expect((await upload({ action_id, status: 'ready' })).body.code).toBe('action_not_found');
      expect((await other.controller.post('/v1/actions/upload', { action_id: id, status: 'error' })).status).toBe(404);
      expect((await upload({ action_id: id })).status).toBe(400);
      expect((await upload({ status: 'ready' })).status).toBe(400);
      expect((await org.viewer.post('/v1/actions/upload', { action_id: id, status: 'error' })).status).toBe(403);
      expect((await statusOf(id)).status).toBe('initialized');
    });
  });

  describe('checkpoints in lists', () => {
    it("are sorted newest first, filtered by id, and of the caller's organisation only", async () => {
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) {
        service.clock.advance(1);
        ids.unshift(ok(await org.controller.post('/v1/checkpoints', { name: `n${i}` })).text);
      }
      const listed = async (query: string, caller = org.viewer) =>
        (await caller.get(`/v1/checkpoints${query}`)).body.map(({ id }: { id: string }) => id);
      expect(await listed('?limit=3')).toEqual(ids);
      expect(await listed('?limit=1&offset=1')).toEqual([ids[1]]);
      expect(await listed(`?ids=${ids[2]},${ids[0]?.toUpperCase()}, ${ids[0]}`)).toEqual([ids[0], ids[2]]);
      expect(await listed(`?ids=${ids[1]},${newId()}`)).toEqual([ids[1]]);
      expect(await listed(`?ids=${ids.join()}`, other.viewer)).toEqual([]);
      expect(await listed('', other.viewer)).toEqual([]);
    });

    it.each(['checkpoints', 'slurm/checkpoints', 'checkpoints/forgotten', 'svc/job/checkpoints'])(
      'are named in the query of %s by as many ids as the headers of a request have room for',
      async (path) => {
        const named = async (count: number, comma: string, more = {}): Promise<number> => {
          const ids = Array.from({ length: count }, newId).join(comma);
          const headers = { authorization: `Bearer ${org.controller.token}`, ...more };
          return (await fetch(`${service.url}/v1/${path}?ids=${ids}`, { headers })).status;
        };
        expect(await named(300, '%2C', { 'x-proxy': 'x'.repeat(4_000) })).toBe(200);
        // As agents of earlier releases ask.
        for (const count of [301, 405]) expect([count, await named(count, '%2C')]).toEqual([count, 200]);
        expect(await named(430, ',')).toBe(200);
        expect(await named(450, '%2C')).toBe(431);
      },
    );

    it.each(['?ids=x', '?ids=,', `?ids=${newId()},`, '?limit=0'])('answer 400 for %s', async (query) => {
      expect((await org.viewer.get(`/v1/checkpoints${query}`)).status).toBe(400);
    });
  });
});
