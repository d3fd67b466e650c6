import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  podResource,
  putUploaded,
  takeUp,
} from '../../../support/workloads';

describe('the containers that an action covers', () => {
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
  const restore = (actionId: string, more: object = {}) =>
    org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual', ...more });
  const ask = (podId: string, containers: unknown) =>
    org.operator.post('/v1/checkpoint/pod', { pod_id: podId, containers });
  const done = async (actionId: string, container: string) =>
    ok(await putUploaded(org, await takeUp(org, actionId, { container_name: container }), `/${container}`));

  /** A pod whose status lists its containers, as a cluster reports it. */
  const podWith = async (containers: Record<string, object>, init: string[] = [], annotation?: string) => {
    const annotations = annotation === undefined ? undefined : { 'ccp-agent/containers': annotation };
    const pod = podResource({ containers: Object.keys(containers), annotations });
    const resource = {
      ...pod,
      spec: { ...pod.spec, initContainers: init.map((name) => ({ name, restartPolicy: 'Always' })) },
      status: {
        ...pod.status,
        containerStatuses: Object.entries(containers).map(([name, state]) => ({ name, state })),
        initContainerStatuses: init.map((name) => ({ name, state: RUNNING })),
      },
    };
    ok(await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource }));
    return resource.metadata.uid;
  };
  const RUNNING = { running: { startedAt: '2026-06-01T10:00:00Z' } };

  it('make it ready only when all of them are', async () => {
    const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
    const actionId = await askCheckpoint(org, uid);
    expect((await detailsOf(actionId)).containers).toEqual(['trainer', 'logger']);
    await done(actionId, 'trainer');
    expect((await detailsOf(actionId)).status).toBe('processing');
    await done(actionId, 'logger');
    expect((await detailsOf(actionId)).status).toBe('ready');
  });

  it('are the running ones, without init containers', async () => {
    const waiting = { waiting: { reason: 'CrashLoopBackOff' }, running: null };
    const ended = { terminated: { exitCode: 0 } };
    const uid = await podWith({ trainer: { ...RUNNING, waiting: null }, broken: waiting, done: ended }, ['proxy']);
    const actionId = await askCheckpoint(org, uid);
    expect((await detailsOf(actionId)).containers).toEqual(['trainer']);
    await done(actionId, 'trainer');
    expect((await detailsOf(actionId)).status).toBe('ready');
  });

  describe('of a pod whose annotation names those with checkpoints', () => {
    const proxied = (annotation: string) =>
      podWith({ proxy: RUNNING, trainer: RUNNING, loader: RUNNING }, ['native-sidecar'], annotation);

    it.each<[string, string, string[]]>([
      ['the one that it names', 'trainer', ['trainer']],
      ['those that it names, in the order of the pod', ' loader,trainer ,', ['trainer', 'loader']],
      ['all where it names none', ' , ', ['proxy', 'trainer', 'loader']],
      ['all where it names one that the pod does not have', 'trainer,laoder', ['proxy', 'trainer', 'loader']],
      ['all where it names an init container', 'trainer,native-sidecar', ['proxy', 'trainer', 'loader']],
      ['those that it names in 4,096 characters', 'trainer'.padEnd(4_096), ['trainer']],
      ['all where it is longer', 'trainer'.padEnd(4_097), ['proxy', 'trainer', 'loader']],
    ])('are %s', async (_what, annotation, containers) => {
      const actionId = await askCheckpoint(org, await proxied(annotation));
      expect((await detailsOf(actionId)).containers).toEqual(containers);
    });

    it('make it ready without the others', async () => {
      const actionId = await askCheckpoint(org, await proxied('trainer'));
      await done(actionId, 'trainer');
      expect((await detailsOf(actionId)).status).toBe('ready');
      ok(await restore(actionId));
    });

    it('are those of a request that names others', async () => {
      const actionId = await askCheckpoint(org, await proxied('trainer'), { containers: ['loader'] });
      expect((await detailsOf(actionId)).containers).toEqual(['loader']);
    });

    it('are all running ones, if they are not left running, and nobody has named one or given a reason', async () => {
      const let_go = { leave_running: false };
      const actionId = await askCheckpoint(org, await proxied('trainer'), let_go);
      expect((await detailsOf(actionId)).containers).toEqual(['proxy', 'trainer', 'loader']);
      for (const more of [{ containers: ['trainer'] }, { reason: 'manual' }]) {
        const named = await askCheckpoint(org, await proxied('trainer'), { ...let_go, ...more });
        expect((await detailsOf(named)).containers).toEqual(['trainer']);
      }
    });

    it('are those of a request that names a running one, also when none of the annotation runs', async () => {
      const uid = await podWith({ proxy: RUNNING, trainer: { terminated: { exitCode: 0 } } }, [], 'trainer');
      const actionId = await askCheckpoint(org, uid, { containers: ['proxy'] });
      expect((await detailsOf(actionId)).containers).toEqual(['proxy']);
    });

    it('cause a 404 when none of them runs, whatever else does', async () => {
      const uid = await podWith({ proxy: RUNNING, trainer: { terminated: { exitCode: 0 } } }, [], 'trainer');
      const answer = await org.operator.post('/v1/checkpoint/pod', { pod_id: uid });
      expect([answer.status, answer.body.code]).toEqual([404, 'nothing_to_checkpoint']);
    });
  });

  it('are those that the request names', async () => {
    const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
    const actionId = await askCheckpoint(org, uid, { containers: ['logger'] });
    expect(await detailsOf(actionId)).toMatchObject({ containers: ['logger'], details: { containers: ['logger'] } });
    const { rows } = await service.db.query('select payload from outbox_events where aggregate_id = $1', [actionId]);
    expect(rows[0].payload.containers).toEqual(['logger']);
    await done(actionId, 'logger');
    expect((await detailsOf(actionId)).status).toBe('ready');
  });

  it.each<[string, unknown, string]>([
    ['none', [], 'containers'],
    ['an unknown container', ['trainer', 'sidecar'], 'containers[1]'],
    ['a container that does not run', ['broken'], 'containers[0]'],
    ['one twice', ['trainer', 'trainer'], 'containers'],
    ['a string instead of a list', 'trainer', 'containers'],
  ])('are refused with 400 when the request names %s', async (_what, containers, field) => {
    const uid = await podWith({ trainer: RUNNING, broken: { waiting: { reason: 'CrashLoopBackOff' } } });
    const answer = await ask(uid, containers);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('may be null, like a missing member', async () => {
    const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
    expect((await detailsOf(ok(await ask(uid, null)).text)).containers).toEqual(['trainer', 'logger']);
  });

  it('cause a 404 when no container of the pod runs', async () => {
    const uid = await podWith({ broken: { waiting: { reason: 'CrashLoopBackOff' } } });
    const answer = await org.operator.post('/v1/checkpoint/pod', { pod_id: uid });
    expect([answer.status, answer.body.code]).toEqual([404, 'nothing_to_checkpoint']);
  });

  it('are read from the uploaded pod if the synced one listed none', async () => {
    const { uid } = await buildPod(org, clusterId, { containers: [] });
    const actionId = await askCheckpoint(org, uid);
    expect((await detailsOf(actionId)).containers).toBeNull();
    const spec = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] };
    ok(await org.controller.post('/v1/actions/upload', { action_id: actionId, status: 'processing', pod_spec: spec }));
    expect((await detailsOf(actionId)).containers).toEqual(['a', 'b']);
    await done(actionId, 'a');
    expect((await detailsOf(actionId)).status).toBe('processing');
    await done(actionId, 'b');
    expect((await detailsOf(actionId)).status).toBe('ready');
  });

  it('may have unnamed checkpoints, each of which counts for one container', async () => {
    const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
    const actionId = await askCheckpoint(org, uid);
    ok(await putUploaded(org, await takeUp(org, actionId)));
    expect((await detailsOf(actionId)).status).toBe('processing');
    ok(await putUploaded(org, await takeUp(org, actionId)));
    expect((await detailsOf(actionId)).status).toBe('ready');
  });

  it('become ready exactly once when their uploads arrive together', async () => {
    const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
    for (let round = 0; round < 10; round++) {
      const actionId = await askCheckpoint(org, uid);
      const ids = await Promise.all(
        ['trainer', 'logger'].map((name) => takeUp(org, actionId, { container_name: name })),
      );
      await Promise.all(ids.map(async (id) => ok(await putUploaded(org, id, `/${id}`))));
      expect((await detailsOf(actionId)).status).toBe('ready');
    }
  });

  describe('of an action that is not ready', () => {
    const partial = async () => {
      const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
      const actionId = await askCheckpoint(org, uid);
      await done(actionId, 'trainer');
      return actionId;
    };
    const refused = async (actionId: string, more?: object) => {
      const answer = await restore(actionId, more);
      expect([answer.status, answer.body.code]).toEqual([409, 'checkpoint_not_ready']);
    };

    it('cause a 409 for a restore unless allow_partial is true', async () => {
      const actionId = await partial();
      await refused(actionId);
      await refused(actionId, { allow_partial: false });
      const id = ok(await restore(actionId, { allow_partial: true })).text;
      expect((await detailsOf(id)).details.allow_partial).toBe(true);
    });

    it('cause a 409 when one failed, unless allow_partial is true', async () => {
      const actionId = await partial();
      const id = await takeUp(org, actionId, { container_name: 'logger' });
      ok(await org.controller.put(`/v1/checkpoints/info/${id}`, { gpu: '', platform: '', error: 'out of memory' }));
      expect((await detailsOf(actionId)).status).toBe('error');
      await refused(actionId);
      ok(await restore(actionId, { allow_partial: true }));
    });

    it('cause a 409 when none is ready, even with allow_partial', async () => {
      const { uid } = await buildPod(org, clusterId);
      await refused(await askCheckpoint(org, uid), { allow_partial: true });
    });

    it('cause a 409 when one has been deprecated', async () => {
      const { uid } = await buildPod(org, clusterId, { containers: ['trainer', 'logger'] });
      const actionId = await askCheckpoint(org, uid);
      await done(actionId, 'trainer');
      const { text: logger } = await done(actionId, 'logger');
      ok(await org.operator.patch(`/v1/checkpoints/deprecate/${logger}`));
      await refused(actionId);
      ok(await restore(actionId, { allow_partial: true }));
    });
  });
});
