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

const DAY_MS = 86_400_000;

interface Forgotten {
  readonly id: string;
  readonly cluster_id: string | null;
  readonly restore_path: string | null;
  readonly forgotten_at: string;
  readonly removable_at: string;
  readonly removable: boolean;
}

describe('checkpoints that the service has forgotten', () => {
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

  const forgotten = async (query = '', { viewer } = org) =>
    ok(await viewer.get(`/v1/checkpoints/forgotten${query}`)).body as Forgotten[];
  const confirm = (id: string, { controller } = org) => controller.put(`/v1/checkpoints/removed/${id}`);
  const deleteCluster = async () => ok(await org.operator.delete(`/v1/cluster/${clusterId}`));
  const taken = async (): Promise<string> => takeUp(org, await askCheckpoint(org, pod.uid));
  const ready = async (): Promise<string> => {
    const id = await taken();
    ok(await putUploaded(org, id, `/checkpoints/${id}`));
    return id;
  };
  const deprecate = async (id: string) => ok(await org.operator.patch(`/v1/checkpoints/deprecate/${id}`));

  it('are those that went with their cluster, unless their bytes are known to be gone or never were', async () => {
    const [whole, deprecated, gone, failed, open] = [
      await ready(),
      await ready(),
      await ready(),
      await taken(),
      await taken(),
    ];
    await deprecate(deprecated);
    await deprecate(gone);
    await confirm(gone);
    ok(await putInfo(org, failed, undefined, { error: 'it broke' }));
    // Nobody has taken it up.
    await askCheckpoint(org, pod.uid);
    expect(await forgotten()).toEqual([]);
    await deleteCluster();
    const found = await forgotten();
    expect(found.map(({ id }) => id).sort()).toEqual([whole, deprecated, failed, open].sort());
    const one = found.find(({ id }) => id === whole);
    expect(one).toMatchObject({ cluster_id: clusterId, restore_path: `/checkpoints/${whole}`, removable: false });
    expect(Date.parse(one!.removable_at) - Date.parse(one!.forgotten_at)).toBe(7 * DAY_MS);
    expect(found.find(({ id }) => id === open)).toMatchObject({ restore_path: null });
  });

  it('may be removed after as many days as the service is set to', async () => {
    const patient = await Service.start({ forgottenGraceDays: 30 });
    try {
      org = await patient.organisation();
      clusterId = await buildCluster(org);
      pod = await buildPod(org, clusterId);
      const id = await ready();
      await deleteCluster();
      for (const [days, removable] of [
        [29, false],
        [1, true],
      ] as const) {
        const earlier = 'update forgotten_checkpoints set forgotten_at = forgotten_at - make_interval(days => $1)';
        await patient.db.query(earlier, [days]);
        expect(await forgotten()).toMatchObject([{ id, removable }]);
      }
    } finally {
      await patient.close();
    }
  });

  it('may be removed seven days later, and leave the list once that is confirmed', async () => {
    const [one, other] = [await ready(), await ready()];
    await deleteCluster();
    await service.db.query(
      "update forgotten_checkpoints set forgotten_at = forgotten_at - interval '7 days' where id = $1",
      [one],
    );
    const removable = Object.fromEntries((await forgotten()).map(({ id, removable: may }) => [id, may]));
    expect(removable).toEqual({ [one]: true, [other]: false });
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 7 }, () => 404)]);
    expect((await forgotten()).map(({ id }) => id)).toEqual([other]);
    const { rows } = await service.db.query(
      "select details from audit_entries where resource_id = $1 and action = 'confirm_checkpoint_removal'",
      [one],
    );
    expect(rows).toEqual([{ details: { forgotten: true } }]);
  });

  it('are listed by their ids, page by page, and only to their organisation', async () => {
    const ids = [await ready(), await ready(), await ready()];
    await deleteCluster();
    expect((await forgotten(`?ids=${ids[0]},${newId()}`)).map(({ id }) => id)).toEqual([ids[0]]);
    const pages = await Promise.all([0, 1, 2].map((offset) => forgotten(`?limit=1&offset=${offset}`)));
    expect(
      pages
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
    expect((await org.viewer.get('/v1/checkpoints/forgotten?ids=none')).status).toBe(400);
    const other = await service.organisation();
    expect(await forgotten(`?ids=${ids.join(',')}`, other)).toEqual([]);
    expect((await confirm(ids[0]!, other)).status).toBe(404);
    expect(await forgotten()).toHaveLength(3);
  });

  it('are noted with one call for all that a statement deletes', async () => {
    const ids = [await ready(), await ready(), await ready()];
    const { rows } = await service.db.query(
      "select action_orientation from information_schema.triggers where trigger_name = 'checkpoint_forgotten'",
    );
    expect(rows).toEqual([{ action_orientation: 'STATEMENT' }]);
    await service.db.query('delete from checkpoints where id = any($1)', [ids]);
    expect((await forgotten()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  it('are not those whose row somebody has brought back', async () => {
    const id = await ready();
    await service.db.query('insert into forgotten_checkpoints (org_id, id) values ($1, $2)', [org.id, id]);
    expect(await forgotten()).toEqual([]);
    expect((await confirm(id)).body.code).toBe('checkpoint_state_conflict');
  });
});
