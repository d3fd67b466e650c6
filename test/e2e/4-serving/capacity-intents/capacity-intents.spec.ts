import { Sweeps } from '../../../../src/1-platform/scheduling/sweeps';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventsOf, read } from '../../../support/outbox';
import { createProfile, intentOf, report, reportPhase, setState } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const ACTIVE = { desired_state: 'Active' };
const SUSPENDED = { desired_state: 'Suspended' };

describe('capacity intents', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    profileId = (await createProfile(org)).profile_id;
  });

  const ask = async (body: JsonObject): Promise<JsonObject> => {
    const answer = await setState(org.operator, profileId, body);
    expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
    return answer.body as JsonObject;
  };
  const intent = () => intentOf(org.viewer, profileId);
  const rows = async () =>
    (
      await service.db.query<{ generation: number; status: string }>(
        'select generation::int, status from capacity_intents where profile_id = $1 order by generation',
        [profileId],
      )
    ).rows;
  /** Events of the profile's intents, as `what happened, generation`. */
  const told = async (): Promise<string[]> => {
    const events = eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1000 }));
    const mine = events.filter(({ payload }) => (payload as JsonObject).profile_id === profileId);
    return mine
      .filter(({ aggregate_type: type }) => type === 'capacity_intent')
      .map(({ event_type: type, payload }) => `${type.split('.')[1]} ${String((payload as JsonObject).generation)}`);
  };

  it('are pending, with what was asked for', async () => {
    expect(await ask({ ...ACTIVE, desired_replicas: 2, deadline_ms: 60_000 })).toEqual({
      id: expect.any(String),
      profile_id: profileId,
      desired_state: 'Active',
      desired_replicas: 2,
      status: 'Pending',
      generation: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      requested_at: expect.any(String),
      deadline: expect.any(String),
    });
    expect(await told()).toEqual(['requested 1']);
  });

  it('want one replica of Active and none of Suspended unless told', async () => {
    expect(await ask(ACTIVE)).toMatchObject({ desired_replicas: 1, deadline: null });
    expect(await ask(SUSPENDED)).toMatchObject({ desired_replicas: 0 });
    expect(await ask({ ...SUSPENDED, desired_replicas: null, deadline_ms: null })).toMatchObject({
      desired_replicas: 0,
    });
    expect(await ask({ ...ACTIVE, desired_replicas: 0 })).toMatchObject({ desired_replicas: 0 });
  });

  it('are reused by the same ask, whose deadline counts, and take no further generation', async () => {
    const first = await ask({ ...ACTIVE, deadline_ms: 60_000 });
    const second = await ask(ACTIVE);
    expect(second).toEqual({
      ...first,
      deadline: null,
      updated_at: second.updated_at,
      requested_at: second.requested_at,
    });
    expect(Date.parse(String(second.requested_at))).toBeGreaterThanOrEqual(Date.parse(String(first.requested_at)));
    expect(await told()).toEqual(['requested 1']);
  });

  it('are superseded by another ask, and are the same row when asked for anew', async () => {
    const one = await ask(ACTIVE);
    const two = await ask({ ...ACTIVE, desired_replicas: 2 });
    const off = await ask(SUSPENDED);
    const again = await ask(ACTIVE);
    expect([one.generation, two.generation, off.generation, again.generation]).toEqual([1, 2, 3, 4]);
    expect([again.id, again.created_at, again.status]).toEqual([one.id, one.created_at, 'Pending']);
    expect((await rows()).map(({ generation, status }) => [generation, status])).toEqual([
      [2, 'Superseded'],
      [3, 'Superseded'],
      [4, 'Pending'],
    ]);
    expect(await told()).toEqual([
      'requested 1',
      'superseded 1',
      'requested 2',
      'superseded 2',
      'requested 3',
      'superseded 3',
      'requested 4',
    ]);
    expect(await intent()).toEqual(again);
  });

  type Step = [phase: string, ready: boolean, generation: number, status: string];
  const CASES: [string, JsonObject, Step[]][] = [
    [
      'Active is fulfilled by readiness of its generation',
      ACTIVE,
      [
        ['Pending', false, 1, 'Pending'],
        ['Warming', false, 1, 'Pending'],
        ['Ready', true, 1, 'Fulfilled'],
      ],
    ],
    ['Active is fulfilled by a later generation', ACTIVE, [['Ready', true, 2, 'Fulfilled']]],
    ['Active is not fulfilled by an older generation', ACTIVE, [['Ready', true, 0, 'Pending']]],
    [
      'Active stays fulfilled when its worker goes',
      ACTIVE,
      [
        ['Ready', true, 1, 'Fulfilled'],
        ['Failed', false, 1, 'Fulfilled'],
      ],
    ],
    [
      'Active fails when its controller says so',
      ACTIVE,
      [
        ['Loading', false, 1, 'Pending'],
        ['Failed', false, 1, 'Failed'],
      ],
    ],
    ['Active is not failed by an older generation', ACTIVE, [['Failed', false, 0, 'Pending']]],
    [
      'Active that has failed stays so',
      ACTIVE,
      [
        ['Failed', false, 1, 'Failed'],
        ['Ready', true, 1, 'Failed'],
      ],
    ],
    [
      'Suspended is fulfilled by the phase',
      SUSPENDED,
      [
        ['Draining', false, 1, 'Pending'],
        ['Suspended', false, 1, 'Fulfilled'],
      ],
    ],
    [
      'Suspended does not fail',
      SUSPENDED,
      [
        ['Failed', false, 1, 'Pending'],
        ['Suspended', false, 1, 'Fulfilled'],
      ],
    ],
    [
      'Active at no replica is fulfilled once nothing is held',
      { ...ACTIVE, desired_replicas: 0 },
      [
        ['Ready', true, 1, 'Pending'],
        ['Draining', false, 1, 'Pending'],
        ['Suspended', false, 1, 'Fulfilled'],
      ],
    ],
  ];
  it.each(CASES)('%s', async (_name, wanted, steps) => {
    await ask(wanted);
    for (const [phase, ready, observed_generation, status] of steps) {
      expect((await report(org.controller, profileId, { phase, ready, observed_generation })).status).toBe(204);
      expect([phase, (await intent())?.status]).toEqual([phase, status]);
    }
    const last = steps.at(-1)?.[3];
    expect(await told()).toEqual(
      last === 'Pending' ? ['requested 1'] : ['requested 1', `${String(last).toLowerCase()} 1`],
    );
  });

  it('stay fulfilled when they are asked for while they are so', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Ready', 1);
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Fulfilled', generation: 1 });
    expect(await told()).toEqual(['requested 1', 'fulfilled 1']);
  });

  it.each([
    ['fulfilled, when its worker is gone', 'Ready', 'Suspended'],
    ['failed', 'Failed', 'Failed'],
  ])('are pending anew, of a new generation, when asked for after they have %s', async (_name, ...phases) => {
    await ask(ACTIVE);
    for (const phase of phases) await reportPhase(org.controller, profileId, phase, 1);
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Pending', generation: 2 });
    // What is told late of the attempt before moves nothing.
    await reportPhase(org.controller, profileId, 'Failed', 1);
    await reportPhase(org.controller, profileId, 'Ready', 1);
    expect(await intent()).toMatchObject({ status: 'Pending', generation: 2 });
    await reportPhase(org.controller, profileId, 'Failed', 2);
    expect(await intent()).toMatchObject({ status: 'Failed', generation: 2 });
  });

  it('expire after their deadline, once over all replicas, and are pending anew when asked for', async () => {
    const replica = await service.replica();
    await ask({ ...ACTIVE, deadline_ms: 600_000 });
    await service.sweep('capacity intents');
    expect((await intent())?.status).toBe('Pending');
    await service.db.query(
      "update capacity_intents set deadline = clock_timestamp() - interval '1 ms' where profile_id = $1",
      [profileId],
    );
    await Promise.all([service.sweep('capacity intents'), replica.app.get(Sweeps).runNow('capacity intents')]);
    const expired = await intent();
    expect(expired?.status).toBe('Expired');
    expect(Date.parse(String(expired?.updated_at))).toBeGreaterThanOrEqual(Date.parse(String(expired?.deadline)));
    expect(expired?.requested_at).not.toBe(expired?.updated_at);
    expect(await told()).toEqual(['requested 1', 'expired 1']);
    await reportPhase(org.controller, profileId, 'Ready', 1);
    expect((await intent())?.status).toBe('Expired');
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Pending', generation: 2, deadline: null });
  });

  it('are pending anew when they are asked for after their deadline, though nobody has looked yet', async () => {
    await ask({ ...ACTIVE, deadline_ms: 1 });
    await sleep(5);
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Pending', generation: 2, deadline: null });
    expect(await told()).toEqual(['requested 1', 'expired 1', 'requested 2']);
  });

  it('that have come true unseen are fulfilled, not superseded, by an ask for something else', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Warming', 1);
    await service.db.query('update activations set phase = $2, ready = true where profile_id = $1', [
      profileId,
      'Ready',
    ]);
    await ask(SUSPENDED);
    expect(await told()).toEqual(['requested 1', 'fulfilled 1', 'requested 2']);
  });

  it('are of a generation that no controller has seen, however far ahead one is', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Ready', 7);
    expect(await ask({ ...ACTIVE, desired_replicas: 3 })).toMatchObject({ status: 'Pending', generation: 8 });
    await reportPhase(org.controller, profileId, 'Ready', 7);
    expect(await intent()).toMatchObject({ status: 'Pending', generation: 8 });
  });

  it('are pending or told of, when asks meet the moment at which they expire', async () => {
    for (let round = 0; round < 30; round++) {
      const { profile_id: id } = await createProfile(org);
      await setState(org.operator, id, { ...ACTIVE, deadline_ms: 20 });
      await sleep(15 + (round % 10));
      const [last] = (await Promise.all(Array.from({ length: 4 }, () => setState(org.operator, id, ACTIVE)))).slice(-1);
      expect(last?.body.status).toBe('Pending');
      const { status, generation } = (await intentOf(org.viewer, id)) ?? {};
      const events = await service.db.query(
        "select from outbox_events where event_type = 'capacity_intent.requested' and payload ->> 'profile_id' = $1",
        [id],
      );
      expect([status, events.rowCount]).toEqual(['Pending', generation]);
    }
  });

  it('are fulfilled by what a report and an ask at the same moment did not see of each other', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Warming', 1);
    // As a report leaves it that ended before the ask was committed.
    await service.db.query('update activations set phase = $2, ready = true where profile_id = $1', [
      profileId,
      'Ready',
    ]);
    await service.sweep('capacity intents');
    expect((await intent())?.status).toBe('Fulfilled');
    expect(await told()).toEqual(['requested 1', 'fulfilled 1']);
  });

  it('are listed one a profile, the latest ask, newest update first', async () => {
    const own = await service.organisation();
    const ids = [];
    for (let at = 0; at < 3; at++) ids.push((await createProfile(own)).profile_id);
    const [a = '', b = '', c = ''] = ids;
    for (const id of [a, b, c]) await setState(own.operator, id, ACTIVE);
    await setState(own.operator, a, SUSPENDED);
    const list = async () => (await own.viewer.get('/v1/inference/capacity-intents')).body as JsonObject[];
    const shown = (await list()).map(({ profile_id: id, desired_state: state }) => [id, state]);
    expect(shown).toEqual([
      [a, 'Suspended'],
      [c, 'Active'],
      [b, 'Active'],
    ]);
    await reportPhase(own.controller, b, 'Ready', 1);
    expect((await list()).map(({ profile_id: id, status }) => [id, status])).toEqual([
      [b, 'Fulfilled'],
      [a, 'Pending'],
      [c, 'Pending'],
    ]);
    const page = await own.viewer.get('/v1/inference/capacity-intents?limit=2');
    expect([(page.body as unknown[]).length, page.headers.link]).toEqual([2, expect.stringContaining('offset=2')]);
  });

  it.each<[string, JsonObject]>([
    ['desired_state', { desired_state: 'Paused' }],
    ['desired_state', { desired_state: null }],
    ['desired_state', {}],
    ['desired_replicas', { ...ACTIVE, desired_replicas: -1 }],
    ['desired_replicas', { ...ACTIVE, desired_replicas: 1_001 }],
    ['desired_replicas', { ...ACTIVE, desired_replicas: 1.5 }],
    ['desired_replicas', { ...SUSPENDED, desired_replicas: 1 }],
    ['deadline_ms', { ...ACTIVE, deadline_ms: 0 }],
    ['deadline_ms', { ...ACTIVE, deadline_ms: '5' }],
    ['replicas', { ...ACTIVE, replicas: 1 }],
  ])('are refused with a bad %s %j', async (field, body) => {
    const answer = await setState(org.operator, profileId, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(await rows()).toEqual([]);
  });

  it('are refused beyond the max_replicas of the profile, which change nothing, and taken up to them', async () => {
    const { profile_id: small } = await createProfile(org, { max_replicas: 2 });
    expect(await setState(org.operator, small, { ...ACTIVE, desired_replicas: 3 })).toMatchObject({
      status: 400,
      body: {
        errors: [{ field: 'desired_replicas', message: 'must be at most 2, the max_replicas of the profile' }],
      },
    });
    expect(await intentOf(org.viewer, small)).toBeUndefined();
    const largest = await setState(org.operator, small, { ...ACTIVE, desired_replicas: 2 });
    expect([largest.status, largest.body.generation]).toEqual([202, 1]);
  });

  it('of an unknown profile are 404', async () => {
    const answer = await setState(org.operator, 'nowhere', ACTIVE);
    expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
  });

  it('are asked for by controllers too, not by viewers', async () => {
    expect((await setState(org.controller, profileId, ACTIVE)).status).toBe(202);
    expect((await setState(org.viewer, profileId, ACTIVE)).status).toBe(403);
  });
});
