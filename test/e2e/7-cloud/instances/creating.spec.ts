import { newId } from '../../../../src/1-platform/common/ids';
import { InstanceProvider } from '../../../../src/7-cloud/instances/providers/instance-provider';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import {
  buildInstance,
  createInstance,
  INSTANCES,
  listed,
  keepFresh,
  outdate,
  statusOf,
} from '../../../support/instances';
import { eventually } from '../../../support/eventually';
import { gate, Marketplace, MARKETPLACE_KEY, slow, type Behaviour } from '../../../support/marketplace';
import { Service, type Organisation } from '../../../support/service';

const WHOLE: JsonObject = {
  os: 'ubuntu22.04_cuda12.2_shade_os',
  ssh_key_id: 'ssh-1',
  template_id: 'template-1',
  tags: ['training'],
  volume_ids: ['volume-1'],
  envs: [{ name: 'TOKEN', value: 'hidden-1' }],
  alert: { date_threshold: '2030-01-01T00:00:00Z', spend_threshold: '3.14' },
  auto_delete: { date_threshold: null, spend_threshold: '10' },
  volume_mount: { auto: true },
  launch_configuration: {
    type: 'docker',
    docker_configuration: {
      image: 'vllm/vllm-openai:latest',
      args: '--model Qwen',
      shared_memory_in_gb: 8,
      envs: [{ name: 'INNER', value: 'hidden-2' }],
      port_mappings: [{ host_port: 80, container_port: 8000 }],
      volume_mounts: [{ host_path: '/cache', container_path: '/root/.cache' }],
      registry_credentials: { username: 'hidden-3', password: 'hidden-4' },
    },
    script_configuration: null,
  },
};

