import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { EXPERIMENTS, startExperiment } from '../../../support/experiments';
import { eventsOf, read } from '../../../support/outbox';
import { createProfile } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

describe('an experiment', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    profileId = (await createProfile(org)).profile_id;
  });
  afterAll(() => service.close());

  const create = (body: JsonObject = {}): Promise<Answer> =>
    org.operator.post(EXPERIMENTS, { name: 'peak', scenario: 'soak', ...body });
  const get = (id: string) => org.viewer.get(`${EXPERIMENTS}/${id}`);
  const end = (id: string, status: unknown = 'completed') =>
    org.operator.post(`${EXPERIMENTS}/${id}/complete`, { status });
  const reported = async (id: string): Promise<unknown[]> =>
    eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1_000 }))
      .filter(({ aggregate_id: of }) => of === id)
      .map(({ event_type, aggregate_type, payload }) => ({ event_type, aggregate_type, payload }));
  const entries = async (id: string): Promise<JsonObject[]> =>
    (await org.operator.get(`/v1/audit?resource=${id}`)).body as JsonObject[];

  describe('is started', () => {
    it('is started with a name and a scenario, and without parameters or a profile', async () => {
      const { status, body } = await create();
      const experiment = {
        id: expect.any(String),
        name: 'peak',
        scenario: 'soak',
        status: 'running',
        started_at: expect.any(String),
        parameters: {},
        profile_id: null,
        completed_at: null,
      };
      expect([status, body]).toEqual([201, experiment]);
      expect((await get(body.id as string)).body).toEqual(body);
      expect(Math.abs(Date.parse(body.started_at as string) - Date.now())).toBeLessThan(60_000);
    });

    it('is started with all members', async () => {
      const all = { name: 'x'.repeat(253), scenario: '50 clients 🧪', parameters: { a: [1] }, profile_id: profileId };
      const { status, body } = await create(all);
      expect([status, body]).toMatchObject([201, all]);
      expect((await get(body.id as string)).body).toMatchObject(all);
    });

    it.each(['{"long":12345678901234567890123,"beyond":1e999999}', 'null', '[]', '"text"', '1e999999', 'false'])(
      'is started with parameters that are returned as sent: %s',
      async (parameters) => {
        const { status, text, body } = await org.operator.post(
          EXPERIMENTS,
          `{"name":"n","scenario":"s","parameters":${parameters}}`,
        );
        expect([status, text]).toEqual([201, expect.stringContaining(`"parameters":${parameters},`)]);
        expect((await get(body.id as string)).text).toBe(text);
        expect((await org.viewer.get(`${EXPERIMENTS}?limit=1`)).text).toContain(`"parameters":${parameters},`);
      },
    );

    it('is started without a profile if the profile is null', async () => {
      expect((await create({ profile_id: null })).body.profile_id).toBeNull();
    });

    it('is started once per Idempotency-Key', async () => {
      const once = { 'idempotency-key': newId() };
      const body = { name: newId(), scenario: 's' };
      const first = await org.operator.post(EXPERIMENTS, body, once);
      const again = await org.operator.post(EXPERIMENTS, body, once);
      expect([again.status, again.text]).toEqual([201, first.text]);
      const { rows } = await service.db.query('select from experiments where name = $1', [body.name]);
      expect(rows).toHaveLength(1);
    });

    it('announces the start of an experiment by ids only', async () => {
      const id = await startExperiment(org, { profile_id: profileId });
      const event = { aggregate_type: 'experiment', payload: { experiment_id: id } };
      expect(await reported(id)).toEqual([{ event_type: 'experiment.created', ...event }]);
      await end(id, 'cancelled');
      expect(await reported(id)).toEqual([
        { event_type: 'experiment.created', ...event },
        { event_type: 'experiment.completed', ...event },
      ]);
    });

    it('audits an experiment at its start and at its end', async () => {
      const { body, headers } = await create({ profile_id: profileId });
      const id = body.id as string;
      const ended = await end(id);
      expect(await entries(id)).toMatchObject([
        {
          action: 'complete_experiment',
          actor_role: 'operator',
          resource_type: 'experiment',
          request_id: ended.headers['x-request-id'],
          details: { status: 'completed' },
        },
        {
          action: 'create_experiment',
          actor_role: 'operator',
          resource_type: 'experiment',
          request_id: headers['x-request-id'],
          details: { name: 'peak', scenario: 'soak', profile_id: profileId },
        },
      ]);
    });

    const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
      ['without a name', { name: undefined }, 'name', 'is required'],
      ['with null as name', { name: null }, 'name', 'must not be null'],
      ['with an empty name', { name: '' }, 'name', 'must not be empty'],
      ['with a name that is too long', { name: 'x'.repeat(254) }, 'name', 'must have at most 253 characters'],
      ['without a scenario', { scenario: undefined }, 'scenario', 'is required'],
      ['with an object as scenario', { scenario: {} }, 'scenario', 'must be a string'],
      ['with an empty scenario', { scenario: '' }, 'scenario', 'must not be empty'],
      ['with an unknown profile', { profile_id: 'nobody' }, 'profile_id', 'is no profile'],
      ['with an empty profile', { profile_id: '' }, 'profile_id', 'must not be empty'],
      ['with an unknown member', { status: 'running' }, 'status', 'is not a member of this body'],
      [
        'with too many parameters',
        { parameters: 'x'.repeat(256 * 1_024) },
        'parameters',
        'must be at most 262144 bytes of JSON',
      ],
    ];
    it.each(REFUSED)('refuses an experiment %s', async (_what, body, field, message) => {
      const before = await service.db.query('select from experiments');
      const answer = await create(body);
      expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
        400,
        'validation_failed',
        [{ field, message }],
      ]);
      expect((await service.db.query('select from experiments')).rowCount).toBe(before.rowCount);
    });

    it('lets only operators start an experiment', async () => {
      for (const caller of [org.viewer, org.controller]) {
        const { status, body } = await caller.post(EXPERIMENTS, { name: 'n', scenario: 's' });
        expect([status, body.code]).toEqual([403, 'forbidden']);
      }
      expect((await service.as(undefined).post(EXPERIMENTS, { name: 'n', scenario: 's' })).status).toBe(401);
    });

    it('refuses an experiment on a profile of another organisation', async () => {
      const other = await service.organisation();
      const { status, body } = await other.operator.post(EXPERIMENTS, {
        name: 'n',
        scenario: 's',
        profile_id: profileId,
      });
      expect([status, body.errors]).toEqual([400, [{ field: 'profile_id', message: 'is no profile' }]]);
    });
  });

  describe('ends', () => {
    it.each(['completed', 'cancelled'])('ends as %s, and stays so', async (status) => {
      const { body: running } = await create({ profile_id: profileId, parameters: { clients: 5 } });
      const answer = await end(running.id as string, status);
      expect([answer.status, answer.body]).toEqual([
        200,
        { ...running, status, completed_at: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]);
      expect(Date.parse(answer.body.completed_at as string)).toBeGreaterThanOrEqual(
        Date.parse(running.started_at as string),
      );
      for (const again of ['completed', 'cancelled']) {
        const second = await end(running.id as string, again);
        expect([second.status, second.body.code]).toEqual([404, 'experiment_not_found']);
      }
      expect((await get(running.id as string)).body).toEqual(answer.body);
      expect(await reported(running.id as string)).toHaveLength(2);
    });

    it('ends once, however many requests end it at the same moment', async () => {
      const elsewhere = await service.replica();
      const id = await startExperiment(org);
      const { token = '' } = org.operator;
      const ends = await Promise.all(
        Array.from({ length: 20 }, (_, place) =>
          fetch(`${place % 2 ? elsewhere.url : service.url}${EXPERIMENTS}/${id}/complete`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ status: place % 3 ? 'completed' : 'cancelled' }),
          }).then(async (answer) => ({ status: answer.status, body: (await answer.json()) as JsonObject })),
        ),
      );
      const [won, ...others] = [...ends].sort((one, other) => one.status - other.status);
      expect([won?.status, ...others.map(({ status }) => status)]).toEqual([200, ...others.map(() => 404)]);
      expect((await get(id)).body).toEqual(won?.body);
      expect(await reported(id)).toHaveLength(2);
      expect(await entries(id)).toHaveLength(2);
    });

    it.each([{ status: 'running' }, { status: 'done' }, { status: null }, { status: 7 }, {}])(
      'refuses to end an experiment with %j',
      async (body) => {
        const id = await startExperiment(org);
        const answer = await org.operator.post(`${EXPERIMENTS}/${id}/complete`, body);
        expect([answer.status, (answer.body.errors as JsonObject[]).map(({ field }) => field)]).toEqual([
          400,
          ['status'],
        ]);
        expect((await get(id)).body.status).toBe('running');
      },
    );

    it('answers 404 for an unknown experiment', async () => {
      for (const answer of [await end(newId()), await get(newId())])
        expect([answer.status, answer.body.code]).toEqual([404, 'experiment_not_found']);
      for (const answer of [await end('nothing'), await get('nothing')])
        expect([answer.status, answer.body.errors]).toEqual([400, [{ field: 'id', message: 'must be a UUID' }]]);
    });

    it('answers 404 for an experiment of another organisation', async () => {
      const id = await startExperiment(org);
      const other = await service.organisation();
      const answers = [
        await other.operator.post(`${EXPERIMENTS}/${id}/complete`, { status: 'completed' }),
        await other.viewer.get(`${EXPERIMENTS}/${id}`),
      ];
      for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'experiment_not_found']);
      expect((await other.viewer.get(EXPERIMENTS)).body).toEqual([]);
      expect((await get(id)).body.status).toBe('running');
    });

    it('lets only operators end an experiment', async () => {
      const id = await startExperiment(org);
      for (const caller of [org.viewer, org.controller])
        expect((await caller.post(`${EXPERIMENTS}/${id}/complete`, { status: 'completed' })).status).toBe(403);
      expect((await get(id)).body.status).toBe('running');
    });
  });

  describe('is listed', () => {
    const observe = async (own: Organisation, experimentId: string | null): Promise<void> => {
      const answer = await own.controller.post('/v1/inference/observations', {
        observation_key: newId(),
        event_type: 'request',
        evidence: 'measured',
        source: 'bench',
        started_at: '2026-01-01T00:00:00Z',
        experiment_id: experimentId,
      });
      expect(answer.status).toBe(201);
    };

    it('is listed newest first, page by page', async () => {
      const own = await service.organisation();
      expect((await own.viewer.get(EXPERIMENTS)).body).toEqual([]);
      for (const name of ['1', '2', '3']) await startExperiment(own, { name });
      const names = async (query: string) => {
        const { body, headers } = await own.viewer.get(EXPERIMENTS + query);
        return [(body as JsonObject[]).map(({ name }) => name).join(''), headers.link];
      };
      expect(await names('')).toEqual(['321', undefined]);
      expect(await names('?limit=2')).toEqual(['32', expect.stringContaining('rel="next"')]);
      expect(await names('?limit=2&offset=2')).toEqual(['1', undefined]);
      expect((await own.viewer.get(`${EXPERIMENTS}?limit=0`)).status).toBe(400);
    });

    it('is listed by its status, its profile and a part of its name', async () => {
      const own = await service.organisation();
      const { profile_id: id } = await createProfile(own);
      const ids = new Map<string, string>();
      for (const [name, more] of [
        ['Evening peak', { profile_id: id }],
        ['peak 100%', {}],
        ['soak', { profile_id: id }],
      ] as const)
        ids.set(name, await startExperiment(own, { name, ...more }));
      await own.operator.post(`${EXPERIMENTS}/${ids.get('soak')}/complete`, { status: 'cancelled' });
      const names = async (query: string, of = own) =>
        ((await of.viewer.get(`${EXPERIMENTS}?${query}`)).body as JsonObject[]).map(({ name }) => name);
      expect(await names('status=running')).toEqual(['peak 100%', 'Evening peak']);
      expect(await names('status=cancelled')).toEqual(['soak']);
      expect(await names('status=completed')).toEqual([]);
      expect(await names('name=PEAK')).toEqual(['peak 100%', 'Evening peak']);
      expect(await names('name=0%25')).toEqual(['peak 100%']);
      expect(await names(`profile_id=${id}`)).toEqual(['soak', 'Evening peak']);
      expect(await names(`profile_id=${id}&status=running&name=even`)).toEqual(['Evening peak']);
      expect(await names('name=peak&limit=1&offset=1')).toEqual(['Evening peak']);
      expect(await names('name=even', await service.organisation())).toEqual([]);
      const refused = await own.viewer.get(`${EXPERIMENTS}?status=ended`);
      expect([refused.status, (refused.body.errors as JsonObject[])[0]?.field]).toEqual([400, 'status']);
    });

    it('is listed with the number of observations that name it', async () => {
      const own = await service.organisation();
      const [first, second, third] = [
        await startExperiment(own),
        await startExperiment(own),
        await startExperiment(own),
      ];
      for (let times = 0; times < 3; times++) await observe(own, first);
      await observe(own, third);
      await observe(own, null);
      await observe(own, newId());
      // Another organisation may name any experiment.
      await observe(org, second);
      const { body } = await own.viewer.get(EXPERIMENTS);
      expect((body as JsonObject[]).map(({ id, observations }) => [id, observations])).toEqual([
        [third, 1],
        [second, 0],
        [first, 3],
      ]);
      const { body: one } = await own.viewer.get(`${EXPERIMENTS}/${first}`);
      expect((body as JsonObject[])[2]).toEqual({ ...(one as JsonObject), observations: 3 });
    });

    it('lists at most 16 MiB of parameters per page', async () => {
      const own = await service.organisation();
      const parameters = { note: 'x'.repeat(250 * 1_024) };
      for (let times = 0; times < 70; times += 10)
        await Promise.all(Array.from({ length: 10 }, () => startExperiment(own, { parameters })));
      const { body, headers } = await own.viewer.get(EXPERIMENTS);
      const shown = (body as JsonObject[]).length;
      expect(shown).toBeGreaterThan(60);
      expect(shown).toBeLessThan(70);
      const rest = await own.viewer.get(/<([^>]+)>/.exec(headers.link ?? '')?.[1] ?? '');
      expect([(rest.body as JsonObject[]).length, rest.headers.link]).toEqual([70 - shown, undefined]);
    });
  });
});
