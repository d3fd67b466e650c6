import { PolicyBeats } from '../../../../src/3-checkpointing/policies/beats/policy-beats';
import { buildJob, newer, ownedBy } from '../../../support/builders';
import { syncObjects } from '../../../support/inventory';
import {
  actionsOf,
  allBeaten,
  beat,
  buildPolicy,
  checkpoint,
  heartbeat,
  maintenance,
  ofJobs,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
  podsAsked,
  rounds,
  storedPolicy,
  endActions,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, buildPod, nodeResource, ok, podResource, syncAll } from '../../../support/workloads';

describe('active policies', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
  });
  afterAll(() => service.close());

  const owned = (name: string, job: ReturnType<typeof buildJob>, more: object = {}) => {
    const pod = podResource({ name, ...more });
    return { ...pod, metadata: { ...pod.metadata, ...ownedBy(job) } };
  };
  const silence = (table: string, column: string, condition: string) =>
    service.db.query(`update ${table} set ${column} = clock_timestamp() - interval '6 minutes' where ${condition}`);

  describe('request a checkpoint', () => {
    it('request a checkpoint of every running pod of a namespace, and of nothing else', async () => {
      await syncAll(org.controller, clusterId, [nodeResource('node-2')]);
      for (const name of ['a', 'b']) await buildPod(org, clusterId, { name });
      await buildPod(org, clusterId, { name: 'on no node yet', node: '' });
      for (const phase of ['Pending', 'Succeeded', 'Failed', 'Unknown']) await buildPod(org, clusterId, { phase });
      await buildPod(org, clusterId, { name: 'of another namespace', namespace: 'other' });
      const gone = await buildPod(org, clusterId, { name: 'deleted' });
      await buildPod(org, clusterId, { name: 'of a silent node', node: 'node-2' });
      await buildPod(org, await buildCluster(org), { name: 'of another cluster' });
      const other = await service.organisation();
      await buildPod(other, await buildCluster(other), { name: 'of another organisation' });
      await service.db.query('update pods set deleted = true where id = $1', [gone.id]);
      await silence('nodes', 'synced_at', `name = 'node-2' and cluster_id = '${clusterId}'`);

      const id = await buildPolicy(org, ofNamespace(clusterId));
      await beat(service, id);
      expect(await podsAsked(service, id)).toEqual(['a', 'b', 'on no node yet']);
    });

    it('request a checkpoint of the named pods while they run', async () => {
      const [a, b] = [await buildPod(org, clusterId, { name: 'a' }), await buildPod(org, clusterId, { name: 'b' })];
      await buildPod(org, clusterId, { name: 'c' });
      const id = await buildPolicy(org, ofPods(clusterId, [a.uid, b.id]));
      await beat(service, id);
      expect(await podsAsked(service, id)).toEqual(['a', 'b']);
      await endActions(service);
      await syncAll(org.controller, clusterId, [podResource({ ...b, phase: 'Succeeded', version: 2 })]);
      await beat(service, id);
      expect(await podsAsked(service, id)).toEqual(['a', 'a', 'b']);
    });

    it('request a checkpoint of the pods of matching jobs that have not ended', async () => {
      const [train, urgent, finished, elsewhere] = [
        buildJob('train'),
        buildJob('urgent', { spec: { template: { spec: { priority: 9 } } } }),
        buildJob('finished', { status: { conditions: [{ type: 'Failed', status: 'True' }] } }),
        buildJob('elsewhere', { metadata: { namespace: 'other' } }),
      ];
      const pods = [
        owned('train-0', train),
        owned('train-1', train, { phase: 'Pending' }),
        owned('urgent-0', urgent),
        owned('finished-0', finished),
        owned('elsewhere-0', elsewhere),
        podResource({ name: 'of no job' }),
      ];
      await syncObjects(org.controller, clusterId, train, urgent, finished, elsewhere, ...pods);
      const [all, here, first, none] = [
        await buildPolicy(org, ofJobs(clusterId)),
        await buildPolicy(org, ofJobs(clusterId, 'default')),
        await buildPolicy(org, ofJobs(clusterId, 'default', 9)),
        await buildPolicy(org, ofJobs(clusterId, 'other', 9)),
      ];
      for (const policy of [all, here, first, none]) {
        await beat(service, policy);
        await endActions(service);
      }
      expect(await podsAsked(service, all)).toEqual(['elsewhere-0', 'train-0', 'urgent-0']);
      expect(await podsAsked(service, here)).toEqual(['train-0', 'urgent-0']);
      expect(await podsAsked(service, first)).toEqual(['urgent-0']);
      expect(await podsAsked(service, none)).toEqual([]);

      await syncObjects(
        org.controller,
        clusterId,
        newer(urgent, { status: { conditions: [{ type: 'Complete', status: 'True' }] } }),
      );
      await beat(service, here);
      expect(await podsAsked(service, here)).toEqual(['train-0', 'train-0', 'urgent-0']);
    });

    it('request a checkpoint of the named Slurm jobs that run and are reported', async () => {
      const [hpc, second] = [await slurmCluster(org), await slurmCluster(org, 'second')];
      const jobs = [slurmJob(1), slurmJob(2, { job_state: ['PENDING'] }), slurmJob(3, { job_state: ['FAILED'] })];
      ok(await syncJobs(org.controller, hpc, [...jobs, slurmJob(4), slurmJob(5), slurmJob(6, { nodes: 'n[1-2]' })]));
      ok(await syncJobs(org.controller, second, [slurmJob(1)]));
      await silence('slurm_jobs', 'synced_at', `cluster_id = '${hpc}' and job_id = 4`);
      const id = await buildPolicy(org, ofSlurmJobs(hpc, 1, 2, 3, 4, 6, 99, 1));
      await beat(service, id);
      const asked = await actionsOf(service, id);
      expect(asked.map(({ slurm_job_id }) => Number(slurm_job_id)).sort()).toEqual([1, 6]);
      expect(asked.find(({ slurm_job_id }) => Number(slurm_job_id) === 6)).toMatchObject({
        type: 'heartbeat',
        reason: 'heartbeat',
        platform: 'slurm',
        workload_kind: 'SlurmJob',
        cluster_id: hpc,
        pod_id: null,
        pod_uid: '',
        pod_name: 'job-6',
        namespace: 'gpu',
        node_name: 'n[1-2]',
        details: { policy_id: id, kind: 'simple', reason: 'heartbeat', leave_running: true },
      });
    });
  });

  it.each([
    ['heartbeat', 'heartbeat', () => heartbeat()],
    ['maintenance', 'checkpoint_pod', () => maintenance()],
  ])('create the same actions as other requests, for a %s', async (reason, type, trigger) => {
    const pod = await buildPod(org, clusterId, { name: 'a', checkpoint: 'named', owner: { kind: 'Job', name: 'j' } });
    const id = await buildPolicy(org, ofNamespace(clusterId), trigger(), { action: checkpoint('rootfs', '/run/runc') });
    await beat(service, id);
    const [action] = await actionsOf(service, id);
    const { body } = await org.viewer.get(`/v1/actions/${action?.id}`);
    expect(body).toMatchObject({
      type,
      status: 'initialized',
      reason,
      details: { policy_id: id, kind: 'rootfs', reason, leave_running: true, runc_root: '/run/runc' },
      leave_running: true,
      node_name: 'node-1',
      platform: 'kubernetes',
      checkpoint_name: 'named',
      checkpoint_ids: [body.checkpoint_id],
      pod_metadata: { uid: pod.uid },
      pod_spec: pod.resource.spec,
    });
    const listed = (await org.viewer.get(`/v1/checkpoints?ids=${body.checkpoint_id}`)).body;
    expect(listed).toEqual([expect.objectContaining({ action_id: action?.id, status: 'initializing', name: 'named' })]);
    const events = await service.db.query('select * from outbox_events where aggregate_id = $1', [action?.id]);
    expect(events.rows).toEqual([
      expect.objectContaining({
        org_id: org.id,
        event_type: 'action.checkpoint_requested',
        aggregate_type: 'action',
        cluster_id: clusterId,
        payload: {
          action_id: action?.id,
          checkpoint_id: body.checkpoint_id,
          cluster_id: clusterId,
          pod_uid: pod.uid,
          leave_running: true,
          containers: ['main'],
        },
      }),
    ]);
    const { rows } = await service.db.query(
      'select answer_by > clock_timestamp() as waits from actions where id = $1',
      [action?.id],
    );
    expect(rows).toEqual([{ waits: true }]);
  });

  it('stay on the grid of their first moment, and replace missed beats by one', async () => {
    await buildPod(org, clusterId, { name: 'a' });
    const id = await buildPolicy(org, ofNamespace(clusterId), heartbeat(600));
    const [{ next_at: first }] = (
      await service.db.query(
        "update policies set next_at = date_trunc('milliseconds', clock_timestamp()) - interval '2000 seconds' where id = $1 returning next_at",
        [id],
      )
    ).rows;
    await rounds([service.app]);
    await allBeaten(service, [id]);
    // 2,000 seconds are three intervals and a third: the latest of four moments is the beat.
    const at = (seconds: number) => new Date((first as Date).getTime() + seconds * 1_000);
    expect((await actionsOf(service, id)).map(({ beat_at }) => beat_at)).toEqual([at(1_800)]);
    expect(await storedPolicy(service, id)).toMatchObject({
      last_beat_at: at(1_800),
      next_at: at(2_400),
      status: 'active',
    });
    await rounds([service.app]);
    expect((await actionsOf(service, id)).length).toBe(1);
  });

  it('do nothing before they are due, when disabled, and when deleted', async () => {
    await buildPod(org, clusterId, { name: 'a' });
    const [waiting, disabled, deleted] = [
      await buildPolicy(org, ofNamespace(clusterId)),
      await buildPolicy(org, ofNamespace(clusterId)),
      await buildPolicy(org, ofNamespace(clusterId)),
    ];
    await beat(service, deleted);
    const [kept] = await actionsOf(service, deleted);
    await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [disabled]);
    ok(await org.operator.delete('/v1/policy/delete', { id: deleted }));
    await rounds([service.app]);
    expect(await actionsOf(service, waiting, disabled)).toEqual([]);
    // Its actions stay.
    expect((await actionsOf(service, deleted)).map(({ id }) => id)).toEqual([kept?.id]);
    expect((await org.viewer.get(`/v1/actions/${kept?.id}`)).body.details.policy_id).toBe(deleted);
  });

  it('return the seconds until the next one is due', async () => {
    const run = () => service.app.get(PolicyBeats).run();
    await service.db.query("update policies set status = 'disabled', next_at = null");
    expect(await run()).toBeUndefined();
    const id = await buildPolicy(org, ofNamespace(clusterId), heartbeat(100));
    await buildPolicy(org, ofNamespace(clusterId), heartbeat(200));
    const seconds = await run();
    expect(seconds).toBeGreaterThan(70);
    expect(seconds).toBeLessThanOrEqual(100);
    await service.db.query("update policies set next_at = clock_timestamp() + interval '2.5 seconds' where id = $1", [
      id,
    ]);
    const soon = await run();
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThanOrEqual(2.5);
  });
});
