import { newId } from '../../../../src/1-platform/common/ids';
import {
  artifactOf,
  chainOf,
  clusterWithNode,
  onNode,
  patch,
  profileFor,
  registered,
  type ProfileOf,
} from '../../../support/artifacts';
import { buildNode, newer } from '../../../support/builders';
import { buildEvent, reportEvent } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';
import { syncAll } from '../../../support/workloads';

let service: Service;
let org: Organisation;
let profile: ProfileOf;
let node: Awaited<ReturnType<typeof clusterWithNode>>;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
  node = await clusterWithNode(org);
});
afterAll(() => service.close());

const residencyOf = async (id: string) => (await artifactOf(org, id)).residency;
const silence = (seconds: number) =>
  service.db.query("update nodes set synced_at = synced_at - $2 * interval '1 second' where org_id = $1", [
    org.id,
    seconds,
  ]);

describe('the residency of an artifact on a node', () => {
  it('follows the state of the node that its cluster reports', async () => {
    const id = await registered(org, profile, onNode(node));
    const shown = await residencyOf(id);
    expect(shown).toEqual({
      state: 'restorable',
      reason: `It is ready on the local tier of the node gpu-1, which is ready and still in boot ${node.boot}.`,
      boot_tied: true,
      original_tier: null,
      copy_lost: false,
      artifact_boot_id: node.boot,
      node_boot_id: node.boot,
      node_name: 'gpu-1',
      node_status: 'Ready',
      node_last_sync: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      flags_verified: null,
    });

    const notReady = newer(node.node, { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    await syncAll(org.controller, node.clusterId, [notReady]);
    expect(await residencyOf(id)).toMatchObject({ state: 'node_not_ready', node_status: 'NotReady' });

    const reboot = newId();
    const rebooted = newer(newer(node.node), { status: { nodeInfo: { bootID: reboot } } });
    await syncAll(org.controller, node.clusterId, [rebooted]);
    const after = await residencyOf(id);
    expect(after).toMatchObject({ state: 'node_rebooted', artifact_boot_id: node.boot, node_boot_id: reboot });
    expect(after.reason).toContain(node.boot);
    expect(after.reason).toContain(reboot);
    // The status repeats the last report.
    expect((await artifactOf(org, id)).status).toBe('ready');
    // An artifact taken in the new boot is there.
    expect((await residencyOf(await registered(org, profile, onNode({ ...node, boot: reboot })))).state).toBe(
      'restorable',
    );
  });

  it('is node_gone after 5 minutes of silence, and back with the next sign of life', async () => {
    const id = await registered(org, profile, { ...onNode(node), storage_tier: 'memory' });
    await silence(240);
    expect((await residencyOf(id)).state).toBe('restorable');
    await silence(61);
    const gone = await residencyOf(id);
    expect(gone).toMatchObject({ state: 'node_gone', node_status: 'Ready' });
    expect(gone.reason).toContain(gone.node_last_sync);
    await syncAll(org.controller, node.clusterId, [newer(node.node)]);
    expect((await residencyOf(id)).state).toBe('restorable');
  });

  it('is node_gone after the cluster reported the node as deleted', async () => {
    const id = await registered(org, profile, onNode(node));
    const deletionTimestamp = '2026-06-01T10:00:00Z';
    await syncAll(org.controller, node.clusterId, [newer(node.node, { metadata: { deletionTimestamp } })]);
    expect((await residencyOf(id)).state).toMatch(/^node_gone$/);
  });

  it('is node_unknown if the node or its boot was never reported', async () => {
    const cases: [object, string][] = [
      [{}, 'its node is not known'],
      [{ node_name: 'gpu-2', node_boot_id: node.boot }, 'gpu-2, which no cluster has reported'],
      [{ node_name: 'gpu-1' }, 'the boot in which it was taken'],
      [{ node_boot_id: node.boot }, 'its node is not known'],
      [{ node_name: 5, node_boot_id: [] }, 'its node is not known'],
    ];
    for (const [metadata, evidence] of cases) {
      const id = await registered(org, profile, { storage_tier: 'local', metadata: { ...metadata } });
      expect(await residencyOf(id)).toMatchObject({ state: 'node_unknown', reason: expect.stringContaining(evidence) });
    }
    const foreign = await service.organisation();
    await clusterWithNode(foreign, 'gpu-2');
    const id = await registered(org, profile, onNode({ name: 'gpu-2', boot: node.boot }));
    expect(await residencyOf(id)).toMatchObject({ state: 'node_unknown', node_status: null, node_last_sync: null });
  });

  it('uses the node of the reported cluster if two clusters have a node of that name', async () => {
    const second = await clusterWithNode(org);
    const of = async (reported: typeof node, cluster_id?: string) =>
      (
        await residencyOf(
          await registered(org, profile, onNode(reported, cluster_id === undefined ? {} : { cluster_id })),
        )
      ).state;
    expect(await of(node, node.clusterId)).toBe('restorable');
    expect(await of(node, second.clusterId)).toBe('node_rebooted');
    expect(await of(second, second.clusterId.toUpperCase())).toBe('restorable');
    // Without a cluster, the node that was synced last.
    expect([await of(second), await of(node)]).toEqual(['restorable', 'node_rebooted']);
  });

  it.each(['shared', 'object'])('survives reboots on the tier %s', async (storage_tier) => {
    const id = await registered(org, profile, { ...onNode({ ...node, boot: 'of old' }), storage_tier });
    await silence(1_000);
    expect(await residencyOf(id)).toMatchObject({
      state: 'restorable',
      boot_tied: false,
      artifact_boot_id: 'of old',
      node_name: 'gpu-1',
    });
  });

  it('is parent_missing if an ancestor lies on a node that has rebooted', async () => {
    const base = await registered(org, profile, onNode(node));
    const middle = await registered(org, profile, { parent_artifact_id: base });
    const top = await registered(org, profile, { parent_artifact_id: middle });
    expect((await residencyOf(top)).state).toBe('restorable');
    await syncAll(org.controller, node.clusterId, [newer(node.node, { status: { nodeInfo: { bootID: newId() } } })]);
    const broken = await residencyOf(top);
    expect(broken).toMatchObject({ state: 'parent_missing', boot_tied: false });
    expect(broken.reason).toContain(base);
    expect(broken.reason).toContain(node.boot);
  });

  it('is not_ready, no_uri or parent_missing before the node is considered', async () => {
    const [parent, child] = (await chainOf(org, profile, 2, onNode({ ...node, boot: 'of old' }))) as [string, string];
    const nowhere = await registered(org, profile, { ...onNode({ ...node, boot: 'of old' }), uri: '' });
    expect((await residencyOf(nowhere)).state).toBe('no_uri');
    expect((await residencyOf(child)).state).toBe('parent_missing');
    await patch(org, child, { status: 'quarantined' });
    expect(await residencyOf(child)).toMatchObject({ state: 'not_ready', reason: 'Its status is quarantined.' });
    expect((await residencyOf(parent)).state).toBe('node_rebooted');
  });
});

describe('engine flags', () => {
  it.each([
    ['are verified if both are equal in any notation', { a: 1, b: [2] }, { b: [2], a: 1 }, true, 'restorable'],
    ['do not match if they differ', ['--a', '--b'], ['--b', '--a'], false, 'flags_changed'],
    ['are not verified if the artifact has none', ['--a'], undefined, null, 'restorable'],
    ['are not verified if the profile has none', undefined, ['--a'], null, 'restorable'],
    ['are not verified if one of them is null', ['--a'], null, null, 'restorable'],
  ])('engine flags %s', async (_case, ofProfile, ofArtifact, verified, state) => {
    const flagged = await profileFor(org, { spec: ofProfile === undefined ? {} : { engine_flags: ofProfile } });
    const metadata = ofArtifact === undefined ? {} : { engine_flags: ofArtifact };
    const shown = await residencyOf(await registered(org, flagged, { metadata }));
    expect(shown).toMatchObject({ state, flags_verified: verified });
    if (state === 'flags_changed')
      for (const flags of [ofProfile, ofArtifact]) expect(shown.reason).toContain(JSON.stringify(flags));
  });
});

describe('the event checkpoint.completed', () => {
  const completed = (members: object = {}) =>
    reportEvent(
      org.controller,
      buildEvent(node.clusterId, profile.profile_id, {
        kind: 'checkpoint.completed',
        artifact_id: 'a1',
        node_uid: node.node.metadata.uid,
        boot_id: node.boot,
        ...members,
      }),
    );
  const PLACED = { state: 'restorable', node_name: 'gpu-1' };

  it('gives the location of an artifact, registered before or after it', async () => {
    expect((await completed()).status).toBe(204);
    await registered(org, profile, { artifact_id: 'a1', storage_tier: 'local' });
    expect(await residencyOf('a1')).toMatchObject(PLACED);
    await registered(org, profile, { artifact_id: 'a2', storage_tier: 'local' });
    expect((await residencyOf('a2')).state).toBe('node_unknown');
    await completed({ artifact_id: 'a2' });
    expect(await residencyOf('a2')).toMatchObject(PLACED);
  });

  it('counts if it is later than the registration, and not if it is earlier', async () => {
    await completed();
    await registered(org, profile, { artifact_id: 'a1', ...onNode({ ...node, boot: 'of the registration' }) });
    expect(await residencyOf('a1')).toMatchObject({ artifact_boot_id: 'of the registration' });
    await completed({ boot_id: 'of the event' });
    expect(await residencyOf('a1')).toMatchObject({ state: 'node_rebooted', artifact_boot_id: 'of the event' });
    // Events of another kind or without a boot change nothing.
    await completed({ kind: 'checkpoint.started', boot_id: 'x' });
    await completed({ boot_id: null });
    expect(await residencyOf('a1')).toMatchObject({ artifact_boot_id: 'of the event' });
  });

  it('means the node of its own cluster if another cluster has a node of that name', async () => {
    const second = await clusterWithNode(org);
    await syncAll(org.controller, second.clusterId, [buildNode('gpu-9')]);
    await completed();
    await registered(org, profile, { artifact_id: 'a1', storage_tier: 'local' });
    expect(await residencyOf('a1')).toMatchObject(PLACED);
  });

  it('may name a node that its cluster reports later', async () => {
    const later = buildNode('gpu-late');
    const bootId = (later.status.nodeInfo as { bootID: string }).bootID;
    await registered(org, profile, { artifact_id: 'a1', ...onNode(node) });
    await completed({ node_uid: later.metadata.uid, boot_id: bootId });
    expect(await residencyOf('a1')).toMatchObject({ state: 'node_unknown', node_name: null });
    await syncAll(org.controller, node.clusterId, [later]);
    expect(await residencyOf('a1')).toMatchObject({ state: 'restorable', node_name: 'gpu-late' });
  });

  it('is ignored for an artifact of another profile', async () => {
    const other = await profileFor(org);
    await registered(org, other, { artifact_id: 'a1', storage_tier: 'local' });
    await completed();
    expect(await residencyOf('a1')).toMatchObject({ state: 'node_unknown', node_name: null });
    await completed({ artifact_id: 'a2' });
    await registered(org, other, { artifact_id: 'a2', storage_tier: 'local' });
    expect(await residencyOf('a2')).toMatchObject({ state: 'node_unknown', node_name: null });
  });

  it('is not lost when it arrives together with the registration', async () => {
    for (let round = 0; round < 60; round++) {
      const artifact_id = `r${round}`;
      const registration = () => registered(org, profile, { artifact_id, storage_tier: 'local' });
      await Promise.all(
        round % 2 ? [registration(), completed({ artifact_id })] : [completed({ artifact_id }), registration()],
      );
      expect([round, await residencyOf(artifact_id)]).toMatchObject([round, PLACED]);
    }
  });
});

describe('the residency of an artifact that could not be restored', () => {
  const TIER = { storage_tier: 'object' };
  const restore = async (kind: 'started' | 'failed' | 'completed', secondsAgo: number, overrides: object = {}) => {
    const event = buildEvent(node.clusterId, profile.profile_id, {
      kind: `restore.${kind}`,
      occurred_at: new Date(Date.now() - secondsAgo * 1_000).toISOString(),
      workload_uid: newId(),
      artifact_id: 'a1',
      ...overrides,
    });
    expect((await reportEvent(org.controller, event)).status).toBe(204);
  };
  const lookedUp = async () => {
    const answer = await org.controller.post('/v1/inference/artifacts/lookup', { profile_id: profile.profile_id });
    return (answer.body as { artifact: { artifact_id: string }; restorable: boolean }[]).map(
      ({ artifact, restorable }) => `${artifact.artifact_id} ${restorable}`,
    );
  };

  it('says why, and another artifact is restored instead', async () => {
    await registered(org, profile, { artifact_id: 'a0', ...TIER });
    await registered(org, profile, { artifact_id: 'a1', ...TIER });
    await restore('failed', 10, {
      payload: { cause: 'file_changed', message: 'The file model.bin has another size.' },
    });
    expect(await residencyOf('a1')).toMatchObject({
      state: 'restore_failed',
      reason: expect.stringMatching(/^The last restore of it failed at .*Z: The file model\.bin has another size\.$/),
    });
    expect(await lookedUp()).toEqual(['a0 true', 'a1 false']);
  });

  it('is restorable again after a restore that succeeded later, in any order of arrival', async () => {
    await registered(org, profile, { artifact_id: 'a1', ...TIER });
    await restore('failed', 30);
    await restore('completed', 40);
    expect(await residencyOf('a1')).toMatchObject({
      state: 'restore_failed',
      reason: expect.stringContaining('The event does not say why.'),
    });
    await restore('completed', 20);
    expect((await residencyOf('a1')).state).toBe('restorable');
  });

  it('stays restorable after a restore that succeeded later, if the failure before it is reported last', async () => {
    await registered(org, profile, { artifact_id: 'a1', ...TIER });
    await restore('completed', 20);
    await restore('failed', 30);
    expect((await residencyOf('a1')).state).toBe('restorable');
    await restore('failed', 10);
    expect((await residencyOf('a1')).state).toBe('restore_failed');
  });

  it('is restorable when a failure and a later success are reported at the same moment', async () => {
    for (let round = 0; round < 40; round++) {
      const artifact_id = `both${round}`;
      await registered(org, profile, { artifact_id, ...TIER });
      const reports = [() => restore('failed', 30, { artifact_id }), () => restore('completed', 20, { artifact_id })];
      await Promise.all((round % 2 ? reports : reports.reverse()).map((report) => report()));
      expect([round, (await residencyOf(artifact_id)).state]).toEqual([round, 'restorable']);
    }
  });

  it('stays restorable if a worker was restored since, and the failure is reported late', async () => {
    await registered(org, profile, { artifact_id: 'a1', ...TIER });
    const workload_uid = newId();
    await restore('started', 22, { workload_uid });
    await restore('completed', 21, { workload_uid });
    const ready = buildEvent(node.clusterId, profile.profile_id, {
      ...{ kind: 'model.ready', workload_uid, occurred_at: new Date(Date.now() - 20_000).toISOString() },
    });
    expect((await reportEvent(org.controller, ready)).status).toBe(204);
    await restore('failed', 30);
    expect((await residencyOf('a1')).state).toBe('restorable');
    await restore('failed', 10);
    expect((await residencyOf('a1')).state).toBe('restore_failed');
  });

  it('is restorable again when an operator says so, or after an hour', async () => {
    await registered(org, profile, { artifact_id: 'a1', ...TIER });
    await restore('failed', 10);
    expect((await org.controller.patch('/v1/inference/artifacts/a1', { status: 'ready' })).status).toBe(200);
    expect((await residencyOf('a1')).state).toBe('restore_failed');
    expect((await org.operator.patch('/v1/inference/artifacts/a1', { status: 'ready' })).status).toBe(200);
    expect((await residencyOf('a1')).state).toBe('restorable');

    await restore('failed', 3_590);
    expect((await residencyOf('a1')).state).toBe('restore_failed');
    await service.db.query(
      "update artifacts set restore_failed_at = restore_failed_at - interval '11 seconds' where org_id = $1",
      [org.id],
    );
    expect((await residencyOf('a1')).state).toBe('restorable');
  });
});
