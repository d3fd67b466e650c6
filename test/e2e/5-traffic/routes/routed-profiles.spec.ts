import { newId } from '../../../../src/1-platform/common/ids';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import {
  readRoutedProfiles,
  type RoutedProfileRow,
} from '../../../../src/5-traffic/routes/choice/routing-tables.queries';
import { measured } from '../../../support/chat';
import { buildModel } from '../../../support/inference';
import { buildArtifact, createProfile, reportPhase } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

/** What a replica reads of the profiles between which it chooses. */
describe('the profiles of the routes', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    [profileId = ''] = (await buildModel(org)).profileIds;
  });
  afterAll(() => service.close());

  const rows = (): Promise<RoutedProfileRow[]> => readRoutedProfiles(service.app.get(StatementPool), org.id);
  const row = async (): Promise<RoutedProfileRow | undefined> => (await rows())[0];

  /** A worker that serves since then, with a pod of its own. */
  async function serving(secondsAgo: number): Promise<string> {
    const id = newId();
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, pod_uid)
       select $1, $2, $3, 0, at, true, at + interval '10 seconds', gen_random_uuid()
       from (select clock_timestamp() - make_interval(secs => $4) as at) ago`,
      [org.id, id, profileId, secondsAgo],
    );
    return id;
  }
  const credit = (startId: string): Promise<unknown> =>
    service.db.query("insert into start_credits (org_id, start_id, request_id) values ($1, $2, 'first')", [
      org.id,
      startId,
    ]);

  it('have one row each, and profiles that no route names have none', async () => {
    await createProfile(org);
    const { profileIds } = await buildModel(org, [{}, {}]);
    expect((await rows()).map(({ profile_id: id }) => id).toSorted()).toEqual([profileId, ...profileIds].toSorted());
  });

  it('have one row each however many starts they have, with that of the activation', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    await measured(service, org, profileId, 'restore', 1_000);
    const others = [await serving(600), await serving(300)];
    const found = await rows();
    expect(found).toHaveLength(1);
    expect(found[0]?.start_id).not.toBeNull();
    expect(others).not.toContain(found[0]?.start_id);
    expect(found[0]).toMatchObject({ phase: 'Ready', start_kind: 'cold', start_ready: true, start_failed: false });
    expect(found[0]?.start_took_ms).toBeNull();
  });

  it('say whether the start of the activation and those of their workers are credited to a request', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    const [credited, other] = [await serving(600), await serving(300)];
    await credit(credited);
    const started = await row();
    expect(started?.start_credited).toBe(false);
    expect(started?.starts.map(({ id, credited: is }) => [id, is])).toEqual([
      [other, false],
      [credited, true],
    ]);
    await credit(started?.start_id ?? '');
    expect((await row())?.start_credited).toBe(true);
  });

  it('have the median of the 50 newest starts of either kind', async () => {
    expect(await row()).toMatchObject({ cold_median_ms: null, restore_median_ms: null });
    await measured(service, org, profileId, 'cold', ...Array<number>(60).fill(9_000));
    // Several may begin in the same millisecond.
    await service.db.query(
      "update starts set began_at = began_at - interval '1 day', ready_at = ready_at - interval '1 day'",
    );
    await measured(service, org, profileId, 'cold', ...Array.from({ length: 50 }, (_, n) => (n + 1) * 100));
    await measured(service, org, profileId, 'restore', 300, 100, 200);
    expect(await row()).toMatchObject({ cold_median_ms: 2_500, restore_median_ms: 200 });
  });

  it('know whether an artifact of theirs can be restored', async () => {
    const other = await createProfile(org);
    await org.admin.post('/v1/inference/artifacts', buildArtifact(other, `a-${newId()}`));
    expect((await row())?.has_artifact).toBe(false);
    const own = (await org.viewer.get(`/v1/inference/profiles/${profileId}`)).body;
    const made = await org.admin.post('/v1/inference/artifacts', buildArtifact(own, `a-${newId()}`));
    expect([made.status, made.body.status]).toEqual([201, 'ready']);
    expect((await row())?.has_artifact).toBe(true);
  });
});
