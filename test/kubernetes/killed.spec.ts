import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Watchpoint, type Moment } from '../agent/support/watchpoint';
import { describeWith } from '../support/components';
import { ControlledCluster } from './support/controlled-cluster';

/** Requests of the controller to the service. */
const REPORTS = {
  'the acknowledgement': /^POST \/v1\/inference\/outbox\/ack/,
  'the take-up of the checkpoint': /^POST \/v1\/checkpoints$/,
  'the upload report': /^POST \/v1\/checkpoints\/uploaded\//,
  'the start of the restore': /^POST \/v1\/restores\/events\/restore_start/,
  'the success of the restore': /^POST \/v1\/restores\/events\/restore_success/,
} as const;

describeWith(['Kubernetes', 'CRIU'], 'A controller of Kubernetes that is killed', () => {
  const cluster = new ControlledCluster();
  let watchpoint: Watchpoint;

  beforeAll(async () => {
    await cluster.start({ nodes: 1 });
    await cluster.newOrganisation();
    watchpoint = new Watchpoint(cluster.service.url);
  });
  afterAll(async () => {
    await cluster.agent?.killAll();
    await watchpoint?.close();
    await cluster.stop();
  });

  it('loses nothing and does nothing twice, at any of five points, and needs nothing that it had kept', async () => {
    const url = await watchpoint.listen();
    let controller = cluster.controller([], url);
    const [pod] = await cluster.counting({ name: 'count' });
    let kills = 0;
    /** The next one has an empty state directory, and waits for the lease of the one that was killed. */
    const killedAt = async (report: keyof typeof REPORTS, moment: Moment, ask: () => Promise<string>) => {
      const killed = new Promise<void>((resolve) =>
        watchpoint.at(REPORTS[report], moment, () => {
          controller.child.kill('SIGKILL');
          kills++;
          resolve();
        }),
      );
      const action = await ask();
      await killed;
      await controller.ended;
      controller = cluster.controller([], url);
      await cluster.settled(action, 'ready', controller);
      return action;
    };
    const checkpoint = () => cluster.checkpoint(pod!.metadata.uid);
    const taken = [
      await killedAt('the acknowledgement', 'after', checkpoint),
      await killedAt('the take-up of the checkpoint', 'after', checkpoint),
      await killedAt('the upload report', 'before', checkpoint),
    ];
    const [last = ''] = taken.slice(-1);
    await cluster.deletePod('count');
    const restored = [await killedAt('the start of the restore', 'after', () => cluster.restore(last))];
    const [first] = await cluster.pods();
    await cluster.deletePod(first!.metadata.name);
    restored.push(await killedAt('the success of the restore', 'before', () => cluster.restore(last)));

    expect(kills).toBe(5);
    // A checkpoint for each request, and a pod for each restore.
    expect(readdirSync(join(cluster.store, 'checkpoints'))).toHaveLength(taken.length);
    expect(await cluster.pods()).toHaveLength(1);
    for (const action of restored) {
      const records = await cluster.restoresOf(`action_id=${action}`);
      expect(records.map(({ status }) => status as string)).toEqual(['succeeded']);
    }
  });
});
