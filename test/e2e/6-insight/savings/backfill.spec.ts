import { buildNode } from '../../../support/builders';
import { tell } from '../../../support/inventory';
import { migrateAgain } from '../../../support/migrations';
import { checkpointAt, failureAt, savingsOf } from '../../../support/savings';
import { Service } from '../../../support/service';
import { buildCluster, buildPod } from '../../../support/workloads';

const MIGRATION = 'Savings1795490000000';

describe('checkpoints that there were before anything was counted', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  it('are counted, at what their nodes are', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    await tell(org.controller, clusterId, buildNode('typed'));
    const { uid } = await buildPod(org, clusterId, { name: 'old', node: 'typed' });
    const tellOf = (time: string) => checkpointAt(service, org, uid, `2026-11-20T${time}:00Z`);
    for (const time of ['10:00', '11:00']) await tellOf(time);
    await failureAt(service, org, uid, '2026-11-20T11:30:00Z');

    await migrateAgain(service, MIGRATION);

    const [row] = await savingsOf(service, org);
    expect(row).toMatchObject({
      pod_name: 'old',
      node_region: 'eu-west-1',
      instance_type: 'm5.large',
      capacity_type: 'on-demand',
      checkpoint_count: 2,
      time_protected_seconds: 3_600,
    });
    // And goes on from there.
    await tellOf('11:10');
    expect(await savingsOf(service, org)).toMatchObject([{ checkpoint_count: 3, min_interval_seconds: 600 }]);
  });
});
