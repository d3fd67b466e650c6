import type { AgentProcess } from '../agent/support/agent';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { buildPolicy, maintenance, ofPods } from '../support/policies';
import { ControlledCluster, PATIENCE_MS } from './support/controlled-cluster';
import { PYTHON_IMAGE } from './support/images';

/** Real pods with real checkpoints on two nodes, which share this machine. */
describeWith(['Kubernetes', 'CRIU'], 'the controller of Kubernetes', () => {
  const cluster = new ControlledCluster();
  let controller: AgentProcess;

  beforeAll(async () => {
    await cluster.start({ nodes: 2 });
  });
  beforeEach(async () => {
    await cluster.newOrganisation();
    controller = cluster.controller();
  });
  afterEach(async () => {
    await cluster.agent.killAll();
    await cluster.deleteAll();
  });
  afterAll(() => cluster.stop());

  it('brings a deleted pod back in a new one, which counts on', async () => {
    const [pod] = await cluster.counting({ name: 'count', node: 'real-1' });
    const action = await cluster.checkpoint(pod!.metadata.uid);
    await cluster.settled(action, 'ready', controller);
    const last = (await cluster.counted('count')).at(-1)!;
    await cluster.deletePod('count');
    const restore = await cluster.restore(action);
    await cluster.settled(restore, 'ready', controller);

    const [restored] = (await cluster.pods()).filter(({ metadata }) => metadata.name.startsWith('count-'));
    await cluster.countsBeyond(restored!.metadata.name, last);
    const [first = 0, ...more] = await cluster.counted(restored!.metadata.name);
    expect(first).toBeGreaterThan(1);
    expect(first).toBeLessThanOrEqual(last + 1);
    expect(more.slice(0, 3)).toEqual([first + 1, first + 2, first + 3]);

    const [record] = await cluster.restoresOf(`action_id=${restore}`);
    expect(record).toMatchObject({
      status: 'succeeded',
      metadata: { pod_uid: restored!.metadata.uid, node_name: restored!.spec.nodeName },
    });
    const stages = (await cluster.org.viewer.get(`/v1/operations/${record.restore_uuid}`)).body.stages as {
      stage: string;
    }[];
    expect(stages.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['launch', 'verify', 'restore']));
    await cluster.synced(restored!.metadata.uid);
    await eventually(
      async () =>
        expect((await cluster.org.viewer.get('/v1/pods')).body).not.toEqual(
          expect.arrayContaining([expect.objectContaining({ name: 'count' })]),
        ),
      PATIENCE_MS,
    );
  });

  it('names the container that has no supervisor, and lets it run', async () => {
    const bare = {
      containers: [{ name: 'main', image: PYTHON_IMAGE, imagePullPolicy: 'Never', command: ['sleep', '1000'] }],
    };
    await cluster.kubernetes.apply(cluster.countingPod({ name: 'bare', members: bare }));
    await cluster.kubernetes.running('bare');
    const [pod] = await cluster.pods();
    await cluster.synced(pod!.metadata.uid);
    const error = await cluster.settled(await cluster.checkpoint(pod!.metadata.uid), 'error', controller);
    expect(error).toContain('workload_missing: There is no program /opt/ccp/bin/ccp-agent in the container main');
    expect((await cluster.pods())[0]!.status.phase).toBe('Running');
  });

  it('moves the pods of a node that a window empties, once', async () => {
    const [pod] = await cluster.counting({ name: 'moves', node: 'real-1' });
    expect(pod!.spec.nodeName).toBe('real-1');
    const { cluster_id: clusterId } = (await cluster.org.viewer.get(`/v1/pods?id=${pod!.metadata.uid}`)).body[0];
    await buildPolicy(cluster.org, ofPods(clusterId, [pod!.metadata.uid]), maintenance(-1, 3600));
    await cluster.service.sweep('policies');
    const last = (await cluster.counted('moves')).at(-1)!;
    await eventually(async () => {
      const [restored, ...others] = await cluster.restoresOf(`cluster_id=${clusterId}`);
      if (restored?.status !== 'succeeded')
        throw new Error(`${JSON.stringify(restored)}\n${controller.out}\n${controller.err.slice(-6_000)}`);
      expect(others).toEqual([]);
    }, PATIENCE_MS);
    await eventually(
      async () =>
        expect((await cluster.pods()).map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(/^moves-/)]),
      PATIENCE_MS,
    );
    const [moved] = await cluster.pods();
    expect(moved!.spec.nodeName).toBe('real-2');
    await cluster.countsBeyond(moved!.metadata.name, last);
    const node = await cluster.kubernetes.get<{ spec: object; metadata: { annotations: object } }>('node', 'real-1');
    expect(node.spec).toMatchObject({ unschedulable: true });
    expect(Object.keys(node.metadata.annotations)).toContain('ccp-agent/cordoned-until');
    await cluster.kubernetes.kubectl('uncordon', 'real-1');
    await cluster.kubernetes.kubectl('annotate', 'node', 'real-1', 'ccp-agent/cordoned-until-');
  });

  it('lets a StatefulSet replace its pod, which counts on under its name', async () => {
    const { spec } = cluster.countingPod({ name: 'set', run: ['--restore', 'auto'] }) as { spec: object };
    const labels = { app: 'set' };
    const annotations = { 'ccp-agent/program': '/opt/ccp/bin/ccp-agent' };
    await cluster.kubernetes.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'set', namespace: 'default' },
      spec: {
        serviceName: 'set',
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations }, spec },
      },
    });
    await cluster.countsBeyond('set-0', 3);
    const [before] = await cluster.pods();
    await cluster.synced(before!.metadata.uid);
    const action = await cluster.checkpoint(before!.metadata.uid);
    await cluster.settled(action, 'ready', controller);
    const restore = await cluster.restore(action);
    await cluster.settled(restore, 'ready', controller);
    const [after, ...others] = (await cluster.pods()).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    expect(others).toEqual([]);
    expect(after!.metadata.name).toBe('set-0');
    expect(after!.metadata.uid).not.toBe(before!.metadata.uid);
    const [first = 0] = await cluster.counted('set-0');
    expect(first).toBeGreaterThan(1);
  });
});
