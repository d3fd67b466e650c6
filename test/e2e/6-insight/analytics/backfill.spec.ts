import { ARTIFACTS, patch, profileFor, registered } from '../../../support/artifacts';
import { migrateAgain } from '../../../support/migrations';
import { setState } from '../../../support/profiles';
import { asked, databaseNow } from '../../../support/reports';
import { Service } from '../../../support/service';
import { historyOf } from '../../../support/usage-history';
import { writeRequests } from '../../../support/usage-records';
import { keptSums, sumsOf } from '../../../support/usage-sums';
import { DAY } from '../../../support/durations';

const MIGRATION = 'Insight1795470000000';

describe('data from before the rollups existed', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  it('is added up when the tables are created', async () => {
    const now = await databaseNow(service);
    const org = await service.organisation();
    const stranger = await service.organisation();
    // The intended target was not recorded then.
    const [requests, theirs] = [51, 52].map((seed) =>
      historyOf(seed, 300, [now - 3 * DAY, now]).map((one) => ({ ...one, meant_for_profile_id: null })),
    );
    await writeRequests(service.db, org, ...(requests ?? []));
    await writeRequests(service.db, stranger, ...(theirs ?? []));

    const profile = await profileFor(org);
    const make = (members = {}) => registered(org, profile, { storage_tier: 'shared', physical_bytes: 1, ...members });
    const promote = (id: string) => org.operator.post(`${ARTIFACTS}/${id}/promote`, { tier: 'memory' });
    const [stays, pending, moved, expired] = [
      await make(),
      await make({ physical_bytes: 10 }),
      await make({ physical_bytes: 100 }),
      await make({ physical_bytes: 1_000 }),
    ];
    for (const id of [pending, moved]) await promote(id);
    await patch(org, moved, { promotion: 'confirmed' });
    await patch(org, expired, { status: 'expired' });
    await service.db.query(
      "update artifacts set created_at = created_at - interval '5 hours' where org_id = $1 and artifact_id = any($2)",
      [org.id, [stays, expired]],
    );
    await setState(org.operator, profile.profile_id, { desired_state: 'Active', desired_replicas: 1 });

    await migrateAgain(service, MIGRATION);

    expect(await keptSums(service.db, org)).toEqual(sumsOf(requests ?? []));
    expect(await keptSums(service.db, stranger)).toEqual(sumsOf(theirs ?? []));
    const { tiers } = await asked(org.viewer, 'storage/summary');
    const [memory, , shared] = tiers as { residency_hours: number }[];
    // How it came to where it lies is not known any more.
    expect(memory).toMatchObject({ tier: 'memory', artifacts: 1, bytes: 100, transfers: 0 });
    expect(shared).toMatchObject({ tier: 'shared', artifacts: 2, bytes: 1 + 10, transfers: 0 });
    // One that stays for 5 hours, and one that expired after 5 hours.
    expect(shared?.residency_hours).toBeGreaterThanOrEqual(5 + 5);
    expect(shared?.residency_hours).toBeLessThan(5 + 5 + 0.1);
    const { rows: asks } = await service.db.query(
      'select profile_id, desired_state, desired_replicas from capacity_asks where org_id = $1',
      [org.id],
    );
    expect(asks).toEqual([{ profile_id: profile.profile_id, desired_state: 'Active', desired_replicas: 1 }]);

    // And continues from there.
    const later = historyOf(53, 100, [now - DAY, now]);
    await writeRequests(service.db, org, ...later);
    expect(await keptSums(service.db, org)).toEqual(sumsOf([...(requests ?? []), ...later]));
  });
});
