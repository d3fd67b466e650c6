import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/database/data-source-options';
import { SavingsRefreshes } from '../../../src/savings/savings-refreshes';
import { buildNode } from '../../support/builders';
import { tell } from '../../support/inventory';
import { checkpointAt, failureAt, savingsOf } from '../../support/savings';
import { Service } from '../../support/service';
import { buildCluster, buildPod } from '../../support/workloads';

const MIGRATION = 'Savings1795490000000';

describe('checkpoints that there were before anything was counted', () => {
  let service: Service;
  let source: DataSource;

  beforeAll(async () => {
    service = await Service.start();
    jest.spyOn(service.app.get(SavingsRefreshes), 'runAll').mockResolvedValue(undefined);
    const { databaseUrl } = service.environment;
    source = new DataSource(
      dataSourceOptions({ databaseUrl: databaseUrl ?? '', poolSize: 2, statementTimeoutMs: 30_000 }),
    );
    await source.initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await service.close();
  });

  /** As if the service were updated from the version before. */
  async function migrateAgain(): Promise<void> {
    for (;;) {
      const [last] = await source.query<{ name: string }[]>('select name from migrations order by id desc limit 1');
      await source.undoLastMigration();
      if (last?.name === MIGRATION) break;
    }
    await source.runMigrations();
  }

  it('are counted, at what their nodes are', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    await tell(org.controller, clusterId, buildNode('typed'));
    const { uid } = await buildPod(org, clusterId, { name: 'old', node: 'typed' });
    const tellOf = (time: string) => checkpointAt(service, org, uid, `2026-11-20T${time}:00Z`);
    for (const time of ['10:00', '11:00']) await tellOf(time);
    await failureAt(service, org, uid, '2026-11-20T11:30:00Z');

    await migrateAgain();

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
