import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { saveRoute, targetsOf } from '../../../support/inference';
import { eventsOf, read } from '../../../support/outbox';
import { createProfile } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

const ROUTES = '/v1/inference/routes';
const INTEGER = 'must be an integer that a double holds exactly (up to 2^53-1)';
const SCHEMA = JSON.stringify({ type: 'object', properties: { tier: { enum: ['large', 'small'] } } });

describe('a route', () => {
  let service: Service;
  let org: Organisation;
  let large: string;
  let small: string;
  let model: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    [large, small] = [(await createProfile(org)).profile_id, (await createProfile(org)).profile_id];
  });
  afterAll(() => service.close());
  beforeEach(() => {
    model = `model-${newId()}`;
  });

  const save = async (body: JsonObject = {}): Promise<JsonObject> => {
    const { status, body: saved, text } = await saveRoute(org.operator, model, body);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return saved as JsonObject;
  };
  const stored = async (): Promise<JsonObject | undefined> =>
    ((await org.viewer.get(ROUTES)).body as JsonObject[]).find(({ logical_model: of }) => of === model);
  const faults = ({ status, body }: Answer) => [status, body.code, body.errors];
  /** Generations that the outbox announces. */
  const published = async (): Promise<unknown[]> =>
    eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1_000 }))
      .filter(({ event_type: type, aggregate_id: id }) => type === 'route.published' && id === model)
      .map(({ payload }) => (payload as JsonObject).generation);
  const twoTargets = () => targetsOf(large, small);

  describe('is saved', () => {
    it('is saved with its name only: it waits 30 seconds, goes by priority and has no targets', async () => {
      const saved = await save();
      expect(saved).toEqual({
        logical_model: model,
        mode: 'priority',
        queue_timeout_ms: 30_000,
        generation: 1,
        classifier_profile_id: null,
        classifier_prompt: null,
        classifier_response_schema: null,
        targets: [],
      });
      expect(await stored()).toEqual(saved);
    });

    it('is saved with all members', async () => {
      const body = {
        mode: 'classifier',
        queue_timeout_ms: 0,
        classifier_profile_id: small,
        classifier_prompt: 'Pick "large" for proofs. 🧪',
        classifier_response_schema: SCHEMA,
        targets: [
          { profile_id: large, tier: 'large', priority: -5 },
          { profile_id: small, tier: 'small', priority: 2_147_483_647 },
        ],
      };
      const saved = await save(body);
      expect(saved).toEqual({ logical_model: model, generation: 1, ...body });
      expect(await stored()).toEqual(saved);
    });

    it('is saved with its targets in the order in which they are tried; of equal priority, in the order sent', async () => {
      const third = (await createProfile(org)).profile_id;
      const reported = [
        { profile_id: third, tier: 'c', priority: 2 },
        { profile_id: small, tier: 'b', priority: 1 },
        { profile_id: large, tier: 'a', priority: 1 },
      ];
      const order = [reported[1], reported[2], reported[0]];
      expect((await save({ targets: reported })).targets).toEqual(order);
      expect((await stored())?.targets).toEqual(order);
    });

    it('is saved under names with any characters', async () => {
      for (const name of ['a/b:c d', '模型', "'; drop table routes --", '%', 'x'.repeat(253)]) {
        const { status, body } = await saveRoute(org.operator, name);
        expect([status, body.logical_model, body.generation]).toEqual([200, name, 1]);
        expect((await saveRoute(org.operator, name, { queue_timeout_ms: 1 })).body.generation).toBe(2);
      }
    });

    it('is saved with profiles of other models: a small one may replace a large one', async () => {
      const other = (await createProfile(org, { logical_model: 'another' })).profile_id;
      expect((await save({ targets: targetsOf(other) })).targets).toEqual(targetsOf(other));
    });

    it('is saved once per Idempotency-Key', async () => {
      const once = { 'idempotency-key': newId() };
      const body = { logical_model: model, queue_timeout_ms: 7 };
      const first = await org.operator.post(ROUTES, body, once);
      await save({ queue_timeout_ms: 8 });
      const again = await org.operator.post(ROUTES, body, once);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(await stored()).toMatchObject({ queue_timeout_ms: 8, generation: 2 });
    });
  });

  describe('is changed', () => {
    it('only in the given members: the others stay', async () => {
      const first = await save({
        mode: 'classifier',
        queue_timeout_ms: 5_000,
        classifier_profile_id: small,
        classifier_prompt: 'Pick.',
        classifier_response_schema: SCHEMA,
        targets: twoTargets(),
      });
      const changes: JsonObject[] = [
        { queue_timeout_ms: 6_000 },
        { classifier_prompt: 'Choose.' },
        { classifier_response_schema: '{}' },
        { classifier_profile_id: large },
        { targets: targetsOf(small) },
        { mode: 'priority' },
      ];
      let expected = first;
      for (const [place, change] of changes.entries()) {
        expected = { ...expected, ...change, generation: place + 2 };
        expect(await save(change)).toEqual(expected);
        expect(await stored()).toEqual(expected);
      }
    });

    it('is changed by null, which clears a member, and by an empty list, which removes the targets', async () => {
      await save({
        classifier_profile_id: small,
        classifier_prompt: 'Pick.',
        classifier_response_schema: SCHEMA,
        targets: twoTargets(),
      });
      expect(
        await save({
          classifier_profile_id: null,
          classifier_prompt: null,
          classifier_response_schema: null,
          targets: [],
        }),
      ).toMatchObject({
        classifier_profile_id: null,
        classifier_prompt: null,
        classifier_response_schema: null,
        targets: [],
        generation: 2,
      });
    });

    it('changes if only the order of its targets does', async () => {
      await save({
        targets: [
          { profile_id: large, tier: 'a', priority: 1 },
          { profile_id: small, tier: 'a', priority: 1 },
        ],
      });
      const swapped = await save({
        targets: [
          { profile_id: small, tier: 'a', priority: 1 },
          { profile_id: large, tier: 'a', priority: 1 },
        ],
      });
      expect(swapped.generation).toBe(2);
      expect((swapped.targets as JsonObject[]).map(({ profile_id: id }) => id)).toEqual([small, large]);
    });

    it.each<[string, JsonObject]>([
      ['in a tier', { tier: 'other' }],
      ['in a priority', { priority: 9 }],
    ])('changes if targets differ only %s', async (_what, change) => {
      const [first, second] = twoTargets();
      await save({ targets: [first, second] });
      const saved = await save({ targets: [first, { ...second, ...change }] });
      expect([saved.generation, saved.targets]).toEqual([2, [first, { ...second, ...change }]]);
    });

    it('only by different values: equal ones keep the generation, and are not announced', async () => {
      const body = { queue_timeout_ms: 5_000, classifier_prompt: 'Pick.', targets: twoTargets() };
      const first = await save(body);
      for (const same of [
        body,
        {},
        { targets: [...twoTargets()].reverse() },
        { mode: 'priority' },
        { classifier_profile_id: null },
      ])
        expect(await save(same)).toEqual(first);
      expect(await published()).toEqual([1]);
      // It was requested all the same.
      const { body: entries } = await org.operator.get(`/v1/audit?resource=${encodeURIComponent(model)}`);
      expect((entries as JsonObject[]).map(({ details }) => (details as JsonObject).changed)).toEqual([
        false,
        false,
        false,
        false,
        false,
        true,
      ]);
    });
  });

  it('announces every change by its generation only', async () => {
    await save({ targets: twoTargets() });
    await save({ queue_timeout_ms: 1 });
    await save({ queue_timeout_ms: 1 });
    await save({ queue_timeout_ms: 2 });
    const events = eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1_000 }));
    expect(events.filter(({ aggregate_id: id }) => id === model)).toEqual(
      [1, 2, 3].map((generation) => ({
        id: expect.any(Number),
        aggregate_type: 'route',
        aggregate_id: model,
        event_type: 'route.published',
        payload: { logical_model: model, generation },
        created_at: expect.any(String),
      })),
    );
  });

  it('is audited with each change', async () => {
    const { headers } = await saveRoute(org.operator, model, { targets: twoTargets() });
    const { body } = await org.operator.get(`/v1/audit?resource=${encodeURIComponent(model)}`);
    expect(body).toEqual([
      {
        id: expect.any(String),
        occurred_at: expect.any(String),
        actor_id: (await org.operator.get('/v1/user')).text,
        actor_role: 'operator',
        action: 'save_route',
        resource_type: 'route',
        resource_id: model,
        request_id: headers['x-request-id'],
        details: { changed: true, generation: 1, mode: 'priority', targets: [large, small] },
      },
    ]);
  });

  describe('is refused', () => {
    const REFUSED: [name: string, body: () => JsonObject, field: string, message: string][] = [
      ['an unknown mode', () => ({ mode: 'random' }), 'mode', 'must be one of priority, classifier'],
      ['null as mode', () => ({ mode: null }), 'mode', 'must not be null'],
      ['a negative time', () => ({ queue_timeout_ms: -1 }), 'queue_timeout_ms', 'must be at least 0'],
      ['a time above an hour', () => ({ queue_timeout_ms: 3_600_001 }), 'queue_timeout_ms', 'must be at most 3600000'],
      ['a time that is a string', () => ({ queue_timeout_ms: '30000' }), 'queue_timeout_ms', INTEGER],
      ['a fraction of a millisecond', () => ({ queue_timeout_ms: 0.5 }), 'queue_timeout_ms', INTEGER],
      ['null as time', () => ({ queue_timeout_ms: null }), 'queue_timeout_ms', 'must not be null'],
      ['null as targets', () => ({ targets: null }), 'targets', 'must not be null'],
      ['one target outside a list', () => ({ targets: twoTargets()[0] }), 'targets', 'must be an array'],
      ['an unknown member', () => ({ generation: 7 }), 'generation', 'is not a member of this body'],
      ['a number as prompt', () => ({ classifier_prompt: 7 }), 'classifier_prompt', 'must be a string'],
      ['an empty classifier', () => ({ classifier_profile_id: '' }), 'classifier_profile_id', 'must not be empty'],
      ['an unknown classifier', () => ({ classifier_profile_id: 'nobody' }), 'classifier_profile_id', 'is no profile'],
      [
        'a mode without a classifier',
        () => ({ mode: 'classifier' }),
        'classifier_profile_id',
        'is required for mode classifier',
      ],
      [
        'a mode whose classifier is removed',
        () => ({ mode: 'classifier', classifier_profile_id: null }),
        'classifier_profile_id',
        'is required for mode classifier',
      ],
      [
        'a schema that is not JSON',
        () => ({ classifier_response_schema: 'tier' }),
        'classifier_response_schema',
        'must be a JSON Schema: an object, as text',
      ],
      [
        'an empty schema',
        () => ({ classifier_response_schema: '' }),
        'classifier_response_schema',
        'must be a JSON Schema: an object, as text',
      ],
      [
        'an invalid schema',
        () => ({ classifier_response_schema: '{"type":"tier"}' }),
        'classifier_response_schema',
        'must be a valid JSON Schema',
      ],
      [
        'a schema with a regular expression',
        () => ({ classifier_response_schema: '{"pattern":"(a+)+$"}' }),
        'classifier_response_schema',
        'must not use pattern',
      ],
      [
        'a schema that is an object',
        () => ({ classifier_response_schema: {} }),
        'classifier_response_schema',
        'must be a string',
      ],
      [
        'an unknown profile',
        () => ({ targets: [...twoTargets(), { profile_id: 'nobody', tier: 'a', priority: 3 }] }),
        'targets[2].profile_id',
        'is no profile',
      ],
      [
        'a repeated profile',
        () => ({ targets: [...twoTargets(), { profile_id: large, tier: 'a', priority: 3 }] }),
        'targets[2].profile_id',
        'stands twice',
      ],
      [
        'a target without a tier',
        () => ({ targets: [{ profile_id: large, priority: 1 }] }),
        'targets[0].tier',
        'is required',
      ],
      [
        'a target with an empty tier',
        () => ({ targets: [{ profile_id: large, tier: '', priority: 1 }] }),
        'targets[0].tier',
        'must not be empty',
      ],
      [
        'a target without a priority',
        () => ({ targets: [{ profile_id: large, tier: 'a' }] }),
        'targets[0].priority',
        'is required',
      ],
      [
        'a target with a fraction as priority',
        () => ({ targets: [{ profile_id: large, tier: 'a', priority: 1.5 }] }),
        'targets[0].priority',
        INTEGER,
      ],
      [
        'a target without a profile',
        () => ({ targets: [{ tier: 'a', priority: 1 }] }),
        'targets[0].profile_id',
        'is required',
      ],
      [
        'a target with an unknown member',
        () => ({ targets: [{ ...twoTargets()[0], weight: 1 }] }),
        'targets[0].weight',
        'is not a member of this body',
      ],
      ['a target that is not an object', () => ({ targets: ['large'] }), 'targets', '[0] must be an object'],
      [
        'too many targets',
        () => ({ targets: Array.from({ length: 65 }, (_, n) => ({ profile_id: `p${n}`, tier: 'a', priority: n })) }),
        'targets',
        'must hold at most 64 elements',
      ],
    ];
    it.each(REFUSED)('is refused with %s', async (_what, body, field, message) => {
      expect(faults(await saveRoute(org.operator, model, body()))).toEqual([
        400,
        'validation_failed',
        [{ field, message }],
      ]);
      expect(await stored()).toBeUndefined();
      expect(await published()).toEqual([]);
    });

    it.each<[string, unknown, string]>([
      ['none', undefined, 'is required'],
      ['empty', '', 'must not be empty'],
      ['too long', 'x'.repeat(254), 'must have at most 253 characters'],
      ['a number', 7, 'must be a string'],
      ['invalid Unicode', '\ud800', 'must not contain half a surrogate pair'],
    ])('is refused with a name that is %s', async (_what, name, message) => {
      const answer = await org.operator.post(ROUTES, { logical_model: name });
      expect(faults(answer)).toEqual([400, 'validation_failed', [{ field: 'logical_model', message }]]);
    });

    it('names every error of its targets in a refusal', async () => {
      const [first] = twoTargets();
      const targets = [
        { profile_id: 'nobody', tier: 'a', priority: 1 },
        first,
        { profile_id: 'no one', tier: 'a', priority: 2 },
      ];
      const answer = await saveRoute(org.operator, model, { targets, classifier_profile_id: 'somebody' });
      expect(faults(answer)).toEqual([
        400,
        'validation_failed',
        [
          { field: 'targets[0].profile_id', message: 'is no profile' },
          { field: 'targets[2].profile_id', message: 'is no profile' },
          { field: 'classifier_profile_id', message: 'is no profile' },
        ],
      ]);
    });

    it('changes nothing if a change is refused', async () => {
      const first = await save({ targets: twoTargets() });
      const refused = await saveRoute(org.operator, model, { queue_timeout_ms: 1, targets: targetsOf('nobody') });
      expect(refused.status).toBe(400);
      expect(await stored()).toEqual(first);
      expect(await published()).toEqual([1]);
    });

    it('is refused if a change would leave the mode without its classifier', async () => {
      const first = await save({ mode: 'classifier', classifier_profile_id: small });
      const answer = await saveRoute(org.operator, model, { classifier_profile_id: null });
      expect(faults(answer)).toEqual([
        400,
        'validation_failed',
        [{ field: 'classifier_profile_id', message: 'is required for mode classifier' }],
      ]);
      expect(await stored()).toEqual(first);
      expect(await save({ mode: 'priority', classifier_profile_id: null })).toMatchObject({
        mode: 'priority',
        generation: 2,
      });
    });
  });

  describe('saved by many concurrent requests', () => {
    const CALLERS = 20;
    const all = <T>(work: (caller: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)));

    it('has a generation for each that changed something', async () => {
      const saved = await all((caller) => save({ queue_timeout_ms: 1_000 + caller, targets: twoTargets() }));
      const generations = saved.map(({ generation }) => generation as number).sort((one, other) => one - other);
      expect(generations).toEqual(Array.from({ length: CALLERS }, (_, place) => place + 1));
      const last = saved.find(({ generation }) => generation === CALLERS);
      expect(await stored()).toEqual(last);
      expect(await published()).toEqual(generations);
    });

    it('has one generation for all that wanted the same', async () => {
      const saved = await all(() => save({ queue_timeout_ms: 1_234, targets: twoTargets() }));
      expect(saved.map(({ generation }) => generation)).toEqual(saved.map(() => 1));
      expect(await published()).toEqual([1]);
    });

    it('keeps all of their different changes', async () => {
      await save({ targets: twoTargets() });
      const changes: JsonObject[] = [
        { queue_timeout_ms: 4_321 },
        { classifier_prompt: 'Pick.' },
        { classifier_profile_id: small },
        { classifier_response_schema: SCHEMA },
        { targets: targetsOf(small, large) },
      ];
      await all((caller) => save(changes[caller % changes.length]));
      expect(await stored()).toEqual({
        logical_model: model,
        mode: 'priority',
        generation: 1 + changes.length,
        ...Object.assign({}, ...changes),
      });
      expect(await published()).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it('applies them one after the other, over two replicas too', async () => {
      const other = await service.replica();
      const { token } = org.operator;
      const save = async (url: string, milliseconds: number): Promise<number> => {
        const answer = await fetch(`${url}${ROUTES}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ logical_model: model, queue_timeout_ms: milliseconds }),
        });
        return ((await answer.json()) as { generation: number }).generation;
      };
      const generations = await all((caller) => save(caller % 2 ? other.url : service.url, 1_000 + caller));
      expect(generations.sort((one, other) => one - other)).toEqual(
        Array.from({ length: CALLERS }, (_, place) => place + 1),
      );
    });
  });

  it('is listed by name, page by page', async () => {
    const own = await service.organisation();
    expect((await own.viewer.get(ROUTES)).body).toEqual([]);
    const names = ['b', 'a', 'd', 'c'];
    for (const name of names) expect((await saveRoute(own.operator, name)).status).toBe(200);
    const listed = async (query = '') => {
      const { body, headers } = await own.viewer.get(`${ROUTES}${query}`);
      return [(body as JsonObject[]).map(({ logical_model: name }) => name).join(''), headers.link];
    };
    expect(await listed()).toEqual(['abcd', undefined]);
    expect(await listed('?limit=3')).toEqual(['abc', expect.stringContaining('rel="next"')]);
    expect(await listed('?limit=3&offset=3')).toEqual(['d', undefined]);
    expect(await listed('?name=C')).toEqual(['c', undefined]);
    expect(await listed('?name=%25')).toEqual(['', undefined]);
  });
});
