import { INSTANCES, listed, outdate, placedInstance, statusOf } from '../../../support/instances';
import { onThisMachine } from '../../../support/machine';
import { buildType, Marketplace, slow } from '../../../support/marketplace';
import { Service, type Answer, type Organisation } from '../../../support/service';

const HOUR_MS = 3_600_000;

describe('the list of instance types', () => {
  let service: Service;
  let market: Marketplace;
  let org: Organisation;
  /** Milliseconds by which the service's clock is ahead. */
  let ahead = 0;

  beforeAll(async () => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    market = await Marketplace.start();
    service = await Service.start({ marketplace: market.settings({ timeoutMs: 1_000 }) });
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    await market.close();
    jest.restoreAllMocks();
  });
  beforeEach(async () => {
    market.reset();
    // What the service knew of the marketplace is too old by now.
    ahead += 2 * HOUR_MS;
    await service.db.query('delete from provider_accounts');
  });

  const types = (query = ''): Promise<Answer> => org.viewer.get(`${INSTANCES}/types${query}`);
  const bursting = async (): Promise<Answer['body']> => (await org.viewer.get(`${INSTANCES}/bursting-status`)).body;
  const prices = async (query: string): Promise<number[]> =>
    ((await types(query)).body as { hourly_price: number }[]).map(({ hourly_price }) => hourly_price);

  it("shows the service's names, and prices in cents", async () => {
    market.types = [buildType()];
    expect((await types()).body).toEqual([
      {
        cloud: 'hyperstack',
        cloud_instance_type: 'gpu_1x_a6000',
        deployment_type: 'vm',
        marketplace_instance_type: 'A6000',
        hourly_price: 57,
        availability: [{ available: true, display_name: 'CA, Montreal', region: 'canada-1' }],
        boot_time: { min_boot_in_sec: 180, max_boot_in_sec: 300 },
        configuration: {
          gpu_type: 'A6000',
          interconnect: 'pcie',
          memory_in_gb: 48,
          num_gpus: 1,
          storage_in_gb: 256,
          vcpus: 6,
          vram_per_gpu_in_gb: 48,
          nvlink: false,
          os_options: ['ubuntu22.04_cuda12.2_shade_os'],
        },
      },
    ]);
  });

  it('omits missing values, and leaves out types that cannot be requested', async () => {
    const bare = {
      shade_instance_type: 'H100',
      hourly_price: 200,
      availability: [{ region: 'any', available: true }, 5],
    };
    market.types = [
      bare,
      buildType({ hourly_price: '57' }),
      buildType({ hourly_price: -57 }),
      buildType({ shade_instance_type: '' }),
    ];
    expect((await types()).body).toEqual([
      {
        cloud: '',
        cloud_instance_type: '',
        deployment_type: '',
        marketplace_instance_type: 'H100',
        hourly_price: 200,
        availability: [{ available: true, region: 'any' }],
        boot_time: {},
        configuration: {},
      },
    ]);
  });

  it('is filtered and sorted by the service, from one reply of the marketplace', async () => {
    market.types = [
      buildType({ hourly_price: 300 }, { num_gpus: 8, gpu_type: 'H100' }),
      buildType({ hourly_price: 100 }, { num_gpus: 1, gpu_type: 'H100' }),
      buildType({ hourly_price: 200 }, { num_gpus: 1, gpu_type: 'A6000' }),
      buildType({ hourly_price: 50 }, { num_gpus: undefined, gpu_type: undefined }),
    ];
    expect(await prices('')).toEqual([300, 100, 200, 50]);
    expect(await prices('?sort=price')).toEqual([50, 100, 200, 300]);
    expect(await prices('?sort=-price')).toEqual([300, 200, 100, 50]);
    expect(await prices('?num_gpus=1&sort=-price')).toEqual([200, 100]);
    expect(await prices('?gpu_type=h100')).toEqual([300, 100]);
    expect(await prices('?gpu_type=H100&num_gpus=8')).toEqual([300]);
    expect(await prices('?gpu_type=H10&num_gpus=')).toEqual([]);
    const page = await types('?sort=price&limit=2&offset=1');
    expect([page.body.map(({ hourly_price }: { hourly_price: number }) => hourly_price), page.headers.link]).toEqual([
      [100, 200],
      expect.stringContaining('offset=3'),
    ]);
    expect(market.asked('types')).toHaveLength(1);
  });

  it.each(['?num_gpus=one', '?num_gpus=-1', '?num_gpus=1.5', '?sort=name', '?sort=PRICE'])(
    'refuses %s',
    async (query) => {
      expect((await types(query)).status).toBe(400);
    },
  );

  it('is requested once for many concurrent readers', async () => {
    market.types = [buildType()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => types()));
    expect(answers.map(({ body }) => (body as unknown[]).length)).toEqual(Array(20).fill(1));
    expect(market.asked('types')).toHaveLength(1);
  });

  it.each<[string, Parameters<Marketplace['behaves']>[1], string]>([
    ['fails', { status: 500 }, 'marketplace_unavailable'],
    ['does not answer', { before: () => new Promise(() => undefined) }, 'marketplace_unavailable'],
    ['does not know the list', { status: 404, body: { message: 'no such path' } }, 'marketplace_unavailable'],
    ['refuses the request', { status: 400, body: { message: 'bad request' } }, 'marketplace_unavailable'],
    ['answers something else', { status: 200, body: {} }, 'marketplace_unavailable'],
    ['is busy', { status: 429, headers: { 'retry-after': '30' } }, 'marketplace_busy'],
    ['refuses the key', { status: 401 }, 'bursting_key_refused'],
    ['forbids the list', { status: 403 }, 'bursting_key_refused'],
  ])('is unavailable if the marketplace %s', async (_what, behaviour, code) => {
    market.behaves('types', behaviour);
    const answer = await types();
    expect([answer.status, answer.body.code]).toEqual([503, code]);
    // Nor is it requested again by every reader, though there is no older list.
    const asked = market.asked('types').length;
    const others = await Promise.all(Array.from({ length: 5 }, () => types()));
    expect(others.map(({ body }) => (body as { code: string }).code)).toEqual(Array(5).fill(code));
    expect(market.asked('types')).toHaveLength(asked);
    market.behavesAgain();
    market.types = [buildType()];
    ahead += 5_001;
    expect((await types()).body).toHaveLength(1);
  });

  it('is not requested again by the next reader after a marketplace that was silent for long', async () => {
    const silent = () => {
      ahead += 15_000;
      return new Promise<void>(() => undefined);
    };
    market.behaves('types', { before: silent });
    expect((await types()).status).toBe(503);
    const asked = market.asked('types').length;
    expect([(await types()).status, market.asked('types').length]).toEqual([503, asked]);
  });

  it('is not requested longer than one attempt may take, however often it is read', async () => {
    market.behaves('types', { ...slow(700), status: 500 });
    expect((await types()).body.code).toBe('marketplace_unavailable');
    expect(market.asked('types').length).toBeLessThan(3);
  });

  it('stays for an hour when the marketplace no longer answers', async () => {
    market.types = [buildType()];
    expect((await types()).body).toHaveLength(1);
    market.behaves('types', { cut: 'before' });
    const before = ahead;
    for (const [minutes, status, asked] of [
      [0.9, 200, 1],
      [1.1, 200, 2],
      [59, 200, 3],
      [61, 503, 4],
    ] as const) {
      ahead = before + minutes * 60_000;
      expect([minutes, (await types()).status, market.asked('types').length]).toEqual([minutes, status, asked]);
    }
  });

  it('is not requested again by every reader while the marketplace fails', async () => {
    market.types = [buildType()];
    expect((await types()).body).toHaveLength(1);
    market.behavesAgain();
    market.behaves('types', { status: 429, headers: { 'retry-after': '60' } });
    const before = ahead;
    for (const [seconds, asked] of [
      [61, 1],
      [63, 1],
      [65, 1],
      [67, 2],
    ] as const) {
      ahead = before + seconds * 1_000;
      expect([seconds, (await types()).status, market.asked('types').length]).toEqual([seconds, 200, asked]);
    }
  });

  it('does not keep readers waiting for a marketplace that is silent for long', async () => {
    const patient = await Service.start({ marketplace: market.settings({ timeoutMs: 60_000 }) });
    try {
      const { operator } = await patient.organisation();
      const id = await placedInstance(operator);
      market.behaves('list', { before: () => new Promise(() => undefined) });
      const began = performance.now();
      expect(await listed(operator)).toEqual([expect.objectContaining({ id, status: 'creating' })]);
      expect(await statusOf(operator, id)).toMatchObject({ status: 'creating' });
      expect((await operator.get(`${INSTANCES}/bursting-status`)).body).toMatchObject({ can_use_bursting: false });
      expect((await operator.delete(`${INSTANCES}/${id}`)).status).toBe(200);
      // Not even 2 seconds each: later readers wait for nothing.
      expect(performance.now() - began).toBeLessThan(onThisMachine(10_000));
      expect([market.asked('list').length, market.machines[0]?.status]).toEqual([1, 'deleting']);
    } finally {
      await patient.close();
    }
  });

  describe('and the state of the provider', () => {
    it('is connected once the key was accepted', async () => {
      expect(await bursting()).toEqual({
        status: 'configured',
        message: 'The marketplace accepts the key.',
        can_use_bursting: true,
      });
    });

    it('is disconnected if the key was refused', async () => {
      market.behaves('list', { status: 401, body: { message: 'Unauthorized' } });
      expect(await bursting()).toEqual({
        status: 'invalid',
        message: 'The marketplace refuses the key.',
        can_use_bursting: false,
      });
      // Its last reply counts when it no longer answers.
      market.behaves('list', { status: 500 });
      await outdate(service);
      expect(await bursting()).toMatchObject({
        status: 'invalid',
        message: expect.stringMatching(/^The marketplace refuses the key; and now the marketplace fails, since 20/),
      });
      market.behavesAgain();
      await outdate(service);
      expect(await bursting()).toMatchObject({ status: 'configured', can_use_bursting: true });
    });

    it('is unknown if the marketplace never answered', async () => {
      market.behaves('list', { cut: 'before' });
      expect(await bursting()).toEqual({
        status: 'configured',
        message: expect.stringMatching(/^Not yet confirmed: the marketplace closed the connection, since 20/),
        can_use_bursting: false,
        failing_since: expect.any(String),
      });
    });
  });
});
