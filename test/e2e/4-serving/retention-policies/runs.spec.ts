import { newId } from '../../../../src/1-platform/common/ids';
import { RetentionRuns } from '../../../../src/4-serving/retention-policies/retention-runs';
import {
  age,
  ARTIFACTS,
  artifactEvents,
  artifactOf,
  chainOf,
  clusterWithNode,
  idsOf,
  onNode,
  patch,
  profileFor,
  registered,
  publishedIds,
  type ProfileOf,
} from '../../../support/artifacts';
import { newer } from '../../../support/builders';
import { buildEvent, reportEvent } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';
import { ok, syncAll } from '../../../support/workloads';

let service: Service;
let org: Organisation;
let profile: ProfileOf;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
});
afterAll(() => service.close());

const save = async (body: object, of = org) =>
  ok(await of.operator.post('/v1/inference/retention-policies', { name: 'a policy', ...body })).body as {
    policy_id: string;
  };
const run = () => service.app.get(RetentionRuns).run({ orgId: org.id });
/** Ids by status, in the order of registration. */
const standing = async () => {
  const { body } = await org.viewer.get(`${ARTIFACTS}?limit=1000`);
  const rows = (body as { artifact_id: string; status: string }[]).reverse();
  return Object.fromEntries(rows.map(({ artifact_id: id, status }) => [id, status]));
};
const expired = async () =>
  Object.entries(await standing())
    .filter(([, status]) => status === 'expired')
    .map(([id]) => id);
const make = async (artifact_id: string, days: number, members: Parameters<typeof registered>[2] = {}) => {
  await registered(org, profile, { artifact_id, ...members });
  await age(service, org, artifact_id, days);
};

