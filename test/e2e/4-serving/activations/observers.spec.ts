import { activationOf, createProfile, intentOf, report, setState } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

describe('a report on an activation whose capacity intent cannot be ended', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    await service.db.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'out of order'; end $$;
      create trigger fail before update on capacity_intents for each row execute function fail()`);
  });
  afterAll(() => service.close());

  it('is stored and answered, and the next sweep ends the intent', async () => {
    const { profile_id: profileId } = await createProfile(org);
    const { body } = await setState(org.operator, profileId, { desired_state: 'Active' });
    const { generation } = body as { generation: number };
    const { status } = await report(org.controller, profileId, { observed_generation: generation });
    expect(status).toBe(204);
    expect(await activationOf(org.viewer, profileId)).toMatchObject({ ready: true, observed_generation: generation });
    expect(await intentOf(org.viewer, profileId)).toMatchObject({ status: 'Pending' });

    await service.db.query('drop trigger fail on capacity_intents');
    await service.sweep('capacity intents');
    expect(await intentOf(org.viewer, profileId)).toMatchObject({ status: 'Fulfilled' });
  });
});
