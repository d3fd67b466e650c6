import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { budgetedFleet, FLEETS, rate, ratedProfile, saveFleet } from '../../../support/fleets';
import {
  buildEvent,
  createProfile,
  intentOf,
  report,
  reportPhase,
  setState,
  reportEvent,
} from '../../../support/profiles';
import { Caller, Service, type Answer, type Organisation } from '../../../support/service';

const SUSPENDED = { desired_state: 'Suspended' };
const active = (replicas = 1): JsonObject => ({ desired_state: 'Active', desired_replicas: replicas });

describe('the budget of a fleet', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const ask = (profileId: string, body: JsonObject = active()): Promise<Answer> =>
    setState(org.operator, profileId, body);
  const codeOf = ({ status, body }: Answer): unknown[] => [status, body.code as unknown];
  const GRANTED = [202, undefined];
  const REFUSED = [409, 'fleet_budget_exceeded'];
  const profiles = (usd: number, count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => ratedProfile(org, usd)));
  /** A worker that events report, in a pod of its own. */
  const worker = async (profileId: string): Promise<string> => {
    const pod = newId();
    const answer = await reportEvent(
      org.controller,
      buildEvent(await cluster(), profileId, { workload_uid: pod, kind: 'worker.scheduled' }),
    );
    expect(answer.status).toBe(204);
    return pod;
  };
  const stopped = async (profileId: string, pod: string): Promise<void> => {
    const event = buildEvent(await cluster(), profileId, { workload_uid: pod, kind: 'worker.stopped' });
    expect((await reportEvent(org.controller, event)).status).toBe(204);
  };
  const cluster = async (): Promise<string> => (await org.operator.post('/v1/cluster', { cluster_name: 'c' })).text;

  it('refuses a capacity request that would exceed it, and states by how much', async () => {
    const [first = '', second = ''] = await profiles(2.5, 2);
    const fleetId = await budgetedFleet(org, 7.4, [first, second]);
    expect(codeOf(await ask(first, active(2)))).toEqual(GRANTED);
    const { status, body } = await ask(second);
    expect([status, body.code, body.detail]).toEqual([
      409,
      'fleet_budget_exceeded',
      `The nodes of the fleet "${fleetId}" may cost 7.4 US dollars an hour: 5 are committed, and it would be 7.5.`,
    ]);
    // The refused request leaves nothing.
    expect(await intentOf(org.viewer, second)).toBeUndefined();
    const { rowCount } = await service.db.query(
      "select from outbox_events where event_type = 'capacity_intent.requested' and payload ->> 'profile_id' = $1",
      [second],
    );
    expect(rowCount).toBe(0);
  });

  it('may be used up completely', async () => {
    const [first = '', second = '', third = ''] = await profiles(0.1, 3);
    // As doubles, three times 0.1 is more than 0.3.
    await budgetedFleet(org, 0.3, [first, second, third]);
    for (const id of [first, second, third]) expect(codeOf(await ask(id))).toEqual(GRANTED);
    expect(codeOf(await ask(third, active(2)))).toEqual(REFUSED);
  });

  it('is exact to 10⁻¹² dollars', async () => {
    const [first = '', second = ''] = await profiles(0.000000000001, 2);
    await budgetedFleet(org, 0.000000000001, [first, second]);
    expect(codeOf(await ask(first))).toEqual(GRANTED);
    expect(codeOf(await ask(second))).toEqual(REFUSED);
  });

  it('allows with a budget of zero only profiles that cost nothing', async () => {
    const [paid = ''] = await profiles(0.01, 1);
    const { profile_id: free } = await createProfile(org);
    await budgetedFleet(org, 0, [paid, free]);
    expect(codeOf(await ask(paid))).toEqual(REFUSED);
    expect(codeOf(await ask(free, active(1_000)))).toEqual(GRANTED);
  });

  it.each(['12', null, -1, true, [1], { usd: 1 }])('is ignored if it is not a valid number: %j', async (maximum) => {
    const [id = ''] = await profiles(100, 1);
    await budgetedFleet(org, maximum, [id]);
    expect(codeOf(await ask(id))).toEqual(GRANTED);
  });

  it('applies to the profiles of its fleet only', async () => {
    const [inside = '', outside = ''] = await profiles(1, 2);
    await budgetedFleet(org, 1, [inside]);
    expect(codeOf(await ask(outside, active(50)))).toEqual(GRANTED);
    expect(codeOf(await ask(inside))).toEqual(GRANTED);
  });

  it('applies to its own organisation only', async () => {
    const other = await service.organisation();
    const [id = ''] = await profiles(1, 1);
    await ratedProfile(other, 100, { profile_id: id });
    const fleetId = await budgetedFleet(org, 1, [id]);
    await budgetedFleet(other, 150, [id], fleetId);
    expect(codeOf(await setState(other.operator, id, active()))).toEqual(GRANTED);
    expect(codeOf(await ask(id))).toEqual(GRANTED);
    expect(codeOf(await setState(other.operator, id, active(2)))).toEqual(REFUSED);
  });

  it('applies together with the budgets of other fleets of the profile', async () => {
    const [shared = '', one = '', other = ''] = await profiles(1, 3);
    const [large, small] = [await budgetedFleet(org, 9, [shared, one]), await budgetedFleet(org, 2, [other, shared])];
    expect(codeOf(await ask(shared, active(2)))).toEqual(GRANTED);
    expect(codeOf(await ask(other))).toEqual(REFUSED);
    expect(codeOf(await ask(one, active(7)))).toEqual(GRANTED);
    expect((await ask(shared, active(3))).body.detail).toContain([large, small].sort()[0]);
  });

  describe('allows', () => {
    let id: string;
    let fleetId: string;
    beforeEach(async () => {
      [id = ''] = await profiles(1, 1);
      fleetId = await budgetedFleet(org, 5, [id]);
      expect(codeOf(await ask(id, active(4)))).toEqual(GRANTED);
    });
    const lower = (maximum: number) => budgetedFleet(org, maximum, [id], fleetId);

    it('allows a repeated request, even if it exceeds the budget by now', async () => {
      await lower(2);
      expect(codeOf(await ask(id, active(4)))).toEqual(GRANTED);
      await reportPhase(org.controller, id, 'Ready', 1);
      expect(codeOf(await ask(id, active(4)))).toEqual(GRANTED);
      expect(codeOf(await ask(id, active(5)))).toEqual(REFUSED);
    });

    it('allows a request for fewer replicas than before', async () => {
      await lower(2);
      expect(codeOf(await ask(id, active(3)))).toEqual(GRANTED);
      expect(codeOf(await ask(id, active(4)))).toEqual(REFUSED);
      expect(codeOf(await ask(id, active(0)))).toEqual(GRANTED);
    });

    it('any suspension', async () => {
      await lower(0);
      expect(codeOf(await ask(id, SUSPENDED))).toEqual(GRANTED);
      expect(codeOf(await ask(id, SUSPENDED))).toEqual(GRANTED);
      expect(codeOf(await ask(id, active(1)))).toEqual(REFUSED);
    });

    it('allows a larger request once the budget is raised or removed, or the fleet deleted', async () => {
      expect(codeOf(await ask(id, active(6)))).toEqual(REFUSED);
      await lower(6);
      expect(codeOf(await ask(id, active(6)))).toEqual(GRANTED);
      expect(codeOf(await ask(id, active(7)))).toEqual(REFUSED);
      await saveFleet(org.operator, { fleet_id: fleetId, profile_ids: [id], budgets: null });
      expect(codeOf(await ask(id, active(7)))).toEqual(GRANTED);
      await lower(7);
      expect(codeOf(await ask(id, active(8)))).toEqual(REFUSED);
      await saveFleet(org.operator, { fleet_id: fleetId, profile_ids: [] });
      expect(codeOf(await ask(id, active(8)))).toEqual(GRANTED);
      await lower(8);
      expect((await org.operator.delete(`${FLEETS}/${fleetId}`)).status).toBe(204);
      expect(codeOf(await ask(id, active(9)))).toEqual(GRANTED);
    });

    it('what it covers at the current rates', async () => {
      await rate(org, id, 2);
      expect(codeOf(await ask(id, active(4)))).toEqual(GRANTED);
      expect(codeOf(await ask(id, active(5)))).toEqual(REFUSED);
      await rate(org, id, 0.5);
      expect(codeOf(await ask(id, active(10)))).toEqual(GRANTED);
      expect(codeOf(await ask(id, active(11)))).toEqual(REFUSED);
    });
  });

  describe('counts for another profile of the fleet', () => {
    let other: string;
    let id: string;
    beforeEach(async () => {
      [other = '', id = ''] = await profiles(1, 2);
      await budgetedFleet(org, 3, [other, id]);
    });
    /** How many replicas fit in beside those of the other profile. */
    const expectLeft = async (replicas: number): Promise<void> => {
      expect(codeOf(await ask(id, active(replicas + 1)))).toEqual(REFUSED);
      if (replicas > 0) expect(codeOf(await ask(id, active(replicas)))).toEqual(GRANTED);
      await ask(id, SUSPENDED);
    };

    it('counts the last request for another profile of the fleet', async () => {
      await ask(other, active(3));
      await ask(other, active(1));
      await expectLeft(2);
      await ask(other, active(2));
      await expectLeft(1);
      await ask(other, SUSPENDED);
      await expectLeft(3);
    });

    it('counts a fulfilled request for another profile of the fleet', async () => {
      await ask(other, active(2));
      await reportPhase(org.controller, other, 'Ready', 1);
      expect((await intentOf(org.viewer, other))?.status).toBe('Fulfilled');
      await expectLeft(1);
    });

    it('counts nothing for a failed or expired request', async () => {
      await ask(other, active(2));
      await reportPhase(org.controller, other, 'Failed', 1);
      await expectLeft(3);
      await ask(other, { ...active(2), deadline_ms: 1 });
      await sleep(5);
      // The next request marks it as expired. Until then the sweep does.
      await ask(other, SUSPENDED);
      await expectLeft(3);
    });

    it('workers that still run after a request for suspension', async () => {
      await ask(other, active(2));
      const pods = [await worker(other), await worker(other)];
      await ask(other, SUSPENDED);
      await expectLeft(1);
      for (const [place, pod] of pods.entries()) {
        await stopped(other, pod);
        await expectLeft(2 + place);
      }
    });

    it('counts the requested replicas during a release that only reports describe', async () => {
      await ask(other, active(3));
      await reportPhase(org.controller, other, 'Ready', 1);
      await ask(other, SUSPENDED);
      await expectLeft(0);
      await ask(other, SUSPENDED);
      await expectLeft(0);
      await reportPhase(org.controller, other, 'Suspended');
      await expectLeft(3);
      // A worker that comes up by itself is not one of them.
      await reportPhase(org.controller, other, 'Scheduling');
      await expectLeft(2);
    });

    it('counts at least one worker of another profile of the fleet if no pod was reported', async () => {
      await report(org.controller, other);
      await expectLeft(2);
      await reportPhase(org.controller, other, 'Suspended');
      await expectLeft(3);
    });

    it('counts the running workers if they are more than the requested replicas', async () => {
      await ask(other, active(1));
      for (let times = 0; times < 3; times++) await worker(other);
      await expectLeft(0);
      // A request for the profile does not count its own workers twice.
      expect(codeOf(await ask(other, active(3)))).toEqual(GRANTED);
      expect(codeOf(await ask(other, active(4)))).toEqual(REFUSED);
    });
  });

  describe('is exact', () => {
    const callers = async (): Promise<Caller[]> => {
      const { url } = await service.replica();
      return [org.operator, new Caller(url, org.operator.token)];
    };
    const committed = async (profileIds: readonly string[]): Promise<number> => {
      const { rows } = await service.db.query<{ usd: number }>(
        `select coalesce(sum(i.desired_replicas * c.node_hourly_usd), 0)::float8 as usd
         from capacity_intents i join cost_rates c using (org_id, profile_id)
         where i.status = 'Pending' and i.desired_state = 'Active' and profile_id = any($1)`,
        [profileIds],
      );
      return rows[0]?.usd ?? 0;
    };

    it('is exact for 20 concurrent requests for as many profiles, on two replicas', async () => {
      const both = await callers();
      for (let round = 0; round < 5; round++) {
        const ids = await profiles(1.5, 20);
        await budgetedFleet(org, 11, ids);
        const answers = await Promise.all(ids.map((id, place) => setState(both[place % 2] as Caller, id, active())));
        const codes = answers.map(codeOf);
        expect(codes.filter(([status]) => status === 202)).toHaveLength(7);
        expect(codes.filter(([status]) => status !== 202)).toEqual(Array.from({ length: 13 }, () => REFUSED));
        expect(await committed(ids)).toBe(10.5);
      }
    });

    it('is exact for concurrent requests of different sizes for profiles of overlapping fleets', async () => {
      const both = await callers();
      const [a = '', b = '', c = '', d = ''] = await profiles(1, 4);
      const fleets = [
        [a, b, c],
        [c, b, d],
        [d, a],
      ];
      for (const ids of fleets) await budgetedFleet(org, 6, ids);
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(
          Array.from({ length: 24 }, (_, place) =>
            setState(
              both[place % 2] as Caller,
              [a, b, c, d][(place + round) % 4] as string,
              place % 5 === 4 ? SUSPENDED : active(1 + ((place * 7 + round) % 5)),
            ),
          ),
        );
        for (const answer of answers) expect([GRANTED, REFUSED]).toContainEqual(codeOf(answer));
        for (const ids of fleets) expect(await committed(ids)).toBeLessThanOrEqual(6);
      }
    });

    it('the budget of a fleet is exact while fleets are saved and deleted', async () => {
      const both = await callers();
      const ids = await profiles(1, 6);
      const fleetId = await budgetedFleet(org, 2, ids);
      const answers = await Promise.all([
        ...ids.flatMap((id, place) => [setState(both[place % 2] as Caller, id, active())]),
        ...Array.from({ length: 8 }, (_, place) =>
          saveFleet(both[place % 2] as Caller, {
            fleet_id: place % 3 ? fleetId : `${fleetId}-${place}`,
            name: `name-${place}`,
            profile_ids: place % 2 ? ids : [...ids].reverse(),
            ...(place % 3 ? {} : { budgets: { max_node_usd_per_hour: 3 } }),
          }),
        ),
        ...[0, 3].map((place) => org.operator.delete(`${FLEETS}/${fleetId}-${place}`)),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect(await committed(ids)).toBe(2);
    });

    it('is exact for a fleet that is saved while one of its profiles is requested', async () => {
      const [first = '', second = ''] = await profiles(1, 2);
      const client = await service.db.connect();
      let saving: Promise<string>;
      try {
        // As an uncommitted request does.
        await client.query('begin');
        await client.query('select from profiles where profile_id = $1 for no key update', [first]);
        await client.query(
          `insert into capacity_intents (org_id, id, profile_id, desired_state, desired_replicas, status, generation)
           values ($1, $2, $3, 'Active', 1, 'Pending', 1)`,
          [org.id, newId(), first],
        );
        let saved = false;
        saving = budgetedFleet(org, 1, [first, second]).finally(() => (saved = true));
        await sleep(300);
        expect(saved).toBe(false);
        await client.query('commit');
      } finally {
        client.release();
      }
      await saving;
      expect(codeOf(await ask(second))).toEqual(REFUSED);
    });
  });
});
