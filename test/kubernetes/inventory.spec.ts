import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { ControlledCluster, PATIENCE_MS } from './support/controlled-cluster';

const PODS = 2_000;
/** A kubelet takes 110 pods. */
const NODES = Math.ceil(PODS / 100);
const IN_SYNC_WITHIN_MS = 10_000;
const PODS_A_FILE = 200;

describeWith(['Kubernetes'], 'the inventory of a Kubernetes cluster', () => {
  const cluster = new ControlledCluster();

  beforeAll(async () => {
    await cluster.start({ hollowNodes: NODES });
    await cluster.newOrganisation();
  });
  afterEach(() => cluster.agent.killAll());
  afterAll(() => cluster.stop());

  const count = async (path: string): Promise<number> =>
    (await cluster.org.viewer.get(path)).body.total_count as number;
  const hollow = (number: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `hollow-${number}`, namespace: 'default', labels: { app: 'hollow' } },
    spec: {
      nodeName: `hollow-${(number % NODES) + 1}`,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'local/none:1', imagePullPolicy: 'Never' }],
    },
  });

  it('has 2,000 pods within 10 seconds, and their end as well', async () => {
    cluster.controller();
    await eventually(async () => expect(await count('/v1/nodes/count')).toBe(NODES), PATIENCE_MS);
    const pods = Array.from({ length: PODS }, (_none, number) => hollow(number));
    for (let start = 0; start < PODS; start += PODS_A_FILE)
      await cluster.kubernetes.create('create', pods.slice(start, start + PODS_A_FILE));
    const created = performance.now();
    await eventually(async () => expect(await count('/v1/pods/count')).toBe(PODS), PATIENCE_MS);
    const syncedMs = performance.now() - created;
    writeFileSync(2, `2,000 pods were in sync ${syncedMs.toFixed(0)} ms after the last one was created.\n`);
    expect(syncedMs).toBeLessThan(IN_SYNC_WITHIN_MS);
    await cluster.kubernetes.kubectl('delete', 'pods', '--selector=app=hollow', '--wait=false');
    await eventually(async () => expect(await count('/v1/pods/count')).toBe(0), 4 * PATIENCE_MS);
  });

  it('ends without an API server, and its next controller reports what was deleted meanwhile', async () => {
    const controller = cluster.controller();
    const [a, b] = [hollow(1), hollow(2)];
    await cluster.kubernetes.apply(a, b);
    await eventually(async () => expect(await count('/v1/pods/count')).toBe(2), PATIENCE_MS);
    await cluster.kubernetes.stopApiServer();
    // Without a Lease it may not act: whatever runs it starts it again.
    const { code, err } = await controller.ended;
    expect(err).toContain('The API server did not renew the lease of this agent in time.');
    expect(code).not.toBe(0);
    expect(await count('/v1/pods/count')).toBe(2);
    await cluster.kubernetes.startApiServer();
    await cluster.kubernetes.kubectl('delete', 'pod', 'hollow-1', '--force', '--grace-period=0');
    cluster.controller();
    await eventually(async () => expect(await count('/v1/pods/count')).toBe(1), PATIENCE_MS);
  });

  it('is not begun without a verb of the role, which is named', async () => {
    const role = cluster.role().replace('verbs: [get, create]', 'verbs: [get]');
    const file = join(cluster.agent.root, 'role.yaml');
    writeFileSync(file, role);
    await cluster.kubernetes.kubectl('apply', '--namespace=default', '-f', file);
    const { code, err } = await cluster.controller().ended;
    expect(err).toContain('The role of this agent lacks "create" for "pods/exec".');
    expect(code).not.toBe(0);
  });
});
