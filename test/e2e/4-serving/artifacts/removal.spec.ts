import { ARTIFACT_STATUSES } from '../../../../src/4-serving/artifacts/artifact.states';
import { newId } from '../../../../src/1-platform/common/ids';
import {
  ARTIFACTS,
  artifactOf,
  idsOf,
  patch,
  profileFor,
  registered,
  type ProfileOf,
} from '../../../support/artifacts';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';

const CLUSTER = newId();

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

const confirm = (id: string, caller = org.controller) => caller.put(`${ARTIFACTS}/${id}/removed`);
const removedAt = async (id: string) => (await artifactOf(org, id)).bytes_removed_at as string | null;
const awaiting = async (query = '') =>
  idsOf(ok(await org.viewer.get(`${ARTIFACTS}?awaiting_removal=true${query}`)).body).sort();

/** @returns the id of an artifact with a status */
async function of(status: string, members: object = {}): Promise<string> {
  const id = await registered(org, profile, { ...members });
  ok(status === 'deleted' ? await org.operator.delete(`${ARTIFACTS}/${id}`) : await patch(org, id, { status }));
  return id;
}

describe('PUT /v1/inference/artifacts/{artifact_id}/removed', () => {
  it.each(ARTIFACT_STATUSES)('notes the removal of the bytes of an artifact only if it is gone: %s', async (status) => {
    const id = await of(status);
    const before = await artifactOf(org, id);
    expect(before.bytes_removed_at).toBeNull();
    const answer = await confirm(id);
    const after = await artifactOf(org, id);
    if (status === 'deleted' || status === 'expired') {
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(after.bytes_removed_at > before.updated_at).toBe(true);
      expect(after).toEqual({ ...before, bytes_removed_at: after.bytes_removed_at, updated_at: after.updated_at });
    } else {
      expect([answer.status, answer.body.code]).toEqual([409, 'artifact_not_gone']);
      expect(answer.body.detail).toContain(status);
      expect(after).toEqual(before);
    }
  });

  it('changes nothing when it is repeated, by whomever and however often at once', async () => {
    const id = await of('deleted');
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(id)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    const first = await artifactOf(org, id);
    expect((await confirm(id, org.admin)).status).toBe(204);
    expect(await artifactOf(org, id)).toEqual(first);
  });

  it('is taken back when a controller reports the bytes as ready again, and is needed anew when they expire', async () => {
    const id = await of('expired');
    await confirm(id);
    expect(await removedAt(id)).not.toBeNull();
    ok(await org.controller.patch(`${ARTIFACTS}/${id}`, { status: 'ready' }));
    expect(await removedAt(id)).toBeNull();
    expect((await confirm(id)).body.code).toBe('artifact_not_gone');
    await patch(org, id, { status: 'expired' });
    expect([await removedAt(id), await awaiting()]).toEqual([null, [id]]);
  });

  it('stays when an expired artifact is deleted', async () => {
    const id = await of('expired');
    await confirm(id);
    const before = await removedAt(id);
    ok(await org.operator.delete(`${ARTIFACTS}/${id}`));
    expect(await removedAt(id)).toBe(before);
  });

  it('never counts for an artifact that becomes ready at the same moment', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await of('expired');
      const [confirmed] = await Promise.all([
        confirm(id),
        org.controller.patch(`${ARTIFACTS}/${id}`, { status: 'ready' }),
      ]);
      expect([204, 409]).toContain(confirmed.status);
      expect(await artifactOf(org, id)).toMatchObject({ status: 'ready', bytes_removed_at: null });
    }
  });

  it('is refused by the database itself for an artifact that is not gone', async () => {
    const id = await registered(org, profile);
    await expect(
      service.db.query('update artifacts set bytes_removed_at = now() where artifact_id = $1', [id]),
    ).rejects.toThrow('artifacts_removed_check');
  });

  it('is taken back by the database itself when a build that does not know it reports the bytes as ready', async () => {
    const id = await of('expired');
    await confirm(id);
    await service.db.query("update artifacts set status = 'ready' where artifact_id = $1", [id]);
    expect(await artifactOf(org, id)).toMatchObject({ status: 'ready', bytes_removed_at: null });
  });

  it('leaves one entry in the audit trail, however often it is repeated, also at once', async () => {
    const id = await of('deleted');
    await Promise.all(Array.from({ length: 4 }, () => confirm(id)));
    await confirm(id);
    const { body } = ok(await org.operator.get('/v1/audit?resource=artifact'));
    const entries = (body as { action: string; resource_id: string; details: object }[]).filter(
      ({ action }) => action === 'confirm_artifact_removal',
    );
    expect(entries.map(({ resource_id: of }) => of)).toEqual([id]);
    expect(entries[0]?.details).toEqual({ bytes_removed_at: await removedAt(id) });
  });

  it('answers 403 to operators, and 404 for what is unknown or of another organisation', async () => {
    const id = await of('deleted');
    expect((await confirm(id, org.operator)).status).toBe(403);
    const other = await service.organisation();
    for (const [caller, artifact] of [
      [org.controller, 'unknown'],
      [other.controller, id],
    ] as const)
      expect(await confirm(artifact, caller)).toMatchObject({ status: 404, body: { code: 'artifact_not_found' } });
    expect(await removedAt(id)).toBeNull();
  });
});

describe('GET /v1/inference/artifacts?awaiting_removal=true', () => {
  it('lists what is gone and not confirmed, also of one cluster, page by page', async () => {
    await registered(org, profile);
    await of('quarantined');
    const held = { metadata: { cluster_id: CLUSTER } };
    const expired = await of('expired', held);
    const own = [await of('deleted', held), expired];
    const placed = await of('deleted', { metadata: { cluster_id: CLUSTER, node_name: 'gpu-1' } });
    const others = await of('deleted', { metadata: { cluster_id: newId() } });
    await confirm(await of('deleted', held));
    expect(await awaiting()).toEqual([...own, placed, others].sort());
    expect(await awaiting(`&cluster_id=${CLUSTER}`)).toEqual([...own, placed].sort());
    expect(await awaiting('&status=expired')).toEqual([expired]);
    const pages = await Promise.all(
      [0, 1, 2].map((offset) => awaiting(`&cluster_id=${CLUSTER}&limit=1&offset=${offset}`)),
    );
    expect(pages.flat().sort()).toEqual([...own, placed].sort());
    for (const id of [...own, placed]) await confirm(id);
    expect(await awaiting()).toEqual([others]);
  });

  it('is a filter of artifacts by cluster without it, and of nothing when false', async () => {
    const id = await registered(org, profile, { metadata: { cluster_id: CLUSTER } });
    const other = await registered(org, profile);
    const listed = async (query: string) => idsOf(ok(await org.viewer.get(`${ARTIFACTS}?${query}`)).body).sort();
    expect(await listed(`cluster_id=${CLUSTER}`)).toEqual([id]);
    expect(await listed('awaiting_removal=false')).toEqual([id, other].sort());
    expect((await org.viewer.get(`${ARTIFACTS}?cluster_id=none`)).status).toBe(400);
  });
});
