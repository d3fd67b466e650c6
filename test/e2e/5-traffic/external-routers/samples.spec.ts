import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { Service, type Answer, type Organisation } from '../../../support/service';

const METRICS = '/v1/inference/router/metrics';
const MOMENT = 1_767_225_600_123;

describe('a router sample', () => {
  let service: Service;
  let org: Organisation;
  let route: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    route = `model-${newId()}`;
  });

  const sample = (overrides: JsonObject = {}): JsonObject => ({
    route,
    profile_id: 'llama-8b-a10g',
    metric_name: 'queue_depth',
    value: 2,
    timestamp: MOMENT,
    ...overrides,
  });
  const send = (...samples: unknown[]): Promise<Answer> => org.controller.post(METRICS, { samples });
  const kept = async (): Promise<string[]> => {
    const { rows } = await service.db.query<{ line: string }>(
      `select concat_ws(' ', metric_name, profile_id, value, (extract(epoch from measured_at) * 1000)::bigint) as line
       from router_samples where route = $1 order by 1`,
      [route],
    );
    return rows.map(({ line }) => line);
  };

  it('is stored to the millisecond', async () => {
    const { status, text } = await send(
      sample(),
      sample({ timestamp: MOMENT + 1 }),
      sample({ metric_name: 'errors', value: -1.5e-7 }),
      sample({ profile_id: 'other', value: 1e300 }),
    );
    expect([status, text]).toEqual([200, '']);
    expect(await kept()).toEqual([
      `errors llama-8b-a10g -1.5e-07 ${MOMENT}`,
      `queue_depth llama-8b-a10g 2 ${MOMENT}`,
      `queue_depth llama-8b-a10g 2 ${MOMENT + 1}`,
      `queue_depth other 1e+300 ${MOMENT}`,
    ]);
  });

  it('may be of any time', async () => {
    const moments = [0, 1, 999, 253_402_300_799_999];
    expect((await send(...moments.map((timestamp) => sample({ timestamp })))).status).toBe(200);
    expect((await kept()).map((line) => Number(line.split(' ').at(-1))).sort((one, other) => one - other)).toEqual(
      moments,
    );
  });

  it('changes nothing when it is sent again; another value of the same time replaces it', async () => {
    for (let time = 0; time < 3; time++) expect((await send(sample(), sample({ metric_name: 'b' }))).status).toBe(200);
    expect(await kept()).toEqual([`b llama-8b-a10g 2 ${MOMENT}`, `queue_depth llama-8b-a10g 2 ${MOMENT}`]);
    await send(sample({ value: 3 }));
    expect(await kept()).toEqual([`b llama-8b-a10g 2 ${MOMENT}`, `queue_depth llama-8b-a10g 3 ${MOMENT}`]);
  });

  it('is the last one of its time in the body', async () => {
    expect((await send(sample({ value: 9 }), sample({ value: 1 }), sample({ value: 5 }))).status).toBe(200);
    expect(await kept()).toEqual([`queue_depth llama-8b-a10g 5 ${MOMENT}`]);
  });

  it('is stored once for many concurrent requests in any order', async () => {
    const samples = Array.from({ length: 50 }, (_, place) => sample({ timestamp: MOMENT + place }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, place) => send(...(place % 2 ? samples : [...samples].reverse()))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await kept()).toHaveLength(50);
  });

  it('comes in bodies of zero to ten thousand samples', async () => {
    expect((await send()).status).toBe(200);
    const many = Array.from({ length: 10_000 }, (_, place) => sample({ timestamp: place, value: place }));
    const answer = await send(...many);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await kept()).toHaveLength(10_000);
    const { status, body } = await send(...many, sample());
    expect([status, body.errors]).toEqual([400, [{ field: 'samples', message: 'must hold at most 10000 elements' }]]);
  });

  const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
    ['without a value', { value: undefined }, 'value', 'is required'],
    ['with a string as value', { value: '2' }, 'value', 'must be a number'],
    ['without a time', { timestamp: undefined }, 'timestamp', 'is required'],
    ['with a time before 1970', { timestamp: -1 }, 'timestamp', 'must be at least 0'],
    [
      'with a time that is too late',
      { timestamp: 253_402_300_800_000 },
      'timestamp',
      'must be at most 253402300799999',
    ],
    ['without a route', { route: undefined }, 'route', 'is required'],
    ['with an empty profile', { profile_id: '' }, 'profile_id', 'must not be empty'],
    ['with an empty name', { metric_name: '' }, 'metric_name', 'must not be empty'],
  ];
  it.each(REFUSED)('is refused %s, with all others of its body', async (_what, overrides, field, message) => {
    const { status, body } = await send(sample(), sample(overrides));
    expect([status, body.errors]).toEqual([400, [{ field: `samples[1].${field}`, message }]]);
    expect(await kept()).toEqual([]);
  });

  it('is deleted together with old usage, in batches', async () => {
    await service.db.query(
      `insert into router_samples (org_id, route, profile_id, metric_name, measured_at, value)
       select $1, $2, 'a', name, clock_timestamp() - make_interval(days => days) + make_interval(secs => n), n
       from (values ('old', 91, 5001), ('young', 89, 3)) kinds(name, days, count), generate_series(1, count) n`,
      [org.id, route],
    );
    await service.sweep('router samples');
    const { rows } = await service.db.query(
      'select metric_name, count(*)::int from router_samples where route = $1 group by 1',
      [route],
    );
    expect(rows).toEqual([{ metric_name: 'young', count: 3 }]);
  });
});
