import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { FLEETS, saveFleet } from '../../../support/fleets';
import { saveRoute, targetsOf } from '../../../support/inference';
import { eventsOf, read } from '../../../support/outbox';
import { createProfile } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { untilServed } from '../../../support/until-served';

describe('a fleet', () => {
  let service: Service;
  let org: Organisation;
  let a: string;
  let b: string;
  let fleetId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    [a, b] = [(await createProfile(org)).profile_id, (await createProfile(org)).profile_id];
  });
  afterAll(() => service.close());
  beforeEach(() => {
    fleetId = `fleet-${newId()}`;
  });

  const save = async (body: JsonObject = {}): Promise<JsonObject> => {
    const answer = await saveFleet(org.operator, { fleet_id: fleetId, ...body });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body as JsonObject;
  };
  const get = (id = fleetId): Promise<Answer> => org.viewer.get(`${FLEETS}/${id}`);
  const remove = (id = fleetId): Promise<Answer> => org.operator.delete(`${FLEETS}/${id}`);
  const reported = async (): Promise<unknown[]> =>
    eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1_000 }))
      .filter(({ aggregate_id: id }) => id === fleetId)
      .map(({ event_type, aggregate_type, payload }) => ({ event_type, aggregate_type, payload }));
  const changed = () => ({ event_type: 'fleet.changed', aggregate_type: 'fleet', payload: { fleet_id: fleetId } });
  const entries = async (): Promise<JsonObject[]> =>
    (await org.operator.get(`/v1/audit?resource=${fleetId}`)).body as JsonObject[];
  const unknown = ({ status, body }: Answer) => [status, body.code];

  describe('is saved', () => {
    it('is saved with the required members only', async () => {
      const saved = await save();
      expect(saved).toEqual({
        fleet_id: fleetId,
        name: 'chat',
        logical_model: 'llama-8b',
        created_at: expect.any(String),
        profile_ids: [],
        budgets: null,
        availability: null,
        residency: null,
      });
      expect((await get()).body).toEqual(saved);
    });

    it('is saved with all members, in the order in which they were sent', async () => {
      const all = {
        name: 'x'.repeat(253),
        logical_model: 'another/模型',
        profile_ids: [b, a],
        budgets: { max_node_usd_per_hour: 12.5, gpus: [1, 2] },
        availability: 'always',
        residency: 'eu',
      };
      const saved = await save(all);
      expect(saved).toEqual({ fleet_id: fleetId, created_at: expect.any(String), ...all });
      expect((await get()).body).toEqual(saved);
    });

    it.each([undefined, null])('is saved under a generated id if the id is %p', async (fleet_id) => {
      const ids = [];
      for (let times = 0; times < 2; times++) {
        const { status, body } = await saveFleet(org.operator, { fleet_id });
        expect(status).toBe(200);
        ids.push(body.fleet_id as string);
        expect((await get(body.fleet_id as string)).body).toEqual(body);
      }
      expect(new Set(ids).size).toBe(2);
    });

    it('is saved under names with any characters', async () => {
      for (const id of ['a b', '模型', "'; drop table fleets --", '%', 'x'.repeat(253)]) {
        expect((await saveFleet(org.operator, { fleet_id: id })).body.fleet_id).toBe(id);
        expect((await get(encodeURIComponent(id))).body.fleet_id).toBe(id);
        expect((await remove(encodeURIComponent(id))).status).toBe(204);
      }
    });

    it.each(['{"long":12345678901234567890123,"max_node_usd_per_hour":1e999999}', '[]', '"text"', '1e999999', 'false'])(
      'is saved with budgets that are returned as sent: %s',
      async (budgets) => {
        const body = `{"fleet_id":"${fleetId}","name":"n","logical_model":"m","profile_ids":[],"budgets":${budgets}}`;
        const { status, text } = await org.operator.post(FLEETS, body);
        expect([status, text]).toEqual([200, expect.stringContaining(`"budgets":${budgets},`)]);
        expect((await get()).text).toBe(text);
        expect((await org.viewer.get(FLEETS)).text).toContain(text);
        // An equal body is no change.
        expect((await org.operator.post(FLEETS, body)).text).toBe(text);
        expect(await reported()).toHaveLength(1);
      },
    );

    it('is saved with a profile that belongs to another fleet too', async () => {
      await save({ profile_ids: [a] });
      fleetId = `fleet-${newId()}`;
      expect((await save({ profile_ids: [a] })).profile_ids).toEqual([a]);
    });

    it('is saved once per Idempotency-Key', async () => {
      const once = { 'idempotency-key': newId() };
      const body = { name: newId(), logical_model: 'm', profile_ids: [a] };
      const first = await org.operator.post(FLEETS, body, once);
      const again = await org.operator.post(FLEETS, body, once);
      expect([again.status, again.text]).toEqual([200, first.text]);
      const { rowCount } = await service.db.query('select from fleets where name = $1', [body.name]);
      expect(rowCount).toBe(1);
    });

    it('announces a saved fleet by ids only, and audits it', async () => {
      const { headers } = await saveFleet(org.operator, { fleet_id: fleetId, profile_ids: [a, b] });
      expect(await reported()).toEqual([changed()]);
      expect(await entries()).toMatchObject([
        {
          action: 'save_fleet',
          actor_role: 'operator',
          resource_type: 'fleet',
          request_id: headers['x-request-id'],
          details: { changed: true, name: 'chat', profiles: [a, b] },
        },
      ]);
    });
  });

  describe('is changed', () => {
    const ALL = { budgets: { max_node_usd_per_hour: 3 }, availability: 'always', residency: 'eu' };

    it('only in the given members: the others stay', async () => {
      let expected = await save({ profile_ids: [a], ...ALL });
      const changes: JsonObject[] = [
        { profile_ids: [a, b] },
        { profile_ids: [b, a] },
        { profile_ids: [] },
        { name: 'other' },
        { logical_model: 'other' },
        { budgets: { max_node_usd_per_hour: 4 } },
        { budgets: [] },
        { availability: 'sometimes' },
        { residency: '' },
      ];
      const { name, logical_model, profile_ids } = expected;
      let needed: JsonObject = { name, logical_model, profile_ids };
      for (const change of changes) {
        expected = { ...expected, ...change };
        needed = Object.fromEntries(Object.keys(needed).map((member) => [member, expected[member]]));
        expect(await save({ ...needed, ...change })).toEqual(expected);
        expect((await get()).body).toEqual(expected);
      }
      expect(await reported()).toEqual([changed(), ...changes.map(changed)]);
    });

    it('is changed by null, which clears a member', async () => {
      await save(ALL);
      const nothing = { budgets: null, availability: null, residency: null };
      expect(await save(nothing)).toMatchObject(nothing);
      expect((await get()).body).toMatchObject(nothing);
    });

    it('only by different values: equal ones are not announced', async () => {
      const first = await save({ profile_ids: [a, b], ...ALL });
      for (const same of [ALL, {}, { budgets: ALL.budgets }])
        expect(await save({ profile_ids: [a, b], ...same })).toEqual(first);
      expect(await reported()).toEqual([changed()]);
      expect((await entries()).map(({ details }) => (details as JsonObject).changed)).toEqual([
        false,
        false,
        false,
        true,
      ]);
    });

    it('is changed by many concurrent requests, which lose nothing of each other', async () => {
      const changes: JsonObject[] = [{ budgets: { gpus: 1 } }, { availability: 'always' }, { residency: 'eu' }];
      const saved = await Promise.all(
        Array.from({ length: 21 }, (_, place) =>
          untilServed(() =>
            saveFleet(org.operator, {
              fleet_id: fleetId,
              profile_ids: place % 2 ? [a, b] : [b, a],
              ...changes[place % changes.length],
            }),
          ),
        ),
      );
      expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200));
      const { body } = await get();
      expect(body).toMatchObject(Object.assign({}, ...changes) as JsonObject);
      expect([...(body.profile_ids as string[])].sort()).toEqual([a, b].sort());
    });
  });

  describe('is refused', () => {
    const REFUSED: [name: string, body: () => JsonObject, field: string, message: string][] = [
      ['without a name', () => ({ name: undefined }), 'name', 'is required'],
      ['with null as name', () => ({ name: null }), 'name', 'must not be null'],
      ['with an empty name', () => ({ name: '' }), 'name', 'must not be empty'],
      ['without a model', () => ({ logical_model: undefined }), 'logical_model', 'is required'],
      ['with an empty model', () => ({ logical_model: '' }), 'logical_model', 'must not be empty'],
      ['under an empty id', () => ({ fleet_id: '' }), 'fleet_id', 'must not be empty'],
      ['under a long id', () => ({ fleet_id: 'x'.repeat(254) }), 'fleet_id', 'must have at most 253 characters'],
      ['without profiles', () => ({ profile_ids: undefined }), 'profile_ids', 'is required'],
      ['with null as profiles', () => ({ profile_ids: null }), 'profile_ids', 'must not be null'],
      ['with one profile outside a list', () => ({ profile_ids: a }), 'profile_ids', 'must be an array'],
      [
        'with too many profiles',
        () => ({ profile_ids: Array.from({ length: 1_001 }, (_, place) => `p-${place}`) }),
        'profile_ids',
        'must hold at most 1000 elements',
      ],
      [
        'with a number as profile',
        () => ({ profile_ids: [a, 7] }),
        'profile_ids',
        '[1] must be a string of at most 253 characters',
      ],
      ['with an unknown profile', () => ({ profile_ids: [a, 'nobody'] }), 'profile_ids[1]', 'is no profile'],
      ['with an empty profile', () => ({ profile_ids: [''] }), 'profile_ids[0]', 'is no profile'],
      ['with a repeated profile', () => ({ profile_ids: [a, b, a] }), 'profile_ids', '[2] stands twice'],
      ['with a number as availability', () => ({ availability: 7 }), 'availability', 'must be a string'],
      ['with a list as residency', () => ({ residency: [] }), 'residency', 'must be a string'],
      ['with an unknown member', () => ({ created_at: null }), 'created_at', 'is not a member of this body'],
    ];
    it.each(REFUSED)('is refused %s', async (_what, body, field, message) => {
      const { status, body: problem } = await saveFleet(org.operator, { fleet_id: fleetId, ...body() });
      expect([status, problem.code, problem.errors]).toEqual([400, 'validation_failed', [{ field, message }]]);
      expect(unknown(await get())).toEqual([404, 'fleet_not_found']);
      expect(await reported()).toEqual([]);
    });

    it('names each unknown profile in a refusal', async () => {
      const { body } = await saveFleet(org.operator, { profile_ids: ['x', a, 'y'] });
      expect((body.errors as JsonObject[]).map(({ field }) => field)).toEqual(['profile_ids[0]', 'profile_ids[2]']);
    });

    it('is refused with profiles of another organisation', async () => {
      const other = await service.organisation();
      const { status, body } = await saveFleet(other.operator, { profile_ids: [a] });
      expect([status, body.errors]).toEqual([400, [{ field: 'profile_ids[0]', message: 'is no profile' }]]);
    });

    it('is refused to callers that are not operators', async () => {
      await save();
      for (const caller of [org.viewer, org.controller]) {
        expect((await saveFleet(caller, { fleet_id: fleetId, name: 'other' })).status).toBe(403);
        expect((await caller.delete(`${FLEETS}/${fleetId}`)).status).toBe(403);
      }
      expect((await saveFleet(service.as(undefined))).status).toBe(401);
      expect((await get()).body.name).toBe('chat');
    });
  });

  describe('is deleted', () => {
    it('is deleted for good, and announced', async () => {
      await save({ profile_ids: [a] });
      expect((await remove()).status).toBe(204);
      for (const answer of [await get(), await remove()]) expect(unknown(answer)).toEqual([404, 'fleet_not_found']);
      expect(await reported()).toEqual([changed(), changed()]);
      expect((await entries()).map(({ action }) => action)).toEqual(['delete_fleet', 'save_fleet']);
      // Its profiles are unchanged.
      expect((await org.viewer.get(`/v1/inference/profiles/${a}`)).status).toBe(200);
    });

    it('keeps nothing of a deleted fleet when it is created again', async () => {
      const before = await save({ profile_ids: [a], budgets: { gpus: 1 }, availability: 'always', residency: 'eu' });
      await remove();
      const anew = await save();
      expect(anew).toMatchObject({ profile_ids: [], budgets: null, availability: null, residency: null });
      expect(Date.parse(anew.created_at as string)).toBeGreaterThanOrEqual(Date.parse(before.created_at as string));
    });

    it('only if no route targets one of its profiles', async () => {
      const target = (await createProfile(org)).profile_id;
      const model = `model-${newId()}`;
      const saved = await save({ profile_ids: [a, target] });
      await saveRoute(org.operator, model, { targets: targetsOf(b, target) });
      expect(unknown(await remove())).toEqual([409, 'fleet_in_use']);
      expect((await get()).body).toEqual(saved);
      expect(await reported()).toEqual([changed()]);
      await saveRoute(org.operator, model, { targets: targetsOf(b) });
      expect((await remove()).status).toBe(204);
    });

    it('is deleted despite routes of another organisation', async () => {
      const other = await service.organisation();
      const { profile_id: id } = await createProfile(org);
      await createProfile(other, { profile_id: id });
      await saveRoute(other.operator, 'model', { targets: targetsOf(id) });
      await save({ profile_ids: [id] });
      expect((await remove()).status).toBe(204);
    });

    it('is deleted once by many concurrent requests', async () => {
      await save({ profile_ids: [a] });
      const answers = await Promise.all(Array.from({ length: 10 }, () => remove()));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 9 }, () => 404)]);
      expect(await reported()).toEqual([changed(), changed()]);
    });

    it('only in its own organisation: others cannot see it', async () => {
      const other = await service.organisation();
      await save();
      expect(unknown(await other.operator.delete(`${FLEETS}/${fleetId}`))).toEqual([404, 'fleet_not_found']);
      expect(unknown(await other.viewer.get(`${FLEETS}/${fleetId}`))).toEqual([404, 'fleet_not_found']);
      // What it saves under that id is its own.
      await saveFleet(other.operator, { fleet_id: fleetId, name: 'other' });
      expect((await get()).body.name).toBe('chat');
    });
  });

  it('is listed by id, page by page', async () => {
    const own = await service.organisation();
    expect((await own.viewer.get(FLEETS)).body).toEqual([]);
    const profile = (await createProfile(own)).profile_id;
    for (const id of ['b', 'c', 'a'])
      await saveFleet(own.operator, { fleet_id: id, profile_ids: id === 'b' ? [profile] : [] });
    const ids = async (query: string) => {
      const { body, headers } = await own.viewer.get(FLEETS + query);
      return [(body as JsonObject[]).map(({ fleet_id: id }) => id).join(''), headers.link];
    };
    expect(await ids('')).toEqual(['abc', undefined]);
    expect(await ids('?limit=2')).toEqual(['ab', expect.stringContaining('rel="next"')]);
    expect(await ids('?limit=2&offset=2')).toEqual(['c', undefined]);
    const { body } = await own.viewer.get(FLEETS);
    expect((body as JsonObject[])[1]).toEqual((await own.viewer.get(`${FLEETS}/b`)).body);
  });

  it('is listed with up to 16 MiB of budgets per page', async () => {
    const own = await service.organisation();
    for (let times = 0; times < 70; times++)
      await saveFleet(own.operator, { budgets: { note: 'x'.repeat(250 * 1_024) } });
    const { body, headers } = await own.viewer.get(FLEETS);
    const shown = (body as JsonObject[]).length;
    expect(shown).toBeGreaterThan(60);
    expect(shown).toBeLessThan(70);
    const rest = await own.viewer.get(/<([^>]+)>/.exec(headers.link ?? '')?.[1] ?? '');
    expect([(rest.body as JsonObject[]).length, rest.headers.link]).toEqual([70 - shown, undefined]);
  });
});
