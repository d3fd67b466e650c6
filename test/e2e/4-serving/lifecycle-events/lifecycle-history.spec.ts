import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { LifecycleHistory } from '../../../../src/4-serving/lifecycle-events/lifecycle-history';
import { buildEvent, createProfile, reportPhase, reportEvent } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const DAY_MS = 86_400_000;

describe('old history', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ lifecycleRetentionDays: 30 });
  });
  afterAll(() => service.close());

  async function live(org: Organisation): Promise<string> {
    const cluster = (await org.operator.post('/v1/cluster', { cluster_name: 'cluster' })).text;
    const { profile_id: profileId } = await createProfile(org);
    for (const days of [0, 29, 31, 40, 50]) {
      const occurred_at = new Date(Date.now() - days * DAY_MS).toISOString();
      await reportEvent(org.controller, buildEvent(cluster, profileId, { kind: 'worker.draining', occurred_at }));
    }
    for (const phase of ['Pending', 'Loading', 'Ready', 'Suspended'])
      await reportPhase(org.controller, profileId, phase);
    await service.db.query(
      "update activation_phases set occurred_at = occurred_at - interval '31 days' where profile_id = $1 and phase <> 'Suspended'",
      [profileId],
    );
    return profileId;
  }

  it('is deleted in batches in every organisation, and starts stay', async () => {
    const orgs = [await service.organisation(), await service.organisation()];
    const profiles: string[] = [];
    for (const org of orgs) profiles.push(await live(org));
    await service.app.get(LifecycleHistory).run(2);
    for (const [n, org] of orgs.entries()) {
      const events = (await org.viewer.get('/v1/inference/lifecycle-events')).body as JsonObject[];
      expect(events).toHaveLength(2);
      const left = async (table: string) =>
        (await service.db.query(`select from ${table} where profile_id = $1`, [profiles[n]])).rowCount;
      expect([await left('activation_phases'), await left('starts')]).toEqual([1, 1]);
    }
  });
});
