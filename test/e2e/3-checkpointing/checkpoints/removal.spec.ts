import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  takeUp,
  type RunningPod,
} from '../../../support/workloads';

const DUMP = { freezing_time: 100, frozen_time: 900, pages_written: 1_000, pages_skipped_parent: 500 };

describe('the removal of the bytes of checkpoints', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId);
  });
  afterAll(() => service.close());

  const checkpoint = async (id: string) => (await org.viewer.get(`/v1/checkpoints?ids=${id}`)).body[0];
  const confirm = (id: string, caller = org.controller) => caller.put(`/v1/checkpoints/removed/${id}`);
  const awaiting = async (query = '') =>
    (ok(await org.viewer.get(`/v1/checkpoints?awaiting_removal=true${query}`)).body as { id: string }[]).map(
      ({ id }) => id,
    );
  const deprecate = (id: string) => org.operator.patch(`/v1/checkpoints/deprecate/${id}`);

  /** A checkpoint that was taken up, of an action of its own. */
  const taken = async (): Promise<string> => takeUp(org, await askCheckpoint(org, pod.uid));
  const ready = async (): Promise<string> => {
    const id = await taken();
    ok(await putUploaded(org, id, `/checkpoints/${id}`));
    return id;
  };
  const deprecated = async (): Promise<string> => {
    const id = await ready();
    ok(await deprecate(id));
    return id;
  };

  it('is noted once it is confirmed, and the first time stands', async () => {
    const id = await deprecated();
    const before = await checkpoint(id);
    expect(before.bytes_removed_at).toBeNull();
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(id)));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [204, '']));
    const after = await checkpoint(id);
    expect(after).toEqual({ ...before, bytes_removed_at: expect.any(String) as unknown });
    expect((await confirm(id, org.admin)).status).toBe(204);
    expect(await checkpoint(id)).toEqual(after);
  });

  it('cannot be confirmed for a checkpoint that is not deprecated, also not in the database itself', async () => {
    const [open, known, whole] = [await taken(), await taken(), await ready()];
    ok(await putInfo(org, known, DUMP));
    for (const [id, status] of [
      [open, 'initializing'],
      [known, 'updated_info'],
      [whole, 'ready'],
    ] as const) {
      const before = await checkpoint(id);
      const answer = await confirm(id);
      expect(answer).toMatchObject({ status: 409, body: { code: 'checkpoint_state_conflict' } });
      expect(answer.body.detail).toContain(status);
      expect(await checkpoint(id)).toEqual(before);
      await expect(
        service.db.query('update checkpoints set bytes_removed_at = now() where id = $1', [id]),
      ).rejects.toThrow('checkpoints_removed_check');
    }
  });

  it('can be confirmed for one that failed, whose bytes were removed too', async () => {
    const id = await taken();
    ok(await putInfo(org, id, DUMP, { error: 'it broke' }));
    expect((await confirm(id)).status).toBe(204);
    expect((await checkpoint(id)).bytes_removed_at).not.toBeNull();
  });

  it('leaves one entry in the audit trail that says who and when, however often it is repeated', async () => {
    const id = await deprecated();
    await Promise.all(Array.from({ length: 4 }, () => confirm(id)));
    await confirm(id);
    const { rows } = await service.db.query<{ details: unknown; actor_role: string }>(
      "select details, actor_role from audit_entries where resource_id = $1 and action = 'confirm_checkpoint_removal'",
      [id],
    );
    expect(rows).toMatchObject([
      { actor_role: 'controller', details: { bytes_removed_at: (await checkpoint(id)).bytes_removed_at } },
    ]);
  });

  it('is no matter of operators, of other organisations, or of unknown checkpoints', async () => {
    const id = await deprecated();
    expect((await confirm(id, org.operator)).status).toBe(403);
    for (const [caller, of] of [
      [other.controller, id],
      [org.controller, newId()],
    ] as const)
      expect(await confirm(of, caller)).toMatchObject({ status: 404, body: { code: 'checkpoint_not_found' } });
    expect(await confirm('not-an-id')).toMatchObject({ status: 400, body: { errors: [{ field: 'id' }] } });
    expect((await checkpoint(id)).bytes_removed_at).toBeNull();
  });

  it('is awaited of deprecated checkpoints that were uploaded, until it is confirmed', async () => {
    const second = await buildCluster(org);
    const elsewhere = await buildPod(org, second);
    const failed = await taken();
    ok(await putInfo(org, failed, DUMP, { error: 'it broke' }));
    const stays = await ready();
    const gone = [await deprecated(), await deprecated()];
    const one = await takeUp(org, await askCheckpoint(org, elsewhere.uid));
    ok(await putUploaded(org, one, '/elsewhere'));
    ok(await deprecate(one));
    const found = await awaiting();
    expect(found).toEqual(expect.arrayContaining([...gone, one]));
    expect(found).not.toEqual(expect.arrayContaining([failed]));
    expect(found).not.toEqual(expect.arrayContaining([stays]));
    expect(await awaiting(`&cluster_id=${second}`)).toEqual([one]);
    expect(await awaiting(`&ids=${gone[0]},${stays}`)).toEqual([gone[0]]);
    expect(await awaiting(`&cluster_id=${clusterId}&limit=1`)).toEqual([gone[1]]);
    await confirm(one);
    expect(await awaiting(`&cluster_id=${second}`)).toEqual([]);
    expect((await org.viewer.get('/v1/checkpoints?cluster_id=none')).status).toBe(400);
    const listed = (await org.viewer.get(`/v1/checkpoints?cluster_id=${second}`)).body as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([one]);
  });
});
