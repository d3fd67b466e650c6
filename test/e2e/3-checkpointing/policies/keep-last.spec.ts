import { newId } from '../../../../src/1-platform/common/ids';
import {
  PLANNED_EACH_TIME,
  type Statement,
  type Values,
} from '../../../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { findCandidates } from '../../../../src/3-checkpointing/policies/retention/retired-actions.queries';
import { profileFor, registered } from '../../../support/artifacts';
import {
  actionsOf,
  beat,
  buildPolicy,
  endActions,
  heartbeat,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import {
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  reportRestore,
  samplesOf,
  takeUp,
  type RunningPod,
} from '../../../support/workloads';

interface Made {
  readonly actionId: string;
  readonly checkpointId: string;
  readonly path: string;
}

describe('policies with keep_last', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId);
  });
  afterAll(() => service.close());

  const policy = (keepLast?: number, filter = ofNamespace(clusterId)): Promise<string> =>
    buildPolicy(org, filter, heartbeat(), keepLast === undefined ? {} : { keepLast });
  const change = (id: string, body: object) => org.operator.patch(`/v1/policy/pipeline/${id}`, body);
  const sweep = () => service.sweep('kept checkpoints');
  const isTrimmed = async (id: string): Promise<boolean> =>
    (await service.db.query('select from policies where id = $1 and trim_after is null', [id])).rowCount === 1;
  /** As many rounds as it takes, each by all replicas at once. */
  async function sweepAll(id: string, ...others: Pick<Service, 'sweep'>[]): Promise<void> {
    while (!(await isTrimmed(id)))
      await Promise.all([service, ...others].map((replica) => replica.sweep('kept checkpoints')));
  }

  /** The actions of one more beat, none of which a node has taken up. */
  async function requested(id: string): Promise<{ id: string; pod_name: string }[]> {
    await beat(service, id);
    return (await actionsOf(service, id)).filter(({ status }) => status === 'initialized');
  }
  async function finish(actionId: string, more: object = {}, path = `/checkpoints/${newId()}`): Promise<Made> {
    const checkpointId = await takeUp(org, actionId, { container_name: 'main', ...more });
    ok(await putInfo(org, checkpointId, {}));
    ok(await putUploaded(org, checkpointId, path));
    return { actionId, checkpointId, path };
  }
  /** One more ready checkpoint of the only workload. */
  async function make(id: string, more: object = {}): Promise<Made> {
    const [action] = await requested(id);
    return finish(action?.id ?? '', more);
  }
  /** Another one that has these containers, and no others. */
  async function makeOf(id: string, ...containers: string[]): Promise<Made[]> {
    const [action] = await requested(id);
    // As when these ran, and no others, at the beat.
    await service.db.query('update actions set containers = $2 where id = $1', [action?.id, containers]);
    const made: Made[] = [];
    for (const container_name of containers) made.push(await finish(action?.id ?? '', { container_name }));
    return made;
  }
  async function makeSeveral(id: string, number: number): Promise<Made[]> {
    const made: Made[] = [];
    for (let i = 0; i < number; i++) made.push(await make(id));
    return made;
  }
  async function statusesOf(made: readonly Pick<Made, 'checkpointId'>[]): Promise<string[]> {
    const { rows } = await service.db.query<{ id: string; status: string }>(
      'select id, status from checkpoints where id = any($1)',
      [made.map(({ checkpointId: id }) => id)],
    );
    const byId = new Map(rows.map(({ id, status }) => [id, status]));
    return made.map(({ checkpointId: id }) => byId.get(id) ?? 'missing');
  }
  const [READY, GONE] = ['ready', 'deprecated'];

  it('keep the newest of a pod with a sidecar, whose annotation names the containers with checkpoints', async () => {
    const annotations = { 'ccp-agent/containers': 'main' };
    const proxied = await buildPod(org, clusterId, { containers: ['main', 'istio-proxy'], annotations });
    const id = await policy(1, ofPods(clusterId, [proxied.uid]));
    const made = await makeSeveral(id, 2);
    expect((await actionsOf(service, id)).map(({ status }) => status)).toEqual(['ready', 'ready']);
    expect(await statusesOf(made)).toEqual([GONE, READY]);
  });

  it('keep all that they made unless they are asked for less', async () => {
    const made = await makeSeveral(await policy(), 4);
    expect(await statusesOf(made)).toEqual([READY, READY, READY, READY]);
  });

  it('deprecate what is older than the newest ones when a newer one is ready, and record it', async () => {
    const id = await policy(2);
    const made = await makeSeveral(id, 2);
    expect(await statusesOf(made)).toEqual([READY, READY]);
    made.push(await make(id));
    expect(await statusesOf(made)).toEqual([GONE, READY, READY]);
    made.push(await make(id), await make(id));
    expect(await statusesOf(made)).toEqual([GONE, GONE, GONE, READY, READY]);

    // Agents find it where they find what somebody else deprecated, and confirm that the bytes are gone.
    const awaited = ok(await org.controller.get(`/v1/checkpoints?awaiting_removal=true&cluster_id=${clusterId}`));
    expect(awaited.body.map((row: { restore_path: string }) => row.restore_path).sort()).toEqual(
      made
        .slice(0, 3)
        .map(({ path }) => path)
        .sort(),
    );
    const { rows } = await service.db.query(
      `select actor_id, actor_role, resource_type, details from audit_entries
       where org_id = $1 and action = 'deprecate_checkpoint' and resource_id = $2`,
      [org.id, made[0]?.checkpointId],
    );
    expect(rows).toEqual([
      {
        actor_id: id,
        actor_role: 'policy',
        resource_type: 'checkpoint',
        details: { from: 'ready', to: 'deprecated' },
      },
    ]);
    // What was taken was taken: the attempts stay as they ended.
    const { body } = ok(await org.viewer.get(`/v1/policy/${id}/activity`));
    expect(body).toMatchObject({ successful_checkpoints: 5, failed_checkpoints: 0 });
  });

  it('count what they deprecate, once it is committed', async () => {
    const count = async () =>
      samplesOf((await service.as(undefined).get('/metrics')).text).get('policy_checkpoints_deprecated_total') ?? 0;
    const before = await count();
    await makeSeveral(await policy(1), 3);
    expect(await count()).toBe(before + 2);
  });

  it('keep as many of each workload', async () => {
    await buildPod(org, clusterId);
    const id = await policy(1);
    const first = await Promise.all((await requested(id)).map((action) => finish(action.id)));
    const [a, b] = await requested(id);
    const newer = await finish(a?.id ?? '');
    expect((await statusesOf(first)).sort()).toEqual([GONE, READY]);
    expect(await statusesOf([newer, await finish(b?.id ?? '')])).toEqual([READY, READY]);
    expect(await statusesOf(first)).toEqual([GONE, GONE]);
  });

  it('count an action with several containers once, and deprecate all of them', async () => {
    const id = await policy(1);
    const older = await makeOf(id, 'main', 'sidecar');
    expect(await statusesOf(older)).toEqual([READY, READY]);
    const newer = await makeOf(id, 'main', 'sidecar');
    expect(await statusesOf([...older, ...newer])).toEqual([GONE, GONE, READY, READY]);
  });

  it('keep a container that newer ones lack, and give up what newer ones have', async () => {
    const id = await policy(1);
    // The trainer has crashed, and its sidecar still runs.
    const both = await makeOf(id, 'trainer', 'sidecar');
    const sidecars = [...(await makeOf(id, 'sidecar')), ...(await makeOf(id, 'sidecar'))];
    expect(await statusesOf([...both, ...sidecars])).toEqual([READY, READY, GONE, READY]);
    const again = await makeOf(id, 'trainer', 'sidecar');
    expect(await statusesOf([...both, ...sidecars, ...again])).toEqual([GONE, GONE, GONE, GONE, READY, READY]);
  });

  it('keep all ranks of a Slurm job until as many are ready again', async () => {
    const hpc = await slurmCluster(org);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1)]));
    const id = await policy(1, ofSlurmJobs(hpc, 1));
    const older = await makeOf(id, 'rank-0', 'rank-1');
    const [action] = await requested(id);
    const first = await finish(action?.id ?? '', { container_name: 'rank-0' });
    expect(await statusesOf([...older, first])).toEqual([READY, READY, READY]);
    const second = await finish(action?.id ?? '', { container_name: 'rank-1' });
    expect(await statusesOf([...older, first, second])).toEqual([GONE, GONE, READY, READY]);
  });

  it('count containers without a name', async () => {
    const id = await policy(1);
    const [action] = await requested(id);
    const older = [await finish(action?.id ?? '', { container_name: undefined })];
    older.push(await finish(action?.id ?? '', { container_name: undefined }));
    const newer = await make(id, { container_name: undefined });
    expect(await statusesOf([...older, newer])).toEqual([READY, READY, READY]);
    older.push(newer, await finish(newer.actionId, { container_name: undefined }));
    expect(await statusesOf(older)).toEqual([GONE, GONE, READY, READY]);
  });

  it('wait for the path of a newer one, unless the older one has none either', async () => {
    const id = await policy(1);
    const older = await make(id);
    const withoutPath = async () => {
      const [action] = await requested(id);
      const checkpointId = await takeUp(org, action?.id ?? '', { container_name: 'main' });
      ok(await putUploaded(org, checkpointId));
      return { checkpointId };
    };
    const [first, second] = [await withoutPath(), await withoutPath()];
    expect(await statusesOf([older, first, second])).toEqual([READY, GONE, READY]);
    ok(await putUploaded(org, second.checkpointId, '/checkpoints/late'));
    expect(await statusesOf([older, first, second])).toEqual([GONE, GONE, READY]);
  });

  it('do not give an older one up for one that failed, is missing, or has lost a container', async () => {
    const id = await policy(1);
    const made = [await make(id)];
    const [failed] = await requested(id);
    ok(await putInfo(org, await takeUp(org, failed?.id ?? '', { container_name: 'main' }), {}, { error: 'broke' }));
    await requested(id);
    await endActions(service);
    expect(await statusesOf(made)).toEqual([READY]);

    made.push(await make(id));
    expect(await statusesOf(made)).toEqual([GONE, READY]);
    const newest = await make(id);
    made.push(newest);
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${newest.checkpointId}`));
    // The one that somebody removed does not count, so the next one finds none before it.
    const sidecar = await make(id);
    expect(await statusesOf([...made, sidecar])).toEqual([GONE, GONE, GONE, READY]);
  });

  it('leave the older one that is whole when the newest one is deprecated by hand', async () => {
    const id = await policy(2);
    const made = await makeSeveral(id, 2);
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${made[1]?.checkpointId}`));
    made.push(await make(id));
    expect(await statusesOf(made)).toEqual([READY, GONE, READY]);
    made.push(await make(id));
    expect(await statusesOf(made)).toEqual([GONE, GONE, READY, READY]);
  });

  it('deprecate what failed with one container ready, once newer ones are', async () => {
    const id = await policy(1);
    const [action] = await requested(id);
    const partial = await takeUp(org, action?.id ?? '', { container_name: 'main' });
    const sidecar = await takeUp(org, action?.id ?? '', { container_name: 'sidecar' });
    ok(await putUploaded(org, partial, '/checkpoints/partial'));
    ok(await putInfo(org, sidecar, {}, { error: 'broke' }));
    expect(await statusesOf([{ checkpointId: partial }])).toEqual([READY]);
    await make(id);
    expect(await statusesOf([{ checkpointId: partial }])).toEqual([GONE]);
  });

  it('leave checkpoints alone that somebody asked for, and those of other policies', async () => {
    const [one, other] = [await policy(1), await policy(1)];
    const byHand = await readyCheckpoint(org, pod.id);
    const ofOther = await make(other);
    const made = await makeSeveral(one, 2);
    expect(await statusesOf(made)).toEqual([GONE, READY]);
    expect(await statusesOf([byHand, ofOther])).toEqual([READY, READY]);
  });

  it.each([
    ['of a known parent', (parent: string) => ({ parent_checkpoint_id: parent })] as const,
    ['of an unknown parent', () => ({ delta: true })] as const,
  ])('keep all that they made while the organisation has a delta %s', async (_of, deltaOf) => {
    const id = await policy(1);
    const full = await make(id);
    const delta = await make(id, deltaOf(full.checkpointId));
    const next = await make(id);
    expect(await statusesOf([full, delta, next])).toEqual([READY, READY, READY]);
    // Also after a deprecation, because others may build on it.
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${delta.checkpointId}`));
    ok(await change(id, { keep_last: 2 }));
    ok(await change(id, { keep_last: 1 }));
    await sweep();
    expect(await statusesOf([full, next])).toEqual([READY, READY]);
    const { pipeline } = ok(await org.viewer.get(`/v1/policy/pipeline/${id}`)).body;
    const preview = async () =>
      ok(await org.viewer.post('/v1/policy/pipeline/preview', { pipeline, policy_id: id, keep_last: 1 })).body;
    expect(await preview()).toMatchObject({ going_count: 0 });
    await service.db.query('delete from checkpoints where id = $1', [delta.checkpointId]);
    expect(await preview()).toMatchObject({ going_count: 1 });
    await make(id);
    expect(await statusesOf([full, next])).toEqual([GONE, GONE]);
  });

  it('keep what an open restore reads, and give it up after its end', async () => {
    const id = await policy(1);
    const older = await make(id);
    const restore = ok(
      await org.operator.post('/v1/restore/pod', { action_id: older.actionId, reason: 'manual' }),
    ).text;
    await make(id);
    expect(await statusesOf([older])).toEqual([READY]);
    const body = { restore_uuid: newId(), action_id: restore, checkpoint_id: older.checkpointId };
    ok(await reportRestore(org, 'restore_start', body));
    await service.db.query("update actions set status = 'error' where id = $1", [restore]);
    await make(id);
    expect(await statusesOf([older])).toEqual([READY]);
    ok(await reportRestore(org, 'restore_success', body));
    await make(id);
    expect(await statusesOf([older])).toEqual([GONE]);
  });

  it('keep what an open restore reads that names nothing but its path', async () => {
    const id = await policy(1);
    const older = await make(id);
    const body = { restore_uuid: newId(), restore_path: older.path };
    ok(await reportRestore(org, 'restore_start', body));
    await make(id);
    expect(await statusesOf([older])).toEqual([READY]);
    ok(await reportRestore(org, 'restore_success', body));
    await make(id);
    expect(await statusesOf([older])).toEqual([GONE]);
  });

  describe('whose checkpoint a pod was restored from', () => {
    /** The policy, its checkpoint, and the pod that was restored from it. */
    async function restored(): Promise<{ id: string; older: Made; copy: RunningPod }> {
      const id = await policy(1, ofPods(clusterId, [pod.id]));
      const older = await make(id);
      const copy = await buildPod(org, clusterId);
      const body = {
        restore_uuid: newId(),
        checkpoint_id: older.checkpointId,
        metadata: { pod_uid: copy.uid, container_name: 'main' },
      };
      ok(await reportRestore(org, 'restore_start', body));
      ok(await reportRestore(org, 'restore_success', body));
      await make(id);
      expect(await statusesOf([older])).toEqual([READY]);
      return { id, older, copy };
    }

    it('keep it until that pod has one of its own', async () => {
      const { id, older, copy } = await restored();
      await readyCheckpoint(org, copy.id, { container: 'sidecar' });
      await make(id);
      expect(await statusesOf([older])).toEqual([READY]);
      await readyCheckpoint(org, copy.id);
      await make(id);
      expect(await statusesOf([older])).toEqual([GONE]);
    });

    it.each([['deleted', 'deleted = true'] as const, ['finished', "phase = 'Succeeded'"] as const])(
      'keep it until that pod is %s',
      async (_, change) => {
        const { id, older, copy } = await restored();
        await service.db.query(`update pods set ${change} where id = $1`, [copy.id]);
        await make(id);
        expect(await statusesOf([older])).toEqual([GONE]);
      },
    );
  });

  it('keep what an artifact of a profile refers to', async () => {
    const id = await policy(1);
    const [older, newer] = [await make(id), await requested(id)];
    await registered(org, await profileFor(org), { uri: older.path });
    const made = [older, await finish(newer[0]?.id ?? '')];
    expect(await statusesOf(made)).toEqual([READY, READY]);
    await service.db.query("update artifacts set status = 'deleted' where org_id = $1", [org.id]);
    await make(id);
    expect(await statusesOf(made)).toEqual([GONE, GONE]);
  });

  it('leave what somebody holds for the next time, and wait for nobody', async () => {
    const id = await policy(1);
    const older = await make(id);
    const client = await service.db.connect();
    try {
      await client.query('begin');
      await client.query('select from actions where id = $1 for no key update', [older.actionId]);
      const newer = await make(id);
      expect(await statusesOf([older, newer])).toEqual([READY, READY]);
      await client.query('rollback');
      await make(id);
      expect(await statusesOf([older, newer])).toEqual([GONE, GONE]);
    } finally {
      client.release();
    }
  });

  it('keep as many of a Slurm job', async () => {
    const hpc = await slurmCluster(org);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1)]));
    const id = await policy(1, ofSlurmJobs(hpc, 1));
    const made = await makeSeveral(id, 3);
    expect(await statusesOf(made)).toEqual([GONE, GONE, READY]);
    const more = await policy(undefined, ofSlurmJobs(hpc, 1));
    const kept = await makeSeveral(more, 3);
    ok(await change(more, { keep_last: 1 }));
    await sweep();
    expect(await statusesOf(kept)).toEqual([GONE, GONE, READY]);
  });

  describe('whose number is lowered', () => {
    it('deprecate what is beyond it without a new checkpoint, also of workloads that ended', async () => {
      const ended = await buildPod(org, clusterId);
      const id = await policy(undefined, ofPods(clusterId, [pod.id, ended.id]));
      const byPod: Record<string, Made[]> = { [pod.name]: [], [ended.name]: [] };
      for (let i = 0; i < 3; i++)
        for (const action of await requested(id)) byPod[action.pod_name]?.push(await finish(action.id));
      await service.db.query('update pods set deleted = true where id = $1', [ended.id]);
      ok(await change(id, { keep_last: 2 }));
      await sweep();
      expect(await statusesOf(byPod[pod.name] ?? [])).toEqual([GONE, READY, READY]);
      expect(await statusesOf(byPod[ended.name] ?? [])).toEqual([GONE, READY, READY]);
      ok(await change(id, { keep_last: 1 }));
      await sweep();
      expect(await statusesOf(byPod[ended.name] ?? [])).toEqual([GONE, GONE, READY]);
      expect((await service.db.query('select trim_after from policies where id = $1', [id])).rows).toEqual([
        { trim_after: null },
      ]);
    });

    it('come to an end with more than one transaction handles, once though two replicas do it', async () => {
      const id = await policy();
      const { rows } = await service.db.query(MANY, [org.id, id, clusterId, 45, 120]);
      expect(rows).toEqual([{ count: String(45 * 120) }]);
      ok(await change(id, { keep_last: 3 }));
      const replica = await service.replica();
      await sweepAll(id, replica);
      const left = await service.db.query(
        "select count(*)::int as ready from checkpoints where org_id = $1 and status = 'ready'",
        [org.id],
      );
      expect(left.rows).toEqual([{ ready: 45 * 3 }]);
      const audited = await service.db.query(
        `select count(*)::int as entries, count(distinct resource_id)::int as checkpoints from audit_entries
         where org_id = $1 and action = 'deprecate_checkpoint'`,
        [org.id],
      );
      expect(audited.rows).toEqual([{ entries: 45 * 117, checkpoints: 45 * 117 }]);
    });

    it('find what is beyond it though many of them failed', async () => {
      const id = await policy();
      await service.db.query(MANY, [org.id, id, clusterId, 1, 1_500]);
      await service.db.query(
        `update actions set status = 'error'
         where policy_id = $1 and extract(epoch from beat_at)::bigint / 60 % 5 = 0`,
        [id],
      );
      ok(await change(id, { keep_last: 100 }));
      await sweepAll(id);
      const { rows } = await service.db.query(
        `select status, count(*)::int as actions, count(*) filter (where retired_at is null)::int as kept
         from actions where policy_id = $1 group by status order by status desc`,
        [id],
      );
      expect(rows[0]).toEqual({ status: 'ready', actions: 1_200, kept: 100 });
      // Those between the ones that are kept.
      expect(rows[1]?.kept).toBeGreaterThanOrEqual(24);
      expect(rows[1]?.kept).toBeLessThanOrEqual(25);
    });

    it('leave a workload for the next round while somebody holds a part of it', async () => {
      const id = await policy();
      const [older, newer] = await makeSeveral(id, 2);
      ok(await change(id, { keep_last: 1 }));
      const client = await service.db.connect();
      try {
        await client.query('begin');
        await client.query('select from actions where id = $1 for no key update', [older!.actionId]);
        await sweep();
        expect(await statusesOf([older!, newer!])).toEqual([READY, READY]);
        await client.query('rollback');
      } finally {
        client.release();
      }
      await sweep();
      expect(await statusesOf([older!, newer!])).toEqual([GONE, READY]);
    });

    it('begin anew if the number is lowered meanwhile', async () => {
      const id = await policy();
      const made = await makeSeveral(id, 4);
      ok(await change(id, { keep_last: 3 }));
      await service.db.query("update policies set trim_after = 'ffffffff-ffff-ffff-ffff-ffffffffffff' where id = $1", [
        id,
      ]);
      ok(await change(id, { keep_last: 2 }));
      await sweep();
      expect(await statusesOf(made)).toEqual([GONE, GONE, READY, READY]);
    });

    it('count every container in a preview, also of what failed, and of pods that are gone', async () => {
      const id = await policy(undefined, ofPods(clusterId, [pod.id]));
      const [failed] = await requested(id);
      await finish(failed?.id ?? '');
      const sidecar = await takeUp(org, failed?.id ?? '', { container_name: 'sidecar' });
      ok(await putInfo(org, sidecar, {}, { error: 'broke' }));
      await makeOf(id, 'main', 'sidecar');
      await makeOf(id, 'main', 'sidecar');
      const { pipeline } = ok(await org.viewer.get(`/v1/policy/pipeline/${id}`)).body;
      const preview = (body: object) => org.viewer.post('/v1/policy/pipeline/preview', { pipeline, ...body });
      await service.db.query('update pods set deleted = true where id = $1', [pod.id]);
      expect((await preview({ keep_last: 1 })).status).toBe(404);
      expect(ok(await preview({ policy_id: id, keep_last: 1 })).body).toMatchObject({ kept_count: 0, going_count: 3 });
      ok(await change(id, { keep_last: 1 }));
      await sweep();
      const { rows } = await service.db.query(
        "select count(*)::int as gone from checkpoints where org_id = $1 and status = 'deprecated' and error is null",
        [org.id],
      );
      expect(rows).toEqual([{ gone: 3 }]);
    });

    it('say in a preview how many would go, and keep them if it is raised', async () => {
      const id = await policy();
      const made = await makeSeveral(id, 3);
      const { pipeline } = ok(await org.viewer.get(`/v1/policy/pipeline/${id}`)).body;
      const preview = async (body: object) =>
        ok(await org.viewer.post('/v1/policy/pipeline/preview', { pipeline, ...body })).body;
      expect(await preview({ policy_id: id, keep_last: 1 })).toMatchObject({ kept_count: 1, going_count: 2 });
      expect(await preview({ policy_id: id, keep_last: 3 })).toMatchObject({ kept_count: 3, going_count: 0 });
      expect(await preview({ keep_last: 1 })).toMatchObject({ kept_count: 1, going_count: 0 });
      expect(await preview({ policy_id: id })).toMatchObject({ kept_count: null, going_count: null });
      ok(await change(id, { keep_last: 5 }));
      ok(await change(id, { keep_last: null }));
      await sweep();
      expect(await statusesOf(made)).toEqual([READY, READY, READY]);
      const other = await service.organisation();
      const foreign = await other.viewer.post('/v1/policy/pipeline/preview', { pipeline, policy_id: id, keep_last: 1 });
      expect(foreign.status).toBe(404);
    });
  });

  it('read what a workload still has, and nothing of what retired or of other workloads', async () => {
    const id = await policy(3);
    await service.db.query(MANY, [org.id, id, clusterId, 45, 120]);
    // All but the newest four of each workload have retired.
    await service.db.query(
      `update actions set retired_at = clock_timestamp()
       where policy_id = $1 and beat_at < (select max(beat_at) from actions where policy_id = $1) - interval '200 s'`,
      [id],
    );
    await service.db.query('analyze actions, checkpoints');
    const { rows } = await service.db.query<{ pod_id: string }>(
      'select pod_id from actions where policy_id = $1 limit 1',
      [id],
    );
    const sought = { policyId: id, workloads: [{ pod_id: rows[0]?.pod_id ?? '', slurm_job_id: null }] };
    const read: number[] = [];
    await service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
      const prepared = async ({ text, ...statement }: Statement, values: Values) => {
        const explained = { ...statement, name: PLANNED_EACH_TIME, text: `explain (analyze, format json) ${text}` };
        const [plan] = await tx.prepared<{ 'QUERY PLAN': object[] }>(explained, values);
        read.push(rowsOfActions(JSON.stringify(plan)));
        return tx.prepared({ ...statement, text }, values);
      };
      const observed = Object.create(tx, { prepared: { value: prepared } }) as Tx;
      expect(await findCandidates(observed, sought, 100)).toEqual([expect.objectContaining({ superfluous: true })]);
    });
    // The three that are kept, and the one that goes.
    expect(read).toEqual([4]);
  });

  it.each([0, 1_001, 1.5, 'two'])('cannot keep %s', async (keepLast) => {
    const pipeline = {
      trigger: heartbeat(),
      filter: ofNamespace(clusterId),
      action: { type: 'checkpoint', config: { kind: 'simple' } },
    };
    const answer = await org.operator.post('/v1/policy/pipeline/create', { pipeline, keep_last: keepLast });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'keep_last']);
  });
});

/** @returns how many actions the scans of a plan have returned or left out */
function rowsOfActions(plan: string): number {
  let rows = 0;
  JSON.parse(plan, (_key, node: Record<string, unknown> | null) => {
    if (node?.['Relation Name'] === 'actions')
      rows +=
        Number(node['Actual Loops']) * (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0));
    return node;
  });
  return rows;
}

/** Ready actions of pods that a policy has requested, each with its checkpoint. */
const MANY = `
  with pods as (select gen_random_uuid() as pod_id from generate_series(1, $4)),
  made as (
    insert into actions (org_id, id, cluster_id, type, status, reason, kind, platform, checkpoint_id, pod_id, pod_uid,
      pod_name, namespace, node_name, policy_id, beat_at, details, created_at, answer_by, ended_at)
    select $1::uuid, gen_random_uuid(), $3::uuid, 'heartbeat', 'ready', 'heartbeat', 'simple', 'kubernetes',
      gen_random_uuid(), pod_id, '', '', '', '', $2::uuid, at, '{}', at, at, at
    from pods, generate_series(1, $5) n, lateral (select now() - make_interval(mins => n) as at) at
    returning *
  ), taken as (
    insert into checkpoints (org_id, id, cluster_id, action_id, workload_type, status, claimed, gpu, platform, delta,
      created_at)
    select org_id, checkpoint_id, cluster_id, id, 'kubernetes', 'ready', true, '', '', false, created_at from made
    returning id
  )
  select count(*) from taken`;