describe('retention', () => {
  it('expires artifacts that are too old: status, metadata, event and record of the run', async () => {
    for (const [id, days] of [
      ['old', 9],
      ['middle', 8],
      ['young', 1],
    ] as const)
      await make(id, days, { metadata: { mine: id } });
    const { policy_id } = await save({ name: 'a week', max_age_days: 7 });
    expect(await run()).toBe(2);
    const shown = await artifactOf(org, 'old');
    const reason = 'It is 9.0 days old, and a week keeps 7.';
    expect(shown).toMatchObject({
      status: 'expired',
      metadata: { mine: 'old', expiry: { policy_id, reason } },
      residency: { state: 'not_ready' },
    });
    expect(await artifactOf(org, 'young')).toMatchObject({ status: 'ready', metadata: { mine: 'young' } });
    const events = (await artifactEvents(org)).filter(({ event_type: type }) => type === 'artifact.expired');
    expect(events.map((event) => [event.aggregate_id, event.payload]).sort()).toEqual(
      ['middle', 'old'].map((id) => [id, { artifact_id: id, profile_id: profile.profile_id }]),
    );
    const { rows } = await service.db.query<{ considered: number; expired: object[] }>(
      'select considered, expired from retention_runs where org_id = $1',
      [org.id],
    );
    expect(rows).toEqual([
      {
        considered: 3,
        expired: [
          expect.objectContaining({ artifact_id: 'middle', policy_id }),
          { artifact_id: 'old', policy_id, reason },
        ],
      },
    ]);
    // A second run finds nothing to do, and writes no record.
    expect(await run()).toBe(0);
    expect(await publishedIds(org, 'artifact.expired')).toHaveLength(2);
    expect((await service.db.query('select from retention_runs where org_id = $1', [org.id])).rowCount).toBe(1);
    // A policy does not expire artifacts that are reported as ready again.
    expect((await patch(org, 'old', { status: 'golden' })).body.metadata).toEqual({ mine: 'old' });
  });

  it('expires what the preview announced', async () => {
    const twin = await profileFor(org);
    for (let i = 0; i < 12; i++) {
      const parent_artifact_id = i % 3 ? `a${i - 1}` : null;
      await registered(org, i % 2 ? profile : twin, {
        artifact_id: `a${i}`,
        parent_artifact_id,
        storage_tier: i % 5 ? 'object' : 'shared',
      });
      await age(service, org, `a${i}`, 12 - i);
    }
    await patch(org, 'a1', { status: 'golden' });
    await patch(org, 'a8', { status: 'quarantined' });
    await save({ max_age_days: 5 });
    await save({ max_count: 2, min_tier: 'object' });
    const preview = (await org.viewer.post('/v1/inference/retention-policies/preview')).body as {
      artifact_id: string;
      decision: string;
    }[];
    const said = idsOf(preview.filter(({ decision }) => decision === 'expire'));
    expect(said.length).toBeGreaterThan(2);
    expect(await run()).toBe(said.length);
    expect((await expired()).sort()).toEqual(said.sort());
  });

  it('keeps golden artifacts, ancestors of kept ones, and the newest restorable one', async () => {
    const [base, middle, golden] = (await chainOf(org, profile, 3)) as [string, string, string];
    const newest = await registered(org, profile);
    const broken = await registered(org, profile);
    const [loneBase, loneTop] = (await chainOf(org, profile, 2)) as [string, string];
    for (const id of [base, middle, golden, newest, broken, loneBase, loneTop]) await age(service, org, id, 30);
    await patch(org, golden, { status: 'golden' });
    for (const id of [broken, loneBase]) await patch(org, id, { status: 'quarantined' });
    await save({ max_count: 0 });
    await run();
    expect(await standing()).toEqual({
      [base]: 'ready',
      [middle]: 'ready',
      [golden]: 'golden',
      [newest]: 'ready',
      [broken]: 'expired',
      [loneBase]: 'expired',
      [loneTop]: 'expired',
    });
  });

  it('uses the state of the nodes to decide which artifacts are restorable', async () => {
    const node = await clusterWithNode(org);
    await make('durable', 9);
    await make('on the node', 8, onNode(node));
    await save({ max_count: 0 });
    const preview = async () =>
      ((await org.viewer.post('/v1/inference/retention-policies/preview')).body as { decision: string }[]).map(
        ({ decision }) => decision,
      );
    expect(await preview()).toEqual(['keep', 'expire']);
    await syncAll(org.controller, node.clusterId, [newer(node.node, { status: { nodeInfo: { bootID: newId() } } })]);
    expect(await preview()).toEqual(['expire', 'keep']);
    await run();
    expect(await expired()).toEqual(['on the node']);
  });

  describe('on the only artifact of a profile, which is old and lies on a node', () => {
    let node: Awaited<ReturnType<typeof clusterWithNode>>;

    beforeEach(async () => {
      node = await clusterWithNode(org);
      await make('only', 30, onNode(node));
      await save({ max_age_days: 7 });
    });

    const silence = () =>
      service.db.query("update nodes set synced_at = synced_at - interval '6 minutes' where org_id = $1", [org.id]);
    const restoreFails = (artifact_id: string) =>
      reportEvent(
        org.controller,
        buildEvent(node.clusterId, profile.profile_id, { kind: 'restore.failed', artifact_id }),
      );
    const nodeChanges = (members: Parameters<typeof newer>[1]) =>
      syncAll(org.controller, node.clusterId, [newer(node.node, members)]);
    const residency = async () => (await artifactOf(org, 'only')).residency.state;

    const PASSING: [string, string, () => Promise<unknown>][] = [
      ['its node is silent', 'node_gone', silence],
      [
        'its node is not ready',
        'node_not_ready',
        () => nodeChanges({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
      ],
      ['a restore of it failed', 'restore_failed', () => restoreFails('only')],
    ];

    it.each(PASSING)('keeps it while %s', async (_case, state, change) => {
      await change();
      expect(await residency()).toBe(state);
      expect(await run()).toBe(0);
      const [decision] = (await org.viewer.post('/v1/inference/retention-policies/preview')).body as object[];
      expect(decision).toMatchObject({
        decision: 'keep',
        reason: 'It is the newest of its profile that may be restorable again.',
      });
    });

    const LASTING: [string, string, () => Promise<unknown>][] = [
      ['rebooted', 'node_rebooted', () => nodeChanges({ status: { nodeInfo: { bootID: newId() } } })],
      ['was deleted', 'node_gone', () => nodeChanges({ metadata: { deletionTimestamp: '2026-06-01T10:00:00Z' } })],
    ];

    it.each(LASTING)('expires it after its node %s, also if that is silent since', async (_case, state, change) => {
      await change();
      expect(await residency()).toBe(state);
      await silence();
      expect(await run()).toBe(1);
      expect(await expired()).toEqual(['only']);
    });

    it.each(LASTING)('keeps the original of a copy after its node %s', async (_case, _state, change) => {
      await org.admin.delete(`${ARTIFACTS}/only`);
      await make('copied', 30);
      await org.operator.post(`${ARTIFACTS}/copied/promote`, { tier: 'local' });
      await patch(org, 'copied', { promotion: 'confirmed', node_name: node.name, node_boot_id: node.boot });
      await save({ name: 'of the object storage', max_count: 0, min_tier: 'object' });
      const decision = async () => {
        const { body } = await org.viewer.post('/v1/inference/retention-policies/preview');
        return (body as object[])[0];
      };
      await change();
      expect(await decision()).toMatchObject({
        ...{ decision: 'keep', reason: 'It is the newest of its profile that can be restored from.' },
      });
      expect(await run()).toBe(0);
      // A newer one takes its place, and the policy covers what is left of it.
      await make('newer', 0);
      expect(await run()).toBe(1);
      expect(await expired()).toEqual(['copied']);
    });

    it('expires it once its node has been deleted for longer than such nodes are kept', async () => {
      await nodeChanges({ metadata: { deletionTimestamp: '2026-06-01T10:00:00Z' } });
      await service.db.query("update nodes set synced_at = synced_at - interval '91 days' where org_id = $1", [org.id]);
      const nodes = async () => (await service.db.query('select from nodes where org_id = $1', [org.id])).rowCount;
      await service.sweep('old rows');
      expect(await nodes()).toBe(1);
      expect(await residency()).toBe('node_gone');
      expect(await run()).toBe(1);
      expect(await expired()).toEqual(['only']);
      await service.sweep('old rows');
      expect(await nodes()).toBe(0);
    });

    it('expires it once its cluster has been deleted', async () => {
      const { clusterId } = node;
      await make('of the cluster', 20, onNode(node, { cluster_id: clusterId }));
      await org.admin.delete(`${ARTIFACTS}/only`);
      ok(await org.admin.delete(`/v1/cluster/${clusterId}`));
      const shown = (await artifactOf(org, 'of the cluster')).residency;
      expect(shown).toMatchObject({ state: 'node_gone', reason: expect.stringContaining(clusterId) });
      expect(await run()).toBe(1);
      expect(await expired()).toEqual(['of the cluster']);
    });

    it('keeps it, which names no cluster, when its cluster is deleted and registers itself again', async () => {
      ok(await org.admin.delete(`/v1/cluster/${node.clusterId}`));
      expect(await residency()).toBe('node_unknown');
      expect(await run()).toBe(0);
      const again = ok(await org.operator.post('/v1/cluster', { cluster_name: `c-${newId()}` })).text;
      await syncAll(org.controller, again, [node.node]);
      expect(await residency()).toBe('restorable');
    });

    it('keeps it while no cluster has reported its node, which may still come', async () => {
      await org.admin.delete(`${ARTIFACTS}/only`);
      await make('early', 20, onNode({ name: 'gpu-9', boot: newId() }, { cluster_id: node.clusterId }));
      expect((await artifactOf(org, 'early')).residency.state).toBe('node_unknown');
      expect(await run()).toBe(0);
    });

    it('expires it while its node is silent if a part of its chain is lost', async () => {
      const base = await registered(org, profile);
      await make('child', 20, { ...onNode(node), parent_artifact_id: base });
      await patch(org, base, { status: 'expired' });
      await silence();
      expect(await run()).toBe(1);
      expect(await expired()).toEqual(['child', base]);
    });

    it('keeps it while its node is silent if the node of a newer one never returns', async () => {
      await make('newer', 20, onNode(await clusterWithNode(org, 'gpu-2')));
      await silence();
      expect(await run()).toBe(0);
    });
  });

  it("keeps a kept artifact's ancestor behind an expired one, which may be reported ready again", async () => {
    const [base, middle, top] = (await chainOf(org, profile, 3)) as [string, string, string];
    await patch(org, top, { status: 'golden' });
    await patch(org, middle, { status: 'expired' });
    await registered(org, profile);
    await age(service, org, base, 30);
    await save({ max_age_days: 7 });
    expect(await run()).toBe(0);
    await patch(org, middle, { status: 'ready' });
    expect((await artifactOf(org, top)).residency.state).toBe('restorable');
  });

  it('keeps that ancestor for each of its descendants: also for an older one than one that expires', async () => {
    const [base, middle, top] = (await chainOf(org, profile, 3)) as [string, string, string];
    const newer = await registered(org, profile, { parent_artifact_id: middle });
    await patch(org, top, { status: 'golden' });
    await patch(org, middle, { status: 'expired' });
    await registered(org, profile);
    for (const [id, days] of [
      [base, 30],
      [top, 20],
      [newer, 10],
    ] as const)
      await age(service, org, id, days);
    await save({ max_age_days: 7 });
    expect(await run()).toBe(1);
    expect(await standing()).toMatchObject({ [base]: 'ready', [top]: 'golden', [newer]: 'expired' });
  });

  it('keeps the artifact that a worker runs from until the worker has stopped', async () => {
    const { clusterId } = await clusterWithNode(org);
    await make('used', 9);
    await make('newest', 1);
    await save({ max_age_days: 7 });
    const report = (kind: string, second: number, workload_uid: string) =>
      reportEvent(
        org.controller,
        buildEvent(clusterId, profile.profile_id, {
          kind,
          workload_uid,
          artifact_id: 'used',
          occurred_at: new Date(Date.now() - 60_000 + second * 1_000).toISOString(),
        }),
      );
    const uid = newId();
    await report('worker.restoring', 1, uid);
    expect(await run()).toBe(0);
    await report('model.ready', 2, uid);
    expect(await run()).toBe(0);
    expect((await report('worker.stopped', 3, uid)).status).toBe(204);
    expect(await run()).toBe(1);
    expect(await expired()).toEqual(['used']);
  });

  it('does not keep the artifact of a worker that failed', async () => {
    const { clusterId } = await clusterWithNode(org);
    await make('used', 9);
    await make('newest', 1);
    await save({ max_age_days: 7 });
    const workload_uid = newId();
    const at = (second: number) => new Date(Date.now() - 60_000 + second * 1_000).toISOString();
    const event = (kind: string, second: number) =>
      buildEvent(clusterId, profile.profile_id, { kind, workload_uid, artifact_id: 'used', occurred_at: at(second) });
    expect((await reportEvent(org.controller, event('worker.restoring', 1))).status).toBe(204);
    expect(await run()).toBe(0);
    expect((await reportEvent(org.controller, event('worker.failed', 2))).status).toBe(204);
    expect(await run()).toBe(1);
    expect(await expired()).toEqual(['used']);
  });

  it('keeps those with the greater ids of artifacts of the same moment', async () => {
    for (const id of ['b', 'd', 'a', 'c']) await make(id, 9);
    await service.db.query("update artifacts set created_at = now() - interval '9 days' where org_id = $1", [org.id]);
    await save({ max_count: 2 });
    expect(await run()).toBe(2);
    expect((await expired()).sort()).toEqual(['a', 'b']);
  });

  it('applies a policy with either limit, by age or by count', async () => {
    for (const limit of [{ max_age_days: 7 }, { max_count: 1 }]) {
      const one = await service.organisation();
      const its = await profileFor(one);
      for (const [artifact_id, days] of [
        ['old', 9],
        ['newest', 1],
      ] as const) {
        await registered(one, its, { artifact_id });
        await age(service, one, artifact_id, days);
      }
      await save(limit, one);
      await service.sweep('retention');
      expect([limit, (await artifactOf(one, 'old')).status]).toEqual([limit, 'expired']);
      expect([limit, (await artifactOf(one, 'newest')).status]).toEqual([limit, 'ready']);
    }
  });

  it('judges an artifact with a pending promotion by its previous tier', async () => {
    await make('promoted', 9);
    await make('hot', 9, { storage_tier: 'shared' });
    await make('newest', 1);
    await org.operator.post(`${ARTIFACTS}/promoted/promote`, { tier: 'memory' });
    await save({ max_age_days: 7, min_tier: 'object' });
    await run();
    expect(await expired()).toEqual(['promoted']);
  });

  it('applies enabled policies with a limit, in every organisation, thousands of artifacts at a time', async () => {
    const other = await service.organisation();
    const theirs = await profileFor(other);
    for (const [of, its] of [
      [org, profile],
      [other, theirs],
    ] as const) {
      await service.db.query(
        `insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status, metadata, created_at)
         select $1, 'a' || n, $2, $3, 'criu', 'object', 's3://' || n, 'controller', 'ready', '{}', now() - n * interval '1 minute' from generate_series(1, 2500) n`,
        [of.id, its.profile_id, its.compatibility_key],
      );
    }
    await save({ max_count: 10 });
    await save({ max_count: 10, enabled: false }, other);
    await save({ min_tier: 'memory' }, other);
    await service.sweep('retention');
    const { rows } = await service.db.query<{ org_id: string; kept: string }>(
      "select org_id, count(*) as kept from artifacts where status = 'ready' and org_id = any($1) group by org_id",
      [[org.id, other.id]],
    );
    expect(Object.fromEntries(rows.map(({ org_id: id, kept }) => [id, Number(kept)]))).toEqual({
      [org.id]: 10,
      [other.id]: 2_500,
    });
    const runs = await service.db.query<{ expired: string }>(
      'select json_array_length(expired::json) as expired from retention_runs where org_id = $1 order by ran_at',
      [org.id],
    );
    expect(runs.rows.map(({ expired: count }) => Number(count))).toEqual([1_000, 1_000, 490]);
  });

  it('ends when its policy is deleted', async () => {
    await make('old', 9);
    await make('newest', 1);
    const { policy_id } = await save({ max_age_days: 7 });
    await org.operator.delete(`/v1/inference/retention-policies/${policy_id}`);
    expect(await run()).toBe(0);
    await save({ max_age_days: 7, enabled: false });
    expect(await run()).toBe(0);
    expect(await expired()).toEqual([]);
  });
});
