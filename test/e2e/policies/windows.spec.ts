import {
  actionsOf,
  allBeaten,
  buildPolicy,
  maintenance,
  makeDue,
  ofNamespace,
  podsAsked,
  rounds,
  storedPolicy,
} from '../../support/policies';
import { Service, type Organisation } from '../../support/service';
import { buildCluster, buildPod } from '../../support/workloads';

describe('maintenance policies', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await buildCluster(org);
    await buildPod(org, clusterId, { name: 'a' });
  });
  afterAll(() => service.close());

  const round = async (id: string) => {
    await rounds([service.app]);
    await allBeaten(service, [id]);
  };
  /** Moves the whole window, from its start to its end in seconds from now. */
  const during = (id: string, from: number, to: number) =>
    service.db.query(
      `update policies set starts_at = clock_timestamp() + make_interval(secs => $2), ends_at = clock_timestamp() + make_interval(secs => $3),
         next_at = clock_timestamp() + make_interval(secs => case when last_beat_at is null then $2 else $3 end) where id = $1`,
      [id, from, to],
    );

  it('act when their window starts, once, and are disabled when it is over', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(3_600, 7_200));
    await round(id);
    expect(await actionsOf(service, id)).toEqual([]);

    await during(id, -1, 3_600);
    await round(id);
    expect(await podsAsked(service, id)).toEqual(['a']);
    const { starts_at: startsAt, ends_at: endsAt } = (
      await service.db.query('select starts_at, ends_at from policies where id = $1', [id])
    ).rows[0];
    const [action] = await actionsOf(service, id);
    expect(action?.beat_at).toEqual(startsAt);
    expect(await storedPolicy(service, id)).toMatchObject({
      status: 'active',
      next_at: endsAt,
      last_beat_at: startsAt,
    });

    // Pods that come later are not asked.
    await buildPod(org, clusterId, { name: 'late' });
    await round(id);
    expect((await actionsOf(service, id)).length).toBe(1);

    await during(id, -3_600, -1);
    await round(id);
    expect(await storedPolicy(service, id)).toMatchObject({
      status: 'disabled',
      next_at: null,
      last_beat_at: startsAt,
    });
    expect((await actionsOf(service, id)).length).toBe(1);
    expect((await org.viewer.get(`/v1/policy/pipeline/${id}`)).body.status).toBe('disabled');
    await round(id);
    expect((await actionsOf(service, id)).length).toBe(1);
  });

  it('that began before they were made act at once', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-3_600, 3_600));
    await round(id);
    await round(id);
    expect((await podsAsked(service, id)).slice(0, 1)).toEqual(['a']);
    const beats = new Set((await actionsOf(service, id)).map(({ beat_at }) => beat_at.getTime()));
    expect(beats.size).toBe(1);
  });

  it('make up for a start at which nothing ran, once', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(3_600, 7_200));
    await during(id, -1_800, 1_800);
    await Promise.all([rounds([service.app]), rounds([service.app]), rounds([service.app])]);
    await round(id);
    const asked = (await actionsOf(service, id)).map(({ pod_uid }) => pod_uid);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('that were missed altogether are disabled, and do nothing', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(3_600, 7_200));
    await during(id, -7_200, -3_600);
    await round(id);
    expect(await storedPolicy(service, id)).toEqual({ id, status: 'disabled', next_at: null, last_beat_at: null });
    expect(await actionsOf(service, id)).toEqual([]);
  });

  it('start before others are looked at, and not when only their end is near', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 3_600));
    await round(id);
    const count = (await actionsOf(service, id)).length;
    expect(count).toBeGreaterThan(0);
    // Due again, before its end by the wall clock: only its end can be what is due.
    await makeDue(service, [id]);
    await round(id);
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled' });
    expect((await actionsOf(service, id)).length).toBe(count);
  });
});
