import {
  actionsOf,
  buildPolicy,
  heartbeat,
  maintenance,
  makeDue,
  ofJobs,
  ofNamespace,
  ofSlurmJobs,
  podsAsked,
  retryNow,
  rounds,
  storedPolicy,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildJob, ownedBy } from '../../../support/builders';
import { buildCluster, buildPod, nodeResource, podResource, syncAll } from '../../../support/workloads';

const MINUTE = 60;

/**
 * While the service is down, no report arrives: when it is back, its inventory is old and the beats are due.
 */
describe('policies after an outage', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  /** Makes all reports this much older. */
  async function age(clusterId: string, minutes = 10): Promise<void> {
    for (const [table, column, key] of [
      ['clusters', 'last_sync', 'id'],
      ['clusters', 'created_at', 'id'],
      ['nodes', 'synced_at', 'cluster_id'],
      ['slurm_jobs', 'synced_at', 'cluster_id'],
    ] as const)
      await service.db.query(
        `update ${table} set ${column} = clock_timestamp() - make_interval(mins => $2) where ${key} = $1`,
        [clusterId, minutes],
      );
  }
  const round = async () => {
    await retryNow(service);
    await rounds([service.app]);
  };

  it('replace all missed heartbeats by one, once the workloads are reported again', async () => {
    const clusterId = await buildCluster(org);
    await buildPod(org, clusterId, { name: 'a' });
    const id = await buildPolicy(org, ofNamespace(clusterId), heartbeat(MINUTE));
    await age(clusterId);
    await makeDue(service, [id], 7 * MINUTE + 10);
    const due = (await storedPolicy(service, id))?.next_at?.getTime() ?? 0;

    await round();
    await round();
    expect(await actionsOf(service, id)).toEqual([]);
    expect((await storedPolicy(service, id))?.next_at?.getTime()).toBe(due);

    // The cluster reports again, its nodes do not yet.
    await syncAll(org.controller, clusterId, [podResource({ name: 'b', phase: 'Pending' })]);
    await round();
    expect(await actionsOf(service, id)).toEqual([]);

    await syncAll(org.controller, clusterId, [nodeResource('node-1')]);
    await round();
    await round();
    expect(await podsAsked(service, id)).toEqual(['a']);
    const [action] = await actionsOf(service, id);
    expect(action?.beat_at?.getTime()).toBe(due + 7 * MINUTE * 1_000);
    expect((await storedPolicy(service, id))?.next_at?.getTime()).toBe(due + 8 * MINUTE * 1_000);
  });

  it('act in a window that began meanwhile, and not after its end', async () => {
    const clusterId = await buildCluster(org);
    await buildPod(org, clusterId, { name: 'a' });
    const [open, over] = [
      await buildPolicy(org, ofNamespace(clusterId), maintenance(-7 * MINUTE, 60 * MINUTE)),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(1, 60 * MINUTE)),
    ];
    await age(clusterId);
    await service.db.query('update policies set retry_at = null, last_beat_at = null where id = any($1)', [
      [open, over],
    ]);
    await service.db.query('delete from actions where policy_id = any($1)', [[open, over]]);
    await service.db.query('update policies set next_at = starts_at where id = $1', [open]);
    await service.db.query(
      "update policies set ends_at = clock_timestamp() - interval '1 second', starts_at = clock_timestamp() - interval '1 minute', next_at = clock_timestamp() - interval '1 minute' where id = $1",
      [over],
    );
    await round();
    expect(await actionsOf(service, open, over)).toEqual([]);
    expect(await storedPolicy(service, open)).toMatchObject({ status: 'active', last_beat_at: null });
    expect(await storedPolicy(service, over)).toMatchObject({ status: 'disabled', last_beat_at: null });

    await syncAll(org.controller, clusterId, [nodeResource('node-1')]);
    await round();
    expect(await podsAsked(service, open)).toEqual(['a']);
    expect(await actionsOf(service, over)).toEqual([]);
  });

  it('wait for the pods of jobs and for Slurm jobs in the same way', async () => {
    const clusterId = await buildCluster(org);
    const job = buildJob('train');
    const pod = podResource({ name: 'train-0' });
    await syncAll(org.controller, clusterId, [job, { ...pod, metadata: { ...pod.metadata, ...ownedBy(job) } }]);
    const slurmId = await slurmCluster(org, 'hpc-outage');
    await syncJobs(org.controller, slurmId, [slurmJob(7)]);
    const ofJob = await buildPolicy(org, ofJobs(clusterId));
    const ofSlurm = await buildPolicy(org, ofSlurmJobs(slurmId, 7));
    for (const id of [clusterId, slurmId]) await age(id);
    await makeDue(service, [ofJob, ofSlurm]);
    await round();
    expect(await actionsOf(service, ofJob, ofSlurm)).toEqual([]);

    await syncAll(org.controller, clusterId, [nodeResource('node-1')]);
    await syncJobs(org.controller, slurmId, [slurmJob(7)]);
    await round();
    expect(await podsAsked(service, ofJob)).toEqual(['train-0']);
    expect((await actionsOf(service, ofSlurm)).length).toBe(1);
  });

  it('do not wait for one silent node beside others that report, nor where nothing ran', async () => {
    const [clusterId, empty] = [await buildCluster(org), await buildCluster(org)];
    await syncAll(org.controller, clusterId, [nodeResource('node-2')]);
    await buildPod(org, clusterId, { name: 'a' });
    await buildPod(org, clusterId, { name: 'b', node: 'node-2' });
    await service.db.query(
      "update nodes set synced_at = clock_timestamp() - interval '6 minutes' where name = 'node-2' and cluster_id = $1",
      [clusterId],
    );
    const [some, none] = [await buildPolicy(org, ofNamespace(clusterId)), await buildPolicy(org, ofNamespace(empty))];
    await makeDue(service, [some, none]);
    await round();
    expect(await podsAsked(service, some)).toEqual(['a']);
    for (const id of [some, none])
      expect((await storedPolicy(service, id))?.next_at?.getTime()).toBeGreaterThan(Date.now());
  });
});
