import { DataSource } from 'typeorm';
import { newId } from '../../../../src/1-platform/common/ids';
import { OriginalsOfCopies1795540000000 } from '../../../../src/1-platform/database/migrations/1795540000000-OriginalsOfCopies';
import { TIERS } from '../../../../src/4-serving/artifacts/artifact.states';
import {
  ARTIFACTS,
  artifactOf,
  clusterWithNode,
  fieldsOf,
  onNode,
  patch,
  profileFor,
  registered,
  publishedIds,
  type ProfileOf,
} from '../../../support/artifacts';
import { newer } from '../../../support/builders';
import { Service, type Organisation } from '../../../support/service';
import { syncAll } from '../../../support/workloads';

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

const promote = (id: string, body: object) => org.operator.post(`${ARTIFACTS}/${id}/promote`, body);
const TIME = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);

describe('POST /v1/inference/artifacts/{artifact_id}/promote', () => {
  it.each(TIERS.flatMap((from) => TIERS.map((to) => [from, to] as const)))(
    'accepts only a hotter tier: from %s to %s',
    async (from, to) => {
      const id = await registered(org, profile, { storage_tier: from });
      const answer = await promote(id, { tier: to });
      const hotter = TIERS.indexOf(to) < TIERS.indexOf(from);
      expect(answer.status).toBe(hotter ? 200 : 400);
      if (!hotter) expect(fieldsOf(answer)).toEqual(['tier']);
      const after = await artifactOf(org, id);
      if (hotter) expect(answer.body).toEqual(after);
      expect(after.storage_tier).toBe(hotter ? to : from);
      expect(after.metadata).toEqual(
        hotter ? { promotion: { from, requested_at: TIME, deadline: null, state: 'pending' } } : {},
      );
      expect(await publishedIds(org, 'artifact.promote_requested')).toEqual(hotter ? [id] : []);
    },
  );

  it('judges residency on the previous tier until a controller confirms', async () => {
    const node = await clusterWithNode(org);
    const elsewhere = { ...node, boot: 'another boot' };
    const id = await registered(org, profile, { ...onNode(elsewhere, { kept: 1 }), storage_tier: 'object' });
    const pending = (await promote(id, { tier: 'local', deadline_ms: 600_000 })).body;
    expect(pending).toMatchObject({
      storage_tier: 'local',
      metadata: { kept: 1, promotion: { from: 'object', state: 'pending' } },
      residency: { state: 'restorable', boot_tied: false, reason: expect.stringContaining('object tier') },
    });
    const { requested_at: asked, deadline } = pending.metadata.promotion as Record<string, string>;
    expect(Date.parse(deadline as string) - Date.parse(asked as string)).toBe(600_000);

    const confirmed = await patch(org, id, { promotion: 'confirmed' });
    expect([confirmed.status, confirmed.body]).toMatchObject([
      200,
      {
        storage_tier: 'local',
        metadata: { kept: 1, promotion: { from: 'object', requested_at: asked, deadline, state: 'confirmed' } },
        residency: { state: 'node_rebooted', boot_tied: true },
      },
    ]);
    for (const promotion of ['confirmed', 'failed']) {
      const refused = await patch(org, id, { promotion, status: 'golden' });
      expect([refused.status, refused.body.code]).toEqual([409, 'no_promotion_pending']);
    }
    expect((await artifactOf(org, id)).status).toBe('ready');
  });

  it('lies in the boot of the node that confirms it, whatever boot it was registered in', async () => {
    const node = await clusterWithNode(org);
    const before = { ...node, boot: 'an earlier boot' };
    const id = await registered(org, profile, { ...onNode(before), storage_tier: 'object' });
    await promote(id, { tier: 'local' });
    const place = { node_name: 'gpu-1', node_boot_id: node.boot };
    for (const [body, field] of [
      [place, 'node_name'],
      [{ promotion: 'failed', node_boot_id: node.boot }, 'node_boot_id'],
    ] as const) {
      const refused = await patch(org, id, body);
      expect([refused.status, fieldsOf(refused)]).toEqual([400, [field]]);
    }
    expect((await patch(org, id, { promotion: 'confirmed', ...place })).body.residency).toMatchObject({
      ...{ state: 'restorable', boot_tied: true, node_name: 'gpu-1', artifact_boot_id: node.boot },
      reason: expect.stringContaining('local tier of the node gpu-1'),
    });
  });

  describe('leaves the original where it was, for a confirmation that names the node of the copy, which', () => {
    let node: Awaited<ReturnType<typeof clusterWithNode>>;
    let id: string;
    const place = () => ({ node_name: node.name, node_boot_id: node.boot });
    const residency = async () => (await artifactOf(org, id)).residency;
    const reboot = () =>
      syncAll(org.controller, node.clusterId, [newer(node.node, { status: { nodeInfo: { bootID: newId() } } })]);
    const copied = async (members: Parameters<typeof registered>[2], body: object) => {
      id = await registered(org, profile, members);
      await promote(id, { tier: 'local' });
      return patch(org, id, { promotion: 'confirmed', ...body });
    };

    beforeEach(async () => {
      node = await clusterWithNode(org);
    });

    it('is restored from once its node has rebooted', async () => {
      await copied({ storage_tier: 'object' }, place());
      await reboot();
      expect(await residency()).toMatchObject({
        ...{ state: 'restorable', boot_tied: true, original_tier: 'object', artifact_boot_id: node.boot },
        reason: expect.stringMatching(/on the object tier.* its copy is not there: it lies on the local tier/),
      });
    });

    it('is restored from after a further promotion that failed, or that names no node', async () => {
      await copied({ storage_tier: 'shared' }, place());
      for (const promotion of ['failed', 'confirmed']) {
        await promote(id, { tier: 'memory' });
        expect((await patch(org, id, { promotion })).status).toBe(200);
        await reboot();
        expect((await residency()).reason).toContain('on the shared tier');
      }
    });

    it.each([
      ['was registered on the node', { storage_tier: 'local' }, 'memory', place],
      ['moved, as far as anybody knows', { storage_tier: 'object' }, 'local', () => ({})],
    ])('is none if it %s', async (_case, members, tier, at) => {
      id = await registered(org, profile, { ...onNode(node), ...members });
      await promote(id, { tier });
      await patch(org, id, { promotion: 'confirmed', ...at() });
      await reboot();
      expect(await residency()).toMatchObject({ state: 'node_rebooted', boot_tied: true, original_tier: null });
    });

    it('is copied again once the copy is lost, and not before', async () => {
      await copied({ storage_tier: 'object' }, place());
      expect(await residency()).toMatchObject({ copy_lost: false, original_tier: 'object' });
      expect((await promote(id, { tier: 'local' })).status).toBe(400);
      await reboot();
      expect(await residency()).toMatchObject({ copy_lost: true, original_tier: 'object' });
      const again = await promote(id, { tier: 'local' });
      expect([again.status, again.body.metadata.promotion]).toMatchObject([200, { from: 'object', state: 'pending' }]);
      expect((await promote(id, { tier: 'local' })).status).toBe(400);
      expect(await residency()).toMatchObject({
        ...{ state: 'restorable', boot_tied: false, original_tier: null, copy_lost: false },
      });
      expect((await patch(org, id, { promotion: 'failed' })).body.storage_tier).toBe('object');
      await promote(id, { tier: 'local' });
      await patch(org, id, { promotion: 'confirmed', ...place() });
      expect(await residency()).toMatchObject({ boot_tied: true, original_tier: 'object' });
    });

    it('is not offered to be copied again without its node, during a promotion, or once it is deleted', async () => {
      const lost = async () => (await residency()).copy_lost as boolean;
      await copied({ storage_tier: 'object' }, place());
      await promote(id, { tier: 'memory' });
      await reboot();
      expect(await lost()).toBe(false);
      await patch(org, id, { promotion: 'failed' });
      expect(await lost()).toBe(true);
      await service.db.query('update nodes set deleted = true where org_id = $1 and name = $2', [org.id, node.name]);
      expect(await lost()).toBe(false);
      await service.db.query('update nodes set deleted = false where org_id = $1 and name = $2', [org.id, node.name]);
      expect(await lost()).toBe(true);
      await org.operator.delete(`/v1/inference/artifacts/${id}`);
      expect(await lost()).toBe(false);
    });

    it('is forgotten once the bytes were gone', async () => {
      await copied({ storage_tier: 'object' }, place());
      await patch(org, id, { status: 'expired' });
      await patch(org, id, { status: 'ready' });
      expect(await residency()).toMatchObject({ state: 'restorable', boot_tied: true });
      await reboot();
      expect((await residency()).state).toBe('node_rebooted');
    });

    it.each([
      ['object', 'service:', { state: 'restorable', original_tier: 'object' }],
      [null, 's3://checkpoints/', { state: 'node_rebooted', original_tier: null }],
    ])('is on %s for an older agent, which names no node, at %s', async (_tier, scheme, expected) => {
      id = await registered(org, profile, { uri: `${scheme}${newId()}`, ...onNode(node), storage_tier: 'object' });
      await promote(id, { tier: 'local' });
      await patch(org, id, { promotion: 'confirmed' });
      await reboot();
      expect(await residency()).toMatchObject(expected);
    });

    it('is forgotten for bytes that an older build reports as back', async () => {
      await copied({ uri: `service:${newId()}`, storage_tier: 'object' }, place());
      for (const status of ['expired', 'ready'])
        await service.db.query('update artifacts set status = $3 where org_id = $1 and artifact_id = $2', [
          ...[org.id, id, status],
        ]);
      expect((await residency()).original_tier).toBeNull();
    });

    it.each([
      ['an agent copied it before builds noted that', 'service:', { tier: 'local' }, 'restorable'],
      ['its location is not of the object storage', 's3://checkpoints/', { tier: 'local' }, 'node_rebooted'],
      ['a shared file system has it', 'service:', { tier: 'shared' }, 'restorable'],
    ])('is known from what is there, if %s', async (_case, scheme, { tier }, state) => {
      id = await registered(org, profile, { uri: `${scheme}${newId()}`, ...onNode(node), storage_tier: 'object' });
      await promote(id, { tier });
      await patch(org, id, { promotion: 'confirmed' });
      await service.db.query('update artifacts set original_tier = null where org_id = $1', [org.id]);
      await reboot();
      expect((await residency()).state).toBe(tier === 'local' ? 'node_rebooted' : 'restorable');
      const runner = service.app.get(DataSource).createQueryRunner();
      await new OriginalsOfCopies1795540000000().up(runner);
      await runner.release();
      expect(await residency()).toMatchObject({ state, boot_tied: tier === 'local' });
    });
  });

  it('lies in the known boot if the confirmation is the first one to name the node', async () => {
    const { boot } = await clusterWithNode(org);
    const id = await registered(org, profile, { storage_tier: 'object', metadata: { node_boot_id: boot } });
    await promote(id, { tier: 'local' });
    const confirmed = await patch(org, id, { promotion: 'confirmed', node_name: 'gpu-1' });
    expect(confirmed.body.residency).toMatchObject({ state: 'restorable', artifact_boot_id: boot });
  });

  it('lies in an unknown boot if the known one is of a node of which only the uid is known', async () => {
    const { boot } = await clusterWithNode(org);
    const id = await registered(org, profile, { storage_tier: 'local', metadata: { node_boot_id: boot } });
    await service.db.query('update artifacts set node_uid = gen_random_uuid() where org_id = $1', [org.id]);
    await promote(id, { tier: 'memory' });
    const confirmed = await patch(org, id, { promotion: 'confirmed', node_name: 'gpu-1' });
    expect(confirmed.body.residency).toMatchObject({ state: 'node_unknown', artifact_boot_id: null });
  });

  it('lies in an unknown boot if the confirmation names another node without one, else in the known boot', async () => {
    const node = await clusterWithNode(org);
    await clusterWithNode(org, 'gpu-2');
    for (const [name, expected] of [
      ['gpu-1', { state: 'restorable', artifact_boot_id: node.boot }],
      ['gpu-2', { state: 'node_unknown', artifact_boot_id: null }],
    ] as const) {
      const id = await registered(org, profile, onNode(node));
      await promote(id, { tier: 'memory' });
      const confirmed = await patch(org, id, { promotion: 'confirmed', node_name: name });
      expect(confirmed.body.residency).toMatchObject({ node_name: name, ...expected });
    }
  });

  it('restores the previous tier when a controller reports a failure', async () => {
    const id = await registered(org, profile, { storage_tier: 'shared' });
    expect((await patch(org, id, { promotion: 'failed' })).status).toBe(409);
    await promote(id, { tier: 'memory' });
    const failed = await patch(org, id, { promotion: 'failed', status: 'golden' });
    expect(failed.body).toMatchObject({
      storage_tier: 'shared',
      status: 'golden',
      metadata: { promotion: { from: 'shared', state: 'failed' } },
    });
    // A failed promotion may be requested again.
    expect((await promote(id, { tier: 'local' })).body).toMatchObject({
      storage_tier: 'local',
      metadata: { promotion: { state: 'pending' } },
    });
  });

  it('continues to a hotter tier from where the bytes are', async () => {
    const id = await registered(org, profile);
    await promote(id, { tier: 'shared', deadline_ms: 600_000 });
    expect((await promote(id, { tier: 'shared' })).status).toBe(400);
    expect((await promote(id, { tier: 'memory' })).body).toMatchObject({
      storage_tier: 'memory',
      metadata: { promotion: { from: 'object', deadline: null, state: 'pending' } },
    });
    expect((await patch(org, id, { promotion: 'failed' })).body.storage_tier).toBe('object');
    await promote(id, { tier: 'shared' });
    await patch(org, id, { promotion: 'confirmed' });
    expect((await promote(id, { tier: 'local' })).body.metadata.promotion.from).toBe('shared');
    expect(await publishedIds(org, 'artifact.promote_requested')).toEqual([id, id, id, id]);
  });

  it('ends by a result of its own tier only', async () => {
    const id = await registered(org, profile);
    await promote(id, { tier: 'local' });
    const further = (await promote(id, { tier: 'memory' })).body;
    for (const promotion of ['confirmed', 'failed']) {
      const late = await patch(org, id, { promotion, tier: 'local' });
      expect([late.status, late.body.code, late.body.message]).toEqual([
        409,
        'no_promotion_pending',
        'No promotion of the artifact to local is pending.',
      ]);
    }
    expect(await artifactOf(org, id)).toEqual(further);
    const confirmed = await patch(org, id, { promotion: 'confirmed', tier: 'memory' });
    expect(confirmed.body).toMatchObject({ storage_tier: 'memory', metadata: { promotion: { state: 'confirmed' } } });
    const alone = await patch(org, id, { tier: 'memory' });
    expect([alone.status, fieldsOf(alone)]).toEqual([400, ['tier']]);
  });

  it('fails once its deadline has passed', async () => {
    const metadata = { mine: true };
    const overdue = await registered(org, profile, { metadata });
    const patient = await registered(org, profile);
    const confirmed = await registered(org, profile);
    for (const id of [confirmed, patient]) await promote(id, { tier: 'local', deadline_ms: 600_000 });
    await patch(org, confirmed, { promotion: 'confirmed' });
    const past =
      "update artifacts set promotion_deadline = now() - interval '1 second' where org_id = $1 and artifact_id = $2";
    await service.db.query(past, [org.id, confirmed]);
    await promote(overdue, { tier: 'local', deadline_ms: 1 });
    await service.db.query(past, [org.id, overdue]);
    await service.sweep('promotions');
    expect(await artifactOf(org, overdue)).toMatchObject({
      storage_tier: 'object',
      metadata: { ...metadata, promotion: { from: 'object', state: 'failed' } },
    });
    // It leaves the others alone.
    expect(await artifactOf(org, patient)).toMatchObject({
      storage_tier: 'local',
      metadata: { promotion: { state: 'pending' } },
    });
    expect(await artifactOf(org, confirmed)).toMatchObject({
      storage_tier: 'local',
      metadata: { promotion: { state: 'confirmed' } },
    });
    expect((await patch(org, overdue, { promotion: 'confirmed' })).status).toBe(409);
  });

  it.each(['quarantined', 'expired', 'deleted'])('is refused for a %s artifact', async (status) => {
    const id = await registered(org, profile);
    await (status === 'deleted' ? org.operator.delete(`${ARTIFACTS}/${id}`) : patch(org, id, { status }));
    const answer = await promote(id, { tier: 'local' });
    expect([answer.status, answer.body.code]).toEqual([409, 'artifact_not_usable']);
    expect((await artifactOf(org, id)).storage_tier).toBe('object');
    expect(await publishedIds(org, 'artifact.promote_requested')).toEqual([]);
  });

  it.each([
    [{}, 'tier'],
    [{ tier: null }, 'tier'],
    [{ tier: 'tape' }, 'tier'],
    [{ tier: 'local', deadline_ms: 0 }, 'deadline_ms'],
    [{ tier: 'local', deadline_ms: 1.5 }, 'deadline_ms'],
    [{ tier: 'local', deadline_ms: '60' }, 'deadline_ms'],
    [{ tier: 'local', node: 'x' }, 'node'],
  ])('refuses %j', async (body, field) => {
    const id = await registered(org, profile);
    const answer = await promote(id, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('accepts one of many concurrent requests', async () => {
    const id = await registered(org, profile);
    const answers = await Promise.all(Array.from({ length: 8 }, () => promote(id, { tier: 'local' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(400)]);
    expect(await publishedIds(org, 'artifact.promote_requested')).toEqual([id]);
    expect((await promote('unknown', { tier: 'local' })).status).toBe(404);
  });
});