describe('creating an instance', () => {
  let service: Service;
  let market: Marketplace;
  let org: Organisation;

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start({ marketplace: market.settings() });
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    await market.close();
  });
  beforeEach(() => market.reset());

  const records = async (): Promise<JsonObject[]> =>
    (await service.db.query('select * from instances where org_id = $1 order by created_at', [org.id])).rows;
  const newest = async (): Promise<JsonObject> => (await records()).at(-1) ?? {};

  it('sends one request to the marketplace, with its names and the tag of the record', async () => {
    const answer = await createInstance(org.operator, WHOLE);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        instance_id: expect.any(String),
        cloud_provider: 'hyperstack',
        instance_type: 'A6000',
        region: 'canada-1',
        status: 'creating',
      },
    ]);
    const id = answer.body.instance_id as string;
    const [ask, ...further] = market.asked('create');
    expect(further).toEqual([]);
    const docker = (WHOLE.launch_configuration as JsonObject).docker_configuration;
    expect(ask?.body).toEqual({
      ...WHOLE,
      cloud: 'hyperstack',
      region: 'canada-1',
      shade_instance_type: 'A6000',
      shade_cloud: true,
      name: 'burst',
      tags: ['training', `ccp-${id}`],
      // Null members are left out: the marketplace accepts no null.
      auto_delete: { spend_threshold: '10' },
      launch_configuration: { type: 'docker', docker_configuration: docker },
    });
    expect([ask?.headers['x-api-key'], ask?.url]).toEqual([MARKETPLACE_KEY, '/v1/instances/create']);
    expect(await newest()).toMatchObject({ id, phase: 'placed', provider_id: market.machines[0]?.id });
    const { rows } = await service.db.query("select * from audit_entries where action = 'create_instance'");
    expect(rows).toEqual([expect.objectContaining({ resource_type: 'instance', resource_id: id })]);
  });

  it('accepts null where it is allowed, and leaves it out', async () => {
    const names = Object.keys(WHOLE);
    expect((await createInstance(org.operator, Object.fromEntries(names.map((name) => [name, null])))).status).toBe(
      200,
    );
    const asked = market.asked('create')[0]?.body ?? {};
    expect(Object.keys(asked).sort()).toEqual(
      ['cloud', 'name', 'region', 'shade_cloud', 'shade_instance_type', 'tags'].sort(),
    );
  });

  it.each<[string, JsonObject, string]>([
    ['a missing cloud', { cloud: undefined }, 'cloud'],
    ['an empty name', { name: '' }, 'name'],
    ['a name too long', { name: 'n'.repeat(254) }, 'name'],
    ['null as region', { region: null }, 'region'],
    ['a number as type', { marketplace_instance_type: 5 }, 'marketplace_instance_type'],
    ['a string as marketplace_cloud', { marketplace_cloud: 'true' }, 'marketplace_cloud'],
    ['a reserved tag', { tags: ['a', `ccp-${newId()}`] }, 'tags[1]'],
    ['a tag with the reserved prefix', { tags: ['ccp-'] }, 'tags[0]'],
    ['a reserved tag in another case', { tags: ['a', `CCP-${newId()}`] }, 'tags[1]'],
    ['a reserved tag behind a space', { tags: [` ccp-${newId()}`] }, 'tags[0]'],
    ['an unknown member', { price: 5 }, 'price'],
    ['an unknown nested member', { volume_mount: { auto: true, path: '/' } }, 'volume_mount.path'],
    ['an unknown kind of launch', { launch_configuration: { type: 'vm' } }, 'launch_configuration.type'],
    [
      'an invalid port',
      {
        launch_configuration: {
          type: 'docker',
          docker_configuration: { image: 'i', port_mappings: [{ host_port: 70_000, container_port: 1 }] },
        },
      },
      'launch_configuration.docker_configuration.port_mappings[0].host_port',
    ],
  ])('refuses %s before anything is recorded', async (_what, overrides, field) => {
    const { length } = await records();
    const answer = await createInstance(org.operator, overrides);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
    expect(await records()).toHaveLength(length);
    expect(market.asked('create')).toEqual([]);
  });

  describe('that the marketplace refuses', () => {
    it.each<[string, Behaviour, number, string]>([
      ['bad input', { status: 400, body: { message: 'os is not supported' } }, 400, 'instance_refused'],
      ['an unknown type (404)', { status: 404, body: { message: 'no such type' } }, 400, 'instance_refused'],
      ['a conflict', { status: 409, body: '<html>' }, 400, 'instance_refused'],
      ['a reply that cannot be stored', { status: 400, body: { message: 'a\0b\ud800c' } }, 400, 'instance_refused'],
      ['no capacity', { status: 409, body: { message: 'Out of capacity in canada-1' } }, 409, 'out_of_capacity'],
      ['no capacity, in another wording', { status: 400, body: { error: 'type is sold out' } }, 409, 'out_of_capacity'],
      ['an exceeded quota', { status: 403, body: { message: 'quota exceeded' } }, 400, 'instance_refused'],
      ['too many requests', { status: 429, headers: { 'retry-after': '17' }, body: {} }, 503, 'marketplace_busy'],
      ['elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 503, 'marketplace_unavailable'],
    ])('reports the refusal: %s', async (_what, behaviour, status, code) => {
      market.behaves('create', behaviour);
      const answer = await createInstance(org.operator);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(market.asked('create')).toHaveLength(1);
      const record = await newest();
      expect(record).toMatchObject({ phase: 'failed', provider_id: null, reason: answer.body.detail });
      // Its record stays until it is deleted.
      const id = record.id as string;
      expect(await statusOf(org.viewer, id)).toMatchObject({ status: 'error', metadata: { reason: record.reason } });
      expect((await listed(org.viewer)).find((one) => one.id === id)).toMatchObject({ status: 'error' });
      expect((await org.operator.delete(`${INSTANCES}/${id}`)).text).toBe(id);
      expect((await listed(org.viewer)).find((one) => one.id === id)).toBeUndefined();
      expect(await statusOf(org.viewer, id)).toMatchObject({ status: 'deleted' });
      expect(market.asked('delete')).toEqual([]);
    });

    it('reports the first 300 characters of the refusal', async () => {
      market.behaves('create', { status: 400, body: { message: `${'a'.repeat(400)}${MARKETPLACE_KEY}` } });
      const { body } = await createInstance(org.operator);
      expect(body.detail).toBe(`The marketplace refuses this instance: ${'a'.repeat(300)}`);
    });

    it("returns the marketplace's message, and when to retry", async () => {
      market.behaves('create', { status: 400, body: { message: 'os is not supported' } });
      expect((await createInstance(org.operator)).body.detail).toBe(
        'The marketplace refuses this instance: os is not supported',
      );
      market.behaves('create', { status: 429, headers: { 'retry-after': '17' } });
      expect((await createInstance(org.operator)).headers['retry-after']).toBe('17');
    });

    it('marks the key as refused: nobody can create instances until it is accepted again', async () => {
      await keepFresh(service);
      market.behaves('create', { status: 401, body: { message: 'Unauthorized' } });
      const answer = await createInstance(org.operator);
      expect([answer.status, answer.body.code]).toEqual([503, 'bursting_key_refused']);
      expect((await org.viewer.get(`${INSTANCES}/bursting-status`)).body).toMatchObject({
        status: 'invalid',
        can_use_bursting: false,
      });
      market.reset();
      await outdate(service);
      await service.sweep('instances');
      expect((await org.viewer.get(`${INSTANCES}/bursting-status`)).body).toMatchObject({ status: 'configured' });
    });
  });

  describe('with an unknown result', () => {
    const cases: [string, Behaviour, boolean][] = [
      ['slow', slow(4_000), true],
      ['failing before', { status: 500, body: { message: 'oops' } }, false],
      ['cut before', { cut: 'before' }, false],
      ['cut after', { cut: 'after' }, true],
      ['accepted without an id', { body: {} }, true],
      ['accepted without JSON', { body: 'accepted' }, true],
      ['redirected', { status: 303, headers: { location: '/' } }, false],
    ];
    it.each(cases)(
      'leaves a pending instance, requested once, and found by its tag if it exists: %s',
      async (_what, behaviour, made) => {
        market.behaves('create', behaviour);
        const answer = await createInstance(org.operator);
        expect([answer.status, answer.body.status]).toEqual([200, 'pending']);
        const id = answer.body.instance_id as string;
        await eventually(() => expect(market.machinesOf(id)).toHaveLength(made ? 1 : 0));
        expect(market.asked('create')).toHaveLength(1);
        await outdate(service);
        expect(await statusOf(org.viewer, id)).toMatchObject(
          made
            ? { status: 'creating', metadata: { marketplace_id: market.machinesOf(id)[0]?.id } }
            : { status: 'pending', metadata: { marketplace_id: null } },
        );
        expect(market.asked('create')).toHaveLength(1);
      },
    );
  });

  it('sends nothing if too many requests are in progress, and says so', async () => {
    const hung = gate();
    market.behaves('create', { before: () => hung.opened, cut: 'before' });
    // The others are refused after half of this time, and the first ones leave their places after all of it.
    const patient = await Service.start({ marketplace: market.settings({ timeoutMs: 16_000 }) });
    const { operator } = await patient.organisation();
    const create = () => createInstance(operator);
    const running = Array.from({ length: 16 }, create);
    await eventually(() => expect(market.asked('create')).toHaveLength(16));
    const others = await Promise.all(Array.from({ length: 4 }, create));
    expect(market.asked('create')).toHaveLength(16);
    hung.open();
    const reported = [...(await Promise.all(running)), ...others]
      .map(({ status, body }) => [status, body.code ?? body.status].join(' '))
      .sort();
    expect(reported).toEqual([
      ...Array<string>(16).fill('200 pending'),
      ...Array<string>(4).fill('503 marketplace_busy'),
    ]);
    market.behavesAgain();
    expect((await create()).body.status).toBe('creating');
    await patient.close();
  });

  it('sends nothing if the client is gone, and says so', async () => {
    const deaf = await Marketplace.start();
    const url = deaf.url;
    await deaf.close();
    const alone = await Service.start({ marketplace: market.settings({ url }) });
    try {
      const { operator } = await alone.organisation();
      const answer = await createInstance(operator);
      expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([
        503,
        'marketplace_unavailable',
        '1',
      ]);
      expect(await listed(operator)).toEqual([expect.objectContaining({ status: 'error' })]);
    } finally {
      await alone.close();
    }
  });

  describe('with an Idempotency-Key', () => {
    const keyed = () => ({ 'idempotency-key': newId() });

    it('returns the same instance again, with its result', async () => {
      const headers = keyed();
      const first = await createInstance(org.operator, {}, headers);
      const again = await createInstance(org.operator, {}, headers);
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
      expect(market.machines).toHaveLength(1);
      const other = await createInstance(org.operator, { name: 'other' }, headers);
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    });

    it('returns the same instance during the request', async () => {
      const { opened, open } = gate();
      market.behaves('create', { before: () => opened, times: 1 });
      const headers = keyed();
      const first = createInstance(org.operator, {}, headers);
      await eventually(() => expect(market.asked('create')).toHaveLength(1));
      const meanwhile = await createInstance(org.operator, {}, headers);
      open();
      const { body } = await first;
      expect(body.status).toBe('creating');
      expect(meanwhile.body).toEqual({ ...body, status: 'pending' });
      expect((await createInstance(org.operator, {}, headers)).body).toEqual(body);
      expect(market.machines).toHaveLength(1);
    });

    it('returns the same instance if the result is unknown', async () => {
      market.behaves('create', { cut: 'after' });
      const headers = keyed();
      const first = await createInstance(org.operator, {}, headers);
      expect(first.body.status).toBe('pending');
      market.behavesAgain();
      expect((await createInstance(org.operator, {}, headers)).text).toBe(first.text);
      expect([market.asked('create').length, market.machines.length]).toEqual([0, 1]);
    });

    it('is retried if it was refused', async () => {
      market.behaves('create', { status: 400, body: {}, times: 1 });
      const headers = keyed();
      expect((await createInstance(org.operator, {}, headers)).status).toBe(400);
      expect((await createInstance(org.operator, {}, headers)).body.status).toBe('creating');
      expect(market.machines).toHaveLength(1);
    });

    it('creates one instance for concurrent requests', async () => {
      const headers = keyed();
      const answers = await Promise.all(Array.from({ length: 10 }, () => createInstance(org.operator, {}, headers)));
      expect(new Set(answers.map(({ body }) => body.instance_id as string)).size).toBe(1);
      expect(market.asked('create')).toHaveLength(1);
    });
  });

  it('sends nothing if the service was held up for longer than a request may take', async () => {
    const limit = jest.replaceProperty(service.app.get(InstanceProvider), 'timeLimitMs', 200);
    await service.db.query(
      `create function held_up() returns trigger language plpgsql as $f$ begin perform pg_sleep(0.3); return new; end $f$;
       create trigger held_up before update on instances for each row when (new.phase = 'asked') execute function held_up()`,
    );
    try {
      const answer = await createInstance(org.operator);
      expect([answer.status, answer.body.code]).toEqual([503, 'marketplace_unavailable']);
      expect(market.asked('create')).toEqual([]);
      expect(await newest()).toMatchObject({
        phase: 'failed',
        reason: expect.stringContaining('never sent the request'),
      });
    } finally {
      limit.restore();
      await service.db.query('drop function held_up() cascade');
    }
  });

  it('sends nothing if the instance was deleted first', async () => {
    // Between record and request: a deletion now precedes the request.
    await service.db.query(
      `create function deleted_first() returns trigger language plpgsql as $f$ begin new.phase := 'failed'; return new; end $f$;
       create trigger deleted_first before insert on instances for each row execute function deleted_first()`,
    );
    try {
      const answer = await createInstance(org.operator);
      expect([answer.status, answer.body.code]).toEqual([409, 'instance_not_asked']);
      expect(market.asked('create')).toEqual([]);
    } finally {
      await service.db.query('drop function deleted_first() cascade');
    }
  });

  it('needs a configured marketplace', async () => {
    const without = await Service.start();
    try {
      const { operator, viewer } = await without.organisation();
      const answer = await createInstance(operator);
      expect([answer.status, answer.body.code]).toEqual([503, 'bursting_not_configured']);
      expect(await listed(viewer)).toEqual([]);
      expect((await viewer.get(`${INSTANCES}/types`)).body).toEqual([]);
      expect((await viewer.get(`${INSTANCES}/bursting-status`)).body).toEqual({
        status: 'not_configured',
        message: 'No marketplace is configured: set MARKETPLACE_API_KEY.',
        can_use_bursting: false,
      });
      expect((await without.db.query('select from instances')).rowCount).toBe(0);
    } finally {
      await without.close();
    }
  });

  it('has a documented example that is accepted', async () => {
    expect((await org.operator.post(INSTANCES, buildInstance())).status).toBe(200);
    expect((await org.viewer.post(INSTANCES, buildInstance())).status).toBe(403);
    expect((await service.as(undefined).post(INSTANCES, buildInstance())).status).toBe(401);
  });
});
