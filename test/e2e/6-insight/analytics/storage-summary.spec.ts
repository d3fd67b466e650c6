import { TIERS, type Tier } from '../../../../src/4-serving/artifacts/artifact.states';
import { ARTIFACTS, patch, profileFor, registered, type ProfileOf } from '../../../support/artifacts';
import { ask, asked, expectUnauthenticated } from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';

const PATH = 'storage/summary';

interface TierOfTests {
  tier: Tier;
  artifacts: number;
  bytes: number;
  residency_hours: number;
  transfers: number;
}

describe('GET /v1/inference/storage/summary', () => {
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

  const summary = async (of = org) =>
    (await asked(of.viewer, PATH)) as { tiers: TierOfTests[]; total_artifacts: number; total_bytes: number };
  const tier = async (name: Tier) => (await summary()).tiers.find(({ tier: one }) => one === name) as TierOfTests;
  /** Artifacts, bytes and transfers of the tiers that have any. */
  const lying = async () =>
    Object.fromEntries(
      (await summary()).tiers
        .map(({ tier: name, artifacts, bytes, transfers }) => [name, [artifacts, bytes, transfers]] as const)
        .filter(([, figures]) => figures.some((figure) => figure > 0)),
    );
  const make = (storage_tier: Tier, physical_bytes: number) =>
    registered(org, profile, { storage_tier, physical_bytes });
  const promote = async (id: string, to: Tier) =>
    expect((await org.operator.post(`${ARTIFACTS}/${id}/promote`, { tier: to })).status).toBe(200);
  const settle = async (id: string, promotion: 'confirmed' | 'failed') =>
    expect((await patch(org, id, { promotion })).status).toBe(200);
  const change = async (id: string, status: string) => expect((await patch(org, id, { status })).status).toBe(200);
  const remove = async (id: string) => expect((await org.operator.delete(`${ARTIFACTS}/${id}`)).status).toBe(200);
  /** As if everything known of an artifact had been this many hours earlier. */
  const ago = (id: string, hours: number) =>
    service.db.query(
      `update artifact_stays set since = since - $3 * interval '1 hour', until = until - $3 * interval '1 hour'
       where org_id = $1 and artifact_id = $2`,
      [org.id, id, hours],
    );

  const NOTHING = TIERS.map((name) => ({ tier: name, artifacts: 0, bytes: 0, residency_hours: 0, transfers: 0 }));

  it('shows every tier, from hot to cold, if nothing is stored', async () => {
    expect(TIERS).toEqual(['memory', 'local', 'shared', 'object']);
    expect(await summary()).toEqual({ tiers: NOTHING, total_artifacts: 0, total_bytes: 0 });
  });

  it('counts artifacts and adds up their bytes: physical, else logical, else zero', async () => {
    await registered(org, profile, { storage_tier: 'local', logical_bytes: 1_000, physical_bytes: 10 });
    await registered(org, profile, { storage_tier: 'local', logical_bytes: 500 });
    await registered(org, profile, { storage_tier: 'local' });
    await registered(org, profile, { storage_tier: 'memory', logical_bytes: 7, physical_bytes: 0 });
    await registered(org, profile, { physical_bytes: 3 });
    await registered(org, await profileFor(org), { physical_bytes: 4 });
    expect(await lying()).toEqual({ memory: [1, 0, 0], local: [3, 10 + 500, 0], object: [2, 3 + 4, 0] });
    expect(await summary()).toMatchObject({ total_artifacts: 1 + 3 + 2, total_bytes: 0 + 510 + 7 });
  });

  it('keeps the bytes of a promotion on the old tier until it is confirmed', async () => {
    const id = await make('object', 100);
    await promote(id, 'local');
    expect(await lying()).toEqual({ object: [1, 100, 0] });
    await settle(id, 'confirmed');
    expect(await lying()).toEqual({ local: [1, 100, 1] });
    await promote(id, 'memory');
    expect(await lying()).toEqual({ local: [1, 100, 1] });
    await settle(id, 'confirmed');
    expect(await lying()).toEqual({ memory: [1, 100, 1], local: [0, 0, 1] });
    expect(await summary()).toMatchObject({ total_artifacts: 1, total_bytes: 100 });
  });

  it('counts no transfer for a promotion that failed, or whose target changed', async () => {
    const failed = await make('shared', 1);
    await promote(failed, 'memory');
    await settle(failed, 'failed');
    const retried = await make('shared', 10);
    await promote(retried, 'local');
    await settle(retried, 'failed');
    await promote(retried, 'local');
    await settle(retried, 'confirmed');
    const further = await make('object', 100);
    await promote(further, 'shared');
    await promote(further, 'memory');
    expect(await lying()).toEqual({ shared: [1, 1, 0], local: [1, 10, 1], object: [1, 100, 0] });
    await settle(further, 'confirmed');
    expect(await lying()).toEqual({ memory: [1, 100, 1], shared: [1, 1, 0], local: [1, 10, 1] });
  });

  it('keeps only the place and duration of deleted and expired artifacts', async () => {
    const [deleted, expired, pending, quarantined] = await Promise.all(
      [1, 10, 100, 1_000].map((bytes) => make('shared', bytes)),
    );
    await remove(deleted as string);
    await change(expired as string, 'expired');
    await promote(pending as string, 'local');
    await remove(pending as string);
    await change(quarantined as string, 'quarantined');
    expect(await lying()).toEqual({ shared: [1, 1_000, 0] });
    expect(await summary()).toMatchObject({ total_artifacts: 1, total_bytes: 1_000 });
  });

  it('treats an expired artifact that is ready again as stored again, without a transfer', async () => {
    const id = await make('local', 5);
    await change(id, 'expired');
    expect(await lying()).toEqual({});
    await change(id, 'ready');
    expect(await lying()).toEqual({ local: [1, 5, 0] });
    await change(id, 'golden');
    expect(await lying()).toEqual({ local: [1, 5, 0] });
  });

  describe('hours of residency', () => {
    /** Tests take a while: the artifacts are stored for as long. */
    const expectHours = async (name: Tier, hours: number, artifacts = 1) => {
      const { residency_hours: found } = await tier(name);
      expect(found).toBeGreaterThanOrEqual(hours);
      expect(found).toBeLessThan(hours + (artifacts * 60) / 3_600);
    };

    it('count until now for every artifact', async () => {
      await ago(await make('local', 1), 5);
      await ago(await make('local', 1), 0.5);
      await make('local', 1);
      await expectHours('local', 5 + 0.5, 3);
      expect(await tier('shared')).toMatchObject({ residency_hours: 0 });
    });

    it('count for each tier separately', async () => {
      const id = await make('object', 1);
      await ago(id, 10);
      await promote(id, 'local');
      await ago(id, 20);
      // While the promotion is pending, it lies where it was.
      await expectHours('object', 30);
      await settle(id, 'confirmed');
      await expectHours('object', 30);
      await ago(id, 3);
      await expectHours('object', 30);
      await expectHours('local', 3);
      await promote(id, 'memory');
      await settle(id, 'failed');
      await expectHours('local', 3);
      expect(await tier('memory')).toMatchObject({ artifacts: 0, residency_hours: 0, transfers: 0 });
    });

    it('end with deletion or expiry, and stay in the sum', async () => {
      for (const end of [remove, (id: string) => change(id, 'expired')]) {
        const id = await make('memory', 1);
        await ago(id, 4);
        await end(id);
        await ago(id, 1_000);
      }
      await expectHours('memory', 4 + 4, 2);
      expect(await tier('memory')).toMatchObject({ artifacts: 0, bytes: 0 });
      const { residency_hours: before } = await tier('memory');
      // Nothing is stored any more.
      expect((await tier('memory')).residency_hours).toBe(before);
    });

    it('continue when the artifact is ready again, without the time between', async () => {
      const id = await make('shared', 1);
      await ago(id, 2);
      await change(id, 'expired');
      await ago(id, 100);
      await change(id, 'ready');
      await ago(id, 1);
      await expectHours('shared', 2 + 1, 2);
    });
  });

  it('has every digit of its sums', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const name of ['memory', 'memory', 'object'] as const) await make(name, most);
    const { text } = await ask(org.viewer, PATH);
    expect(text).toContain(`"bytes":${(BigInt(most) * 2n).toString()},`);
    expect(text).toMatch(new RegExp(`"total_bytes":${(BigInt(most) * 3n).toString()}[,}]`));
  });

  it('needs a token', () => expectUnauthenticated(service, PATH));

  it('shows nothing of another organisation', async () => {
    const id = await make('object', 5);
    await promote(id, 'local');
    await settle(id, 'confirmed');
    const stranger = await service.organisation();
    expect(await summary(stranger)).toEqual({ tiers: NOTHING, total_artifacts: 0, total_bytes: 0 });
    // Of the same name, too.
    await registered(stranger, await profileFor(stranger), {
      artifact_id: id,
      storage_tier: 'shared',
      physical_bytes: 7,
    });
    expect(await summary(stranger)).toMatchObject({ total_artifacts: 1, total_bytes: 7 });
    expect(await lying()).toEqual({ local: [1, 5, 1] });
  });
});
