import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { advance } from '../../../../src/3-checkpointing/policies/beats/policy-beats.queries';
import { targetPods } from '../../../../src/3-checkpointing/policies/beats/policy-targets.queries';
import { newId } from '../../../../src/1-platform/common/ids';
import { plansOf } from '../../../support/plans';
import {
  actionsOf,
  allBeaten,
  buildPolicy,
  maintenance,
  makeDue,
  ofNamespace,
  ofSlurmJobs,
  podsAsked,
  rounds,
  storedPolicy,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import {
  buildCluster,
  buildPod,
  ok,
  podResource,
  putUploaded,
  reportRestore,
  syncAll,
  takeUp,
  type RestoreEvent,
} from '../../../support/workloads';

const WAIT = `
  select extract(epoch from next_at - matched_at)::float8 as wait from policies
  where org_id = $org_id and id = $id`;

const LEFT = `
  select extract(epoch from ends_at - next_at)::float8 as seconds from policies
  where org_id = $org_id and id = $id`;

describe('maintenance policies', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await buildCluster(org);
    await buildPod(org, clusterId, { name: 'a' });
  });
  afterAll(() => service.close());

  const round = async (id: string) => {
    await rounds([service.app]);
    await allBeaten(service, [id]);
  };
  /** Makes the next look of an open window due. */
  const again = async (id: string) => {
    await makeDue(service, [id]);
    await round(id);
  };
  /** Moves the whole window; start and end are in seconds from now. */
  const during = (id: string, from: number, to: number) =>
    service.db.query(
      `update policies set starts_at = clock_timestamp() + make_interval(secs => $2), ends_at = clock_timestamp() + make_interval(secs => $3),
         next_at = clock_timestamp() + make_interval(secs => least($2, $3)) where id = $1`,
      [id, from, to],
    );

  it('act on each workload once from the start of their window on, and are disabled at its end', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(3_600, 7_200));
    await round(id);
    expect(await actionsOf(service, id)).toEqual([]);

    await during(id, -1, 3_600);
    await round(id);
    expect(await podsAsked(service, id)).toEqual(['a']);
    const startsAt = async () =>
      (await service.db.query('select starts_at from policies where id = $1', [id])).rows[0].starts_at as Date;
    const [action] = await actionsOf(service, id);
    const acted = await startsAt();
    expect(action?.beat_at).toEqual(acted);
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'active', last_beat_at: acted });

    // A pod that starts later in the window is requested too, and none twice.
    await buildPod(org, clusterId, { name: 'late' });
    await again(id);
    expect(await podsAsked(service, id)).toEqual(['a', 'late']);
    await again(id);
    expect(await podsAsked(service, id)).toEqual(['a', 'late']);

    await during(id, -3_600, -1);
    await buildPod(org, clusterId, { name: 'after' });
    await round(id);
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null, last_beat_at: acted });
    expect((await org.viewer.get(`/v1/policy/pipeline/${id}`)).body.status).toBe('disabled');
    await round(id);
    expect((await actionsOf(service, id)).length).toBe(2);
  });

  it('look again within 5 seconds, and no later than their end', async () => {
    const [long, short] = [
      await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 3_600)),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 3)),
    ];
    await makeDue(service, [long, short]);
    await rounds([service.app]);
    const { rows } = await service.db.query(
      'select id, extract(epoch from next_at - clock_timestamp())::float as wait, next_at = ends_at as at_end from policies where id = any($1)',
      [[long, short]],
    );
    const [first, last] = [long, short].map((id) => rows.find((row) => row.id === id));
    expect(first.wait).toBeLessThanOrEqual(5);
    expect([first.at_end, last.at_end]).toEqual([false, true]);
  });

  it.each([
    [20_000, 5],
    [20_001, 10],
    [100_000, 25],
    [1_000_000, 60],
  ])('look less often the more pods they leave alone: of %s pods, every %s seconds', async (moved, seconds) => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 3_600));
    const { rows } = await service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
      await advance(tx, { id, beat_at: new Date() }, false, moved);
      return { rows: await tx.query<{ wait: number }>(WAIT, { org_id: org.id, id }) };
    });
    expect(Math.round(rows[0]?.wait ?? 0)).toBe(seconds);
  });

  it('look a last time five seconds before their end, however many pods they leave alone', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 40));
    const [left] = await service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
      await advance(tx, { id, beat_at: new Date() }, false, 1_000_000);
      return tx.query<{ seconds: number }>(LEFT, { org_id: org.id, id });
    });
    expect(left?.seconds).toBe(5);
  });

  it('act once on each workload that starts while several replicas look', async () => {
    const apps = [service.app, (await service.replica()).app, (await service.replica()).app];
    const here = await buildCluster(org);
    const id = await buildPolicy(org, ofNamespace(here), maintenance(-60, 3_600));
    const names = Array.from({ length: 12 }, (_, i) => `p${String(i).padStart(2, '0')}`);
    for (const name of names) {
      await buildPod(org, here, { name });
      await makeDue(service, [id]);
      await rounds(apps);
    }
    await again(id);
    expect(await podsAsked(service, id)).toEqual(names);
  });

  it('leave alone the pods to which their workloads were moved, whichever window asked for that', async () => {
    const here = await buildCluster(org);
    const owner = { kind: 'ReplicaSet', name: 'web', uid: newId() };
    const before = [{ name: 'alone' }, { name: 'web-1', owner }].map((pod) => ({ uid: newId(), ...pod }));
    for (const pod of before) await buildPod(org, here, pod);
    const id = await buildPolicy(org, ofNamespace(here), maintenance(-60, 3_600));
    await round(id);
    expect(await podsAsked(service, id)).toEqual(['alone', 'web-1']);

    // As a controller does: each restore is reported before its pod is made, and the old pods end.
    const moves = [];
    for (const { id: actionId, pod_name: name } of await actionsOf(service, id)) {
      const checkpoint_id = await takeUp(org, actionId, { container_name: 'main' });
      ok(await putUploaded(org, checkpoint_id, `/${name}`));
      const metadata = { pod_name: `${name}-moved`, namespace: 'training' };
      const move = { restore_uuid: newId(), checkpoint_id, checkpoint_action_id: actionId, cluster_id: here, metadata };
      ok(await reportRestore(org, 'restore_start', move));
      moves.push({ name, move });
    }
    for (const pod of before) await buildPod(org, here, { ...pod, phase: 'Succeeded', version: 2 });
    await buildPod(org, here, { name: 'alone-moved' });
    const next = await buildPod(org, here, { name: 'web-2', owner });
    await buildPod(org, here, { name: 'other-1', owner: { kind: 'ReplicaSet', name: 'other' } });
    const overlapping = await buildPolicy(org, ofNamespace(here), maintenance(-30, 3_600));
    await round(overlapping);
    await again(id);
    expect(await podsAsked(service, id)).toEqual(['alone', 'other-1', 'web-1']);
    expect(await podsAsked(service, overlapping)).toEqual(['other-1']);
    const left = (tx: Tx) => targetPods(tx, { id, beat_at: new Date(0) });
    expect(await service.app.get(UnitOfWork).read({ orgId: org.id }, left)).toMatchObject({ moved: 2 });

    // However that ends, and though the owner's pod moves to yet another one.
    for (const { name, move } of moves) {
      const metadata = name === 'web-1' ? { pod_uid: next.uid, pod_name: next.name } : move.metadata;
      ok(await reportRestore(org, 'restore_error', { ...move, metadata, error_message: 'it started cold' }));
    }
    await again(id);
    await again(overlapping);
    expect(await podsAsked(service, id)).toEqual(['alone', 'other-1', 'web-1']);
    expect(await podsAsked(service, overlapping)).toEqual(['other-1']);

    // A later window is not about those moves.
    const later = await buildPolicy(org, ofNamespace(here), maintenance(3_600, 7_200));
    await during(later, 0, 3_600);
    await round(later);
    expect(await podsAsked(service, later)).toEqual(['alone-moved', 'other-1', 'web-2']);
  });

  describe('after a move of a pod that an owner replaces', () => {
    /** Reports the move of the only pod that was asked for so far, as a controller does. */
    async function move(id: string, here: string): Promise<(kind: RestoreEvent, metadata: object) => Promise<void>> {
      const [action] = await actionsOf(service, id);
      const checkpoint_id = await takeUp(org, action!.id, { container_name: 'main' });
      ok(await putUploaded(org, checkpoint_id, `/${newId()}`));
      const members = { restore_uuid: newId(), checkpoint_id, checkpoint_action_id: action!.id, cluster_id: here };
      return async (kind, metadata) => {
        const error = kind === 'restore_error' ? { error_message: 'it could not be moved' } : {};
        ok(await reportRestore(org, kind, { ...members, metadata, ...error }));
      };
    }

    it('act on new pods of the owner if the move failed before there was a pod', async () => {
      const here = await buildCluster(org);
      const owner = { kind: 'ReplicaSet', name: 'web', uid: newId() };
      await buildPod(org, here, { name: 'web-1', owner });
      const id = await buildPolicy(org, ofNamespace(here), maintenance(-60, 3_600));
      await round(id);
      const report = await move(id, here);
      const metadata = { pod_name: 'web-1', namespace: 'training' };
      await report('restore_start', metadata);
      await report('restore_error', metadata);
      await buildPod(org, here, { name: 'web-2', owner });
      await again(id);
      expect(await podsAsked(service, id)).toEqual(['web-1', 'web-2']);
    });

    it.each([
      ['ReplicaSet', 'web-1', 'web-2'],
      ['StatefulSet', 'db-0', 'db-0'],
    ])('leave the pod of a %s alone that comes after the move was given up', async (kind, name, next) => {
      const here = await buildCluster(org);
      const owner = { kind, name: 'owner', uid: newId() };
      const before = { uid: newId(), name, owner };
      await buildPod(org, here, before);
      const id = await buildPolicy(org, ofNamespace(here), maintenance(-60, 3_600));
      await round(id);
      const report = await move(id, here);
      const metadata = { pod_name: `${name}-1a2b3c4d`, namespace: 'training' };
      await report('restore_start', metadata);
      const { rows } = await service.db.query('update pods set deleted = true where uid = $1 returning id', [
        before.uid,
      ]);
      expect(rows).toHaveLength(1);
      await report('restore_error', metadata);
      await buildPod(org, here, { name: next, owner });
      await again(id);
      expect(await podsAsked(service, id)).toEqual([name]);
    });

    it.each([
      ['ReplicaSet', 'web-1', 'web-2'],
      ['StatefulSet', 'db-0', 'db-0'],
    ])(
      'leave the pod of a %s alone though their controller only knows that the other one is gone',
      async (kind, name, next) => {
        const here = await buildCluster(org);
        const owner = { kind, name: 'owner', uid: newId() };
        const before = podResource({ name, owner });
        const other = { apiVersion: 'v1', kind: 'Other', name: 'first', uid: newId() };
        before.metadata.ownerReferences = [{ ...other, controller: false }, ...before.metadata.ownerReferences!];
        await syncAll(org.controller, here, [before]);
        const id = await buildPolicy(org, ofNamespace(here), maintenance(-60, 3_600));
        await round(id);
        await (
          await move(id, here)
        )('restore_start', { pod_name: `${name}-1a2b3c4d`, namespace: 'training' });
        const { uid, namespace } = before.metadata;
        const deletionTimestamp = new Date().toISOString();
        await syncAll(org.controller, here, [
          {
            ...{ type: 'Pod', kind: 'Pod', metadata: { uid, name, namespace, deletionTimestamp } },
            status: { phase: 'Failed', reason: 'Deleted' },
          },
        ]);
        await buildPod(org, here, { name: next, owner });
        await again(id);
        expect(await podsAsked(service, id)).toEqual([name]);
      },
    );

    it('leave the pod of a StatefulSet alone that has its name, and no other one', async () => {
      const here = await buildCluster(org);
      const owner = { kind: 'StatefulSet', name: 'db', uid: newId() };
      const before = { uid: newId(), name: 'db-0', owner };
      await buildPod(org, here, before);
      const id = await buildPolicy(org, ofNamespace(here), maintenance(-60, 3_600));
      await round(id);
      const report = await move(id, here);
      await report('restore_start', { namespace: 'training' });
      await buildPod(org, here, { ...before, phase: 'Succeeded', version: 2 });
      await buildPod(org, here, { name: 'db-0', owner });
      await buildPod(org, here, { name: 'db-2', owner });
      await again(id);
      expect(await podsAsked(service, id)).toEqual(['db-0', 'db-2']);
    });
  });

  it('compare the pods with all that was moved at once, however many rows PostgreSQL expects', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 3_600));
    const [plan] = await plansOf(service, org, (tx) => targetPods(tx, { id, beat_at: new Date() }));
    expect(plan).toContain('Anti Join');
    expect(plan!.match(/SubPlan.*\n.*(moves|moved)/g)).toBeNull();
  });

  it('act once on Slurm jobs that start during the window', async () => {
    const hpc = await slurmCluster(org, 'hpc-window');
    ok(await syncJobs(org.controller, hpc, [slurmJob(1), slurmJob(2, { job_state: ['PENDING'] })]));
    const id = await buildPolicy(org, ofSlurmJobs(hpc, 1, 2), maintenance(-60, 3_600));
    const asked = async () => (await actionsOf(service, id)).map(({ slurm_job_id: job }) => Number(job));
    await again(id);
    expect(await asked()).toEqual([1]);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1), slurmJob(2)]));
    await again(id);
    await again(id);
    expect(await asked()).toEqual([1, 2]);
  });

  it('act at once if the window began before they were created', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-3_600, 3_600));
    await round(id);
    await round(id);
    expect((await podsAsked(service, id)).slice(0, 1)).toEqual(['a']);
    const beats = new Set((await actionsOf(service, id)).map(({ beat_at }) => beat_at.getTime()));
    expect(beats.size).toBe(1);
  });

  it('act later, once, if nothing ran at the start', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(3_600, 7_200));
    await during(id, -1_800, 1_800);
    await Promise.all([rounds([service.app]), rounds([service.app]), rounds([service.app])]);
    await round(id);
    const asked = (await actionsOf(service, id)).map(({ pod_uid }) => pod_uid);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('are disabled without acting if the whole window was missed', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(3_600, 7_200));
    await during(id, -7_200, -3_600);
    await round(id);
    expect(await storedPolicy(service, id)).toEqual({ id, status: 'disabled', next_at: null, last_beat_at: null });
    expect(await actionsOf(service, id)).toEqual([]);
  });
});
