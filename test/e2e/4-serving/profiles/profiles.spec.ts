import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventsOf, read } from '../../../support/outbox';
import { createProfile } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const PATH = '/v1/inference/profiles';

describe('a profile', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const required = (profileId = newId()): JsonObject => ({
    profile_id: profileId,
    logical_model: 'model',
    exact_model: 'exact/model',
    backend_url: 'http://model:8000',
    spec: { any: ['thing'] },
  });

  it.each(['prompt_usd_per_mtok', 'completion_usd_per_mtok'])('has at most the highest price as %s', async (name) => {
    const priced = (price: string) =>
      org.operator.post(
        PATH,
        JSON.stringify({ ...required(), spec: { pricing: { [name]: 0 } } }).replace(
          `"${name}":0`,
          `"${name}":${price}`,
        ),
      );
    for (const price of ['10000', '10000.000000000000000000', '0.12345678901234567890'])
      expect([price, (await priced(price)).status]).toEqual([price, 201]);
    for (const price of ['10001', '10000.00000000000000000001', '123456789012345678901', '-0.12345678901234567890']) {
      const { status, body } = await priced(price);
      expect([price, status, body.errors]).toEqual([
        price,
        400,
        [{ field: `spec.pricing.${name}`, message: 'must be a number of US dollars from 0 to 10,000' }],
      ]);
    }
  });

  it('is created with defaults, and an event announces it', async () => {
    const body = required();
    const answer = await org.operator.post(PATH, body);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...body,
        profile_revision: expect.stringMatching(/^[0-9a-f]{64}$/),
        compatibility_key: expect.stringMatching(/^[0-9a-f]{64}$/),
        hosting_mode: 'dedicated',
        estimated_cold_start_ms: 0,
        min_replicas: 0,
        max_replicas: 1,
        target_concurrency: 8,
        max_queue_depth: 64,
        scale_down_idle_seconds: 900,
        engine_template: null,
      },
    ]);
    const events = eventsOf(await read(org.viewer, { consumer_id: 'look' }));
    expect(events.filter(({ aggregate_id: id }) => id === body.profile_id)).toMatchObject([
      { event_type: 'profile.created', aggregate_type: 'profile', payload: { profile_id: body.profile_id } },
    ]);
  });

  it('is found again by an equal body in any notation, and announced once', async () => {
    const body: JsonObject = { ...required(), compatibility: { a: 1, b: [2] }, min_replicas: 0 };
    const first = await org.operator.post(PATH, body);
    const members = Object.entries({ ...body, compatibility: { b: [2], a: 1 } }).reverse();
    const { min_replicas: _, ...again } = Object.fromEntries(members);
    const second = await org.operator.post(PATH, again);
    expect([first.status, second.status, second.body]).toEqual([201, 200, first.body]);
    const events = eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1000 }));
    expect(events.filter(({ aggregate_id: id }) => id === body.profile_id)).toHaveLength(1);
  });

  it.each([
    ['spec', { spec: { any: ['other'] } }],
    ['logical_model', { logical_model: 'other' }],
    ['max_replicas', { max_replicas: 2 }],
    ['compatibility', { compatibility: { a: 1 } }],
    ['engine_template', { engine_template: {} }],
  ])('is immutable: answers a conflict for another %s under the same id', async (_member, change) => {
    const body = required();
    const first = await org.operator.post(PATH, body);
    const other = await org.operator.post(PATH, { ...body, ...change });
    expect([other.status, other.body.code]).toEqual([409, 'profile_exists']);
    expect((await org.viewer.get(`${PATH}/${String(body.profile_id)}`)).body).toEqual(first.body);
  });

  it('shares its compatibility key with profiles of the same compatibility, exact model and hosting mode', async () => {
    const key = async (overrides: JsonObject) => (await createProfile(org, overrides)).compatibility_key;
    const one = await key({ compatibility: { gpu: 'A', driver: 1 } });
    expect(await key({ compatibility: { driver: 1, gpu: 'A' }, logical_model: 'other', max_replicas: 3 })).toBe(one);
    for (const change of [{ compatibility: { gpu: 'B', driver: 1 } }, { exact_model: 'x' }, { hosting_mode: 'shared' }])
      expect(await key({ compatibility: { gpu: 'A', driver: 1 }, ...change })).not.toBe(one);
  });

  it('keeps members of any type as posted, digit by digit', async () => {
    const body = JSON.stringify({ ...required('digits'), spec: 'SPEC' }).replace(
      '"SPEC"',
      '{"n":9007199254740993,"__proto__":1}',
    );
    expect((await org.operator.post(PATH, body)).status).toBe(201);
    expect((await org.viewer.get(`${PATH}/digits`)).text).toContain('"spec":{"n":9007199254740993,"__proto__":1}');
    expect((await org.operator.post(PATH, body)).status).toBe(200);
  });

  it.each<[string, JsonObject]>([
    ['profile_id', { profile_id: '' }],
    ['profile_id', { profile_id: null }],
    ['logical_model', { logical_model: 7 }],
    ['backend_url', { backend_url: 'ftp://model' }],
    ['backend_url', { backend_url: 'http://user:password@model' }],
    ['backend_url', { backend_url: 'model:8000' }],
    ['spec', { spec: undefined }],
    ['compatibility', { compatibility: [1] }],
    ['compatibility', { compatibility: null }],
    ['min_replicas', { min_replicas: 2 }],
    ['min_replicas', { min_replicas: -1 }],
    ['max_replicas', { max_replicas: 0 }],
    ['target_concurrency', { target_concurrency: 0 }],
    ['max_queue_depth', { max_queue_depth: 1.5 }],
    ['estimated_cold_start_ms', { estimated_cold_start_ms: -1 }],
    ['hosting_mode', { hosting_mode: null }],
    ['unheard_of', { unheard_of: 1 }],
  ])('is refused with an invalid %s: %j', async (field, overrides) => {
    const answer = await org.operator.post(PATH, { ...required('bad'), ...overrides });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
    expect((await org.viewer.get(`${PATH}/bad`)).status).toBe(404);
  });

  describe('whose workers agents run', () => {
    const worker: JsonObject = {
      command: ['llama-server', '--port', '8000', ''],
      image: 'llama:1',
      port: 8_000,
      ready_path: '/health',
      env: { HF_HUB_OFFLINE: '1', EMPTY: '' },
      resources: { gpus: 1, cpus: 4, memory_mib: 16_384 },
      store: 'directory',
      network: 'isolated',
      start_timeout_seconds: 900,
      stop_grace_seconds: 0,
    };
    const body = (overrides: JsonObject = {}) => {
      const { backend_url: _, ...rest } = required();
      return { ...rest, spec: { worker }, ...overrides };
    };

    it('needs no address, and is scaled by default', async () => {
      const { status, body: view } = await org.operator.post(PATH, body());
      expect([status, view.backend_url, view.autoscale, view.spec]).toEqual([201, '', true, { worker }]);
      const still = await org.operator.post(PATH, body({ autoscale: false }));
      expect([still.status, still.body]).toEqual([201, expect.not.objectContaining({ autoscale: expect.anything() })]);
      expect((await org.operator.post(PATH, body({ backend_url: null }))).status).toBe(201);
      const other = await org.operator.post(PATH, { ...required(), autoscale: true });
      expect([other.status, other.body.autoscale]).toEqual([201, true]);
    });

    it('is the same one if the default of autoscale is named', async () => {
      const one = body();
      expect((await org.operator.post(PATH, one)).status).toBe(201);
      expect((await org.operator.post(PATH, { ...one, autoscale: true })).status).toBe(200);
      expect((await org.operator.post(PATH, { ...one, autoscale: false })).status).toBe(409);
    });

    it('needs no command if it has an image', async () => {
      expect((await org.operator.post(PATH, body({ spec: { worker: { image: 'llama:1' } } }))).status).toBe(201);
    });

    it.each<[string, unknown]>([
      ['spec.worker', ['llama-server']],
      ['spec.worker.command', {}],
      ['spec.worker.command', { command: 'llama-server' }],
      ['spec.worker.command', { command: [] }],
      ['spec.worker.command', { command: [''] }],
      ['spec.worker.command', { command: ['a', 7] }],
      ['spec.worker.port', { ...worker, port: 65_536 }],
      ['spec.worker.port', { ...worker, port: '8000' }],
      ['spec.worker.ready_path', { ...worker, ready_path: 'health' }],
      ['spec.worker.ready_path', { ...worker, ready_path: '/a b' }],
      ['spec.worker.env', { ...worker, env: ['A=1'] }],
      ['spec.worker.env.A', { ...worker, env: { A: 1 } }],
      ['spec.worker.env.1A', { ...worker, env: { '1A': '' } }],
      ['spec.worker.env.PORT', { ...worker, env: { PORT: '8000' } }],
      ['spec.worker.store', { ...worker, store: '/etc' }],
      ['spec.worker.network', { ...worker, network: 'bridge' }],
      ['spec.worker.start_timeout_seconds', { ...worker, start_timeout_seconds: 0 }],
      ['spec.worker.resources', { ...worker, resources: [] }],
      ['spec.worker.resources.cpus', { ...worker, resources: { cpus: 0.5 } }],
      ['spec.worker.resources.memory_mib', { ...worker, resources: { memory_mib: '2Gi' } }],
      ['spec.worker.resources.memory', { ...worker, resources: { memory: 1 } }],
      ['spec.worker.replicas', { ...worker, replicas: 2 }],
    ])('is refused with an invalid %s: %j', async (field, invalid) => {
      const answer = await org.operator.post(PATH, body({ spec: { worker: invalid } }));
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
    });

    it('needs an address if agents do not run them', async () => {
      const answer = await org.operator.post(PATH, body({ spec: {} }));
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'backend_url']);
    });
  });

  it('is listed by id, page by page', async () => {
    const own = await service.organisation();
    for (const id of ['c', 'a', 'b']) await createProfile(own, { profile_id: id });
    const first = await own.viewer.get(`${PATH}?limit=2`);
    expect((first.body as JsonObject[]).map(({ profile_id: id }) => id)).toEqual(['a', 'b']);
    expect(first.headers.link).toContain('offset=2');
    const rest = await own.viewer.get(`${PATH}?limit=2&offset=2`);
    expect((rest.body as JsonObject[]).map(({ profile_id: id }) => id)).toEqual(['c']);
  });

  it('is found by a part of its id or of a name of its model, in any case', async () => {
    const own = await service.organisation();
    await createProfile(own, { profile_id: 'llama-H100', logical_model: 'chat', exact_model: 'meta/Llama-3' });
    await createProfile(own, { profile_id: 'mistral_100%', logical_model: 'chat', exact_model: 'mistral/7B' });
    const found = async (name: string) =>
      (await own.viewer.get(`${PATH}?name=${encodeURIComponent(name)}`)).body.map(
        ({ profile_id: id }: JsonObject) => id,
      );
    const both = ['llama-H100', 'mistral_100%'];
    expect(await found('h100')).toEqual(['llama-H100']);
    expect(await found('CHAT')).toEqual(both);
    expect(await found('al/7b')).toEqual(['mistral_100%']);
    // Signs with a meaning in patterns are ordinary characters.
    expect(await found('_100%')).toEqual(['mistral_100%']);
    expect(await found('%')).toEqual(['mistral_100%']);
    expect(await found('gpt')).toEqual([]);
    expect(await found('')).toEqual(both);
  });

  it('is created once per Idempotency-Key: a repetition gets the first status and body', async () => {
    const body = required();
    const once = { 'idempotency-key': newId() };
    const [first, again] = [await org.operator.post(PATH, body, once), await org.operator.post(PATH, body, once)];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const known = { 'idempotency-key': newId() };
    const [existing, existingAgain] = [
      await org.operator.post(PATH, body, known),
      await org.operator.post(PATH, body, known),
    ];
    expect([existing.status, existingAgain.status]).toEqual([200, 200]);
  });

  it('may have any character in its id', async () => {
    const id = 'ns/model v1?#%ü';
    await createProfile(org, { profile_id: id });
    expect((await org.viewer.get(`${PATH}/${encodeURIComponent(id)}`)).body.profile_id).toBe(id);
  });

  it('is created once by many concurrent requests', async () => {
    const body = required();
    const answers = await Promise.all(Array.from({ length: 30 }, () => org.operator.post(PATH, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(29);
  });

  describe('shows how it is hosted', () => {
    const CASES: [string, JsonObject, JsonObject][] = [
      ['dedicated', { hosting_mode: 'dedicated' }, { checkpoint_owner: 'none', cpu_fixture: false }],
      ['shared', { hosting_mode: 'shared' }, { checkpoint_owner: 'none' }],
      ['another word', { hosting_mode: 'rented' }, { checkpoint_owner: 'none' }],
      ['checkpointed', { hosting_mode: 'checkpointed' }, { checkpoint_owner: 'controller' }],
      ['by its spec', { hosting_mode: 'dedicated', spec: { checkpoint: true } }, { checkpoint_owner: 'controller' }],
      [
        'as the default, if the spec does not name a mode',
        { hosting_mode: 'dedicated', spec: { checkpoint: 'true' } },
        { checkpoint_owner: 'none' },
      ],
      ['by an owner of its own', { spec: { checkpoint_owner: 'engine' } }, { checkpoint_owner: 'engine' }],
      ['on a CPU', { spec: { cpu_fixture: true } }, { cpu_fixture: true }],
      ['with a template', { engine_template: { image: 'vllm:1' } }, { engine_template: { image: 'vllm:1' } }],
    ];
    it.each(CASES)('shows how it is hosted %s', async (_name, overrides, expected) => {
      const { profile_id: id } = await createProfile(org, overrides);
      const profile = (await org.viewer.get(`${PATH}/${id}`)).body;
      const { body } = await org.controller.get(`${PATH}/${id}/hosting`);
      expect(body).toMatchObject({
        profile_id: id,
        hosting_mode: profile.hosting_mode,
        profile_revision: profile.profile_revision,
        compatibility_key: profile.compatibility_key,
        checkpoint_request: null,
        ...expected,
      });
    });
  });
});
