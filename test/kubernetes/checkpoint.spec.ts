import type { AgentProcess } from '../agent/support/agent';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { ControlledCluster, PATIENCE_MS } from './support/controlled-cluster';

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
    const stages = (await cluster.org.viewer.get(`/v1/operations/${record.id}`)).body.stages as { stage: string }[];
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
});
