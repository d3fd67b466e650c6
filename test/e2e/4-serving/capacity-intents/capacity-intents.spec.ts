import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventsOf, read } from '../../../support/outbox';
import { createProfile, intentOf, report, reportPhase, setState } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const ACTIVE = { desired_state: 'Active' };
const SUSPENDED = { desired_state: 'Suspended' };

describe('a capacity intent', () => {
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
  const reported = async (): Promise<string[]> => {
    const events = eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1000 }));
    const mine = events.filter(({ payload }) => (payload as JsonObject).profile_id === profileId);
    return mine
      .filter(({ aggregate_type: type }) => type === 'capacity_intent')
      .map(({ event_type: type, payload }) => `${type.split('.')[1]} ${String((payload as JsonObject).generation)}`);
  };

  it('is pending after a request, and shows the requested state', async () => {
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
    expect(await reported()).toEqual(['requested 1']);
  });

  it('defaults to one replica for Active and none for Suspended', async () => {
    expect(await ask(ACTIVE)).toMatchObject({ desired_replicas: 1, deadline: null });
    expect(await ask(SUSPENDED)).toMatchObject({ desired_replicas: 0 });
    expect(await ask({ ...SUSPENDED, desired_replicas: null, deadline_ms: null })).toMatchObject({
      desired_replicas: 0,
    });
    expect(await ask({ ...ACTIVE, desired_replicas: 0 })).toMatchObject({ desired_replicas: 0 });
  });

  it('keeps its generation when the same state is requested again, and takes the new deadline', async () => {
    const first = await ask({ ...ACTIVE, deadline_ms: 60_000 });
    const second = await ask(ACTIVE);
    expect(second).toEqual({
      ...first,
      deadline: null,
      updated_at: second.updated_at,
      requested_at: second.requested_at,
    });
    expect(Date.parse(String(second.requested_at))).toBeGreaterThanOrEqual(Date.parse(String(first.requested_at)));
    expect(await reported()).toEqual(['requested 1']);
  });

  it('is superseded by a request for another state, and its row is reused when its state is requested again', async () => {
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
    expect(await reported()).toEqual([
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
      'for Active is fulfilled when its generation is ready',
      ACTIVE,
      [
        ['Pending', false, 1, 'Pending'],
        ['Warming', false, 1, 'Pending'],
        ['Ready', true, 1, 'Fulfilled'],
      ],
    ],
    ['for Active is fulfilled by a later generation', ACTIVE, [['Ready', true, 2, 'Fulfilled']]],
    ['for Active is not fulfilled by an older generation', ACTIVE, [['Ready', true, 0, 'Pending']]],
    [
      'for Active stays fulfilled when its worker goes',
      ACTIVE,
      [
        ['Ready', true, 1, 'Fulfilled'],
        ['Failed', false, 1, 'Fulfilled'],
      ],
    ],
    [
      'for Active fails when its controller reports a failure',
      ACTIVE,
      [
        ['Loading', false, 1, 'Pending'],
        ['Failed', false, 1, 'Failed'],
      ],
    ],
    ['for Active does not fail because of an older generation', ACTIVE, [['Failed', false, 0, 'Pending']]],
    [
      'for Active stays failed once it has failed',
      ACTIVE,
      [
        ['Failed', false, 1, 'Failed'],
        ['Ready', true, 1, 'Failed'],
      ],
    ],
    [
      'for Suspended is fulfilled by the phase Suspended',
      SUSPENDED,
      [
        ['Draining', false, 1, 'Pending'],
        ['Suspended', false, 1, 'Fulfilled'],
      ],
    ],
    [
      'for Suspended does not fail',
      SUSPENDED,
      [
        ['Failed', false, 1, 'Pending'],
        ['Suspended', false, 1, 'Fulfilled'],
      ],
    ],
    [
      'for Active with no replicas is fulfilled once no worker holds a node',
      { ...ACTIVE, desired_replicas: 0 },
      [
        ['Ready', true, 1, 'Pending'],
        ['Draining', false, 1, 'Pending'],
        ['Suspended', false, 1, 'Fulfilled'],
      ],
    ],
  ];
  it.each(CASES)('a capacity intent %s', async (_name, wanted, steps) => {
    await ask(wanted);
    for (const [phase, ready, observed_generation, status] of steps) {
      expect((await report(org.controller, profileId, { phase, ready, observed_generation })).status).toBe(204);
      expect([phase, (await intent())?.status]).toEqual([phase, status]);
    }
    const last = steps.at(-1)?.[3];
    expect(await reported()).toEqual(
      last === 'Pending' ? ['requested 1'] : ['requested 1', `${String(last).toLowerCase()} 1`],
    );
  });

  it('stays fulfilled when its state is requested again while its worker is ready', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Ready', 1);
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Fulfilled', generation: 1 });
    expect(await reported()).toEqual(['requested 1', 'fulfilled 1']);
  });

  it.each([
    ['been fulfilled and its worker is gone', 'Ready', 'Suspended'],
    ['failed', 'Failed', 'Failed'],
  ])('is pending with a new generation when requested again after it has %s', async (_name, ...phases) => {
    await ask(ACTIVE);
    for (const phase of phases) await reportPhase(org.controller, profileId, phase, 1);
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Pending', generation: 2 });
    // A late report about the previous attempt changes nothing.
    await reportPhase(org.controller, profileId, 'Failed', 1);
    await reportPhase(org.controller, profileId, 'Ready', 1);
    expect(await intent()).toMatchObject({ status: 'Pending', generation: 2 });
    await reportPhase(org.controller, profileId, 'Failed', 2);
    expect(await intent()).toMatchObject({ status: 'Failed', generation: 2 });
  });

  it('expires after its deadline, once over all replicas, and is pending again on the next request', async () => {
    const replica = await service.replica();
    await ask({ ...ACTIVE, deadline_ms: 600_000 });
    await service.sweep('capacity intents');
    expect((await intent())?.status).toBe('Pending');
    await service.db.query(
      "update capacity_intents set deadline = clock_timestamp() - interval '1 ms' where profile_id = $1",
      [profileId],
    );
    await Promise.all([service.sweep('capacity intents'), replica.sweep('capacity intents')]);
    const expired = await intent();
    expect(expired?.status).toBe('Expired');
    expect(Date.parse(String(expired?.updated_at))).toBeGreaterThanOrEqual(Date.parse(String(expired?.deadline)));
    expect(expired?.requested_at).not.toBe(expired?.updated_at);
    expect(await reported()).toEqual(['requested 1', 'expired 1']);
    await reportPhase(org.controller, profileId, 'Ready', 1);
    expect((await intent())?.status).toBe('Expired');
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Pending', generation: 2, deadline: null });
  });

  it('is pending again when requested after its deadline, even before the sweep has run', async () => {
    await ask({ ...ACTIVE, deadline_ms: 1 });
    await sleep(5);
    expect(await ask(ACTIVE)).toMatchObject({ status: 'Pending', generation: 2, deadline: null });
    expect(await reported()).toEqual(['requested 1', 'expired 1', 'requested 2']);
  });

  it('counts a capacity intent that came true unnoticed as fulfilled, not as superseded, if another state is requested', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Warming', 1);
    await service.db.query('update activations set phase = $2, ready = true where profile_id = $1', [
      profileId,
      'Ready',
    ]);
    await ask(SUSPENDED);
    expect(await reported()).toEqual(['requested 1', 'fulfilled 1', 'requested 2']);
  });

  it('gets a generation that no controller has seen, even if the controller is ahead', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Ready', 7);
    expect(await ask({ ...ACTIVE, desired_replicas: 3 })).toMatchObject({ status: 'Pending', generation: 8 });
    await reportPhase(org.controller, profileId, 'Ready', 7);
    expect(await intent()).toMatchObject({ status: 'Pending', generation: 8 });
  });

  it('is always pending or announced when requests meet its expiry', async () => {
    const replica = await service.replica();
    for (let round = 0; round < 30; round++) {
      const { profile_id: id } = await createProfile(org);
      await setState(org.operator, id, { ...ACTIVE, deadline_ms: 20 });
      await sleep(15 + (round % 10));
      const requests = Array.from({ length: 4 }, () => setState(org.operator, id, ACTIVE));
      const sweeps = [service, replica].map((one) => one.sweep('capacity intents'));
      for (const { body } of await Promise.all(requests)) expect(body.status).toBe('Pending');
      await Promise.all(sweeps);
      const { status, generation } = (await intentOf(org.viewer, id)) ?? {};
      const events = await service.db.query(
        "select from outbox_events where event_type = 'capacity_intent.requested' and payload ->> 'profile_id' = $1",
        [id],
      );
      expect([status, events.rowCount]).toEqual(['Pending', generation]);
    }
  });

  it('is fulfilled by a sweep if a concurrent report and request missed each other', async () => {
    await ask(ACTIVE);
    await reportPhase(org.controller, profileId, 'Warming', 1);
    // The state that a report leaves if it ended before the request was committed.
    await service.db.query('update activations set phase = $2, ready = true where profile_id = $1', [
      profileId,
      'Ready',
    ]);
    await service.sweep('capacity intents');
    expect((await intent())?.status).toBe('Fulfilled');
    expect(await reported()).toEqual(['requested 1', 'fulfilled 1']);
  });

  it('is listed once per profile, the latest request only, newest update first', async () => {
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
  ])('is refused with an invalid %s: %j', async (field, body) => {
    const answer = await setState(org.operator, profileId, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(await rows()).toEqual([]);
  });

  it('is refused above max_replicas of the profile, changes nothing then, and is accepted up to it', async () => {
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

  it('a capacity intent of an unknown profile answers 404', async () => {
    const answer = await setState(org.operator, 'nowhere', ACTIVE);
    expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
  });

  it('may be requested by controllers, not by viewers', async () => {
    expect((await setState(org.controller, profileId, ACTIVE)).status).toBe(202);
    expect((await setState(org.viewer, profileId, ACTIVE)).status).toBe(403);
  });
});
