import { buildNode, newer } from '../../../support/builders';
import { cluster, syncObjects } from '../../../support/inventory';
import { PRICES, savePrice } from '../../../support/savings';
import { Service, type Answer, type Organisation } from '../../../support/service';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';

const SPOT = { instance_type: 'p4d.24xlarge', capacity_type: 'spot' };

describe('the price of an instance type', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
  });

  const put = (body: JsonObject): Promise<Answer> => org.operator.put(PRICES, body);
  const list = async (query = '', of = org): Promise<JsonObject[]> => (await of.viewer.get(PRICES + query)).body;
  const remove = (type: string, of = org) => of.operator.delete(`${PRICES}/${encodeURIComponent(type)}`);
  const member = (row: JsonObject) => [row.instance_type, row.capacity_type].join(' ');

  it('is one row per type and capacity type, sorted', async () => {
    expect(await list()).toEqual([]);
    const saved = await savePrice(org, { ...SPOT, spot_price_per_hour: 11.57 });
    expect(saved).toEqual({
      ...SPOT,
      id: expect.any(String),
      ondemand_price_per_hour: null,
      spot_price_per_hour: 11.57,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await savePrice(org, { ...SPOT, capacity_type: 'on-demand', ondemand_price_per_hour: 32.7726 });
    await savePrice(org, { instance_type: 'g6.xlarge', capacity_type: 'spot' });
    const rows = await list();
    expect(rows.map(member)).toEqual(['g6.xlarge spot', 'p4d.24xlarge on-demand', 'p4d.24xlarge spot']);
    expect(rows[2]).toEqual(saved);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
  });

  it('stays if it is left out, and is removed by null', async () => {
    const first = await savePrice(org, { ...SPOT, ondemand_price_per_hour: 32, spot_price_per_hour: 11 });
    const second = await savePrice(org, { ...SPOT, spot_price_per_hour: 0.000000000001 });
    expect(second).toMatchObject({ ondemand_price_per_hour: 32, spot_price_per_hour: 0.000000000001 });
    expect([second.id, second.created_at]).toEqual([first.id, first.created_at]);
    expect(await savePrice(org, { ...SPOT, ondemand_price_per_hour: null })).toMatchObject({
      ondemand_price_per_hour: null,
      spot_price_per_hour: 0.000000000001,
    });
    expect(await savePrice(org, { ...SPOT, spot_price_per_hour: 0 })).toMatchObject({ spot_price_per_hour: 0 });
    expect(await list()).toHaveLength(1);
  });

  const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
    ['if it is negative', { spot_price_per_hour: -0.01 }, 'spot_price_per_hour', 'must be at least 0'],
    [
      'if it is too large',
      { ondemand_price_per_hour: 1_000_001 },
      'ondemand_price_per_hour',
      'must be at most 1000000',
    ],
    ['if it is a string', { spot_price_per_hour: '1' }, 'spot_price_per_hour', 'must be a number'],
    ['with an empty type', { instance_type: '' }, 'instance_type', 'must not be empty'],
    ['without a type', { instance_type: undefined }, 'instance_type', 'is required'],
    [
      'with a type that is too long',
      { instance_type: 'x'.repeat(254) },
      'instance_type',
      'must have at most 253 characters',
    ],
    ['with an unknown capacity type', { capacity_type: 'reserved' }, 'capacity_type', 'must be one of spot, on-demand'],
    ['with null as capacity type', { capacity_type: null }, 'capacity_type', 'must not be null'],
    ['with an unknown member', { monthly_price: 1 }, 'monthly_price', 'is not a member of this body'],
  ];
  it.each(REFUSED)('is refused %s', async (_what, body, field, message) => {
    const answer = await put({ ...SPOT, ...body });
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
      400,
      'validation_failed',
      [{ field, message }],
    ]);
    expect(await list()).toEqual([]);
  });

  it('is deleted for all capacity types of the type together, once', async () => {
    for (const capacity_type of ['spot', 'on-demand']) await savePrice(org, { ...SPOT, capacity_type });
    await savePrice(org, { instance_type: 'a/b c', capacity_type: 'spot' });
    const { status, text } = await remove(SPOT.instance_type);
    expect([status, text]).toEqual([200, '']);
    expect((await list()).map(member)).toEqual(['a/b c spot']);
    const again = await remove(SPOT.instance_type);
    expect([again.status, again.body.code]).toEqual([404, 'instance_type_price_not_found']);
    expect((await remove('a/b c')).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  it('is separate per organisation', async () => {
    const other = await service.organisation();
    await savePrice(org, { ...SPOT, spot_price_per_hour: 1 });
    expect(await list('', other)).toEqual([]);
    expect((await remove(SPOT.instance_type, other)).status).toBe(404);
    await savePrice(other, { ...SPOT, spot_price_per_hour: 2 });
    expect((await list()).map((row) => row.spot_price_per_hour)).toEqual([1]);
    expect((await remove(SPOT.instance_type, other)).status).toBe(200);
    expect(await list()).toHaveLength(1);
  });

  it('is audited when it is saved and deleted', async () => {
    await savePrice(org, { ...SPOT, spot_price_per_hour: 1 });
    await remove(SPOT.instance_type);
    const { body } = await org.operator.get(`/v1/audit?resource=${SPOT.instance_type}`);
    const entry = { actor_role: 'operator', resource_type: 'instance_type_price', resource_id: SPOT.instance_type };
    expect(body).toMatchObject([
      { ...entry, action: 'delete_instance_type_price', details: { capacity_types: ['spot'] } },
      {
        ...entry,
        action: 'save_instance_type_price',
        details: { capacity_type: 'spot', ondemand_price_per_hour: null, spot_price_per_hour: 1 },
      },
    ]);
  });

  it('is saved by many concurrent requests without losing anything', async () => {
    const changes: JsonObject[] = [{ ondemand_price_per_hour: 3 }, { spot_price_per_hour: 2 }];
    const saved = await Promise.all(Array.from({ length: 20 }, (_, place) => put({ ...SPOT, ...changes[place % 2] })));
    expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200));
    expect(await list()).toMatchObject([{ ondemand_price_per_hour: 3, spot_price_per_hour: 2 }]);
  });

  it('is listed page by page', async () => {
    for (const instance_type of ['b', 'c', 'a']) await savePrice(org, { instance_type, capacity_type: 'spot' });
    const names = async (query: string) => {
      const { body, headers } = await org.viewer.get(PRICES + query);
      return [(body as JsonObject[]).map((row) => row.instance_type).join(''), headers.link];
    };
    expect(await names('?limit=2')).toEqual(['ab', expect.stringContaining('rel="next"')]);
    expect(await names('?limit=2&offset=2')).toEqual(['c', undefined]);
  });

  it('is reported missing for the types of known nodes, including deleted and silent nodes', async () => {
    const available = async (of = org, query = '') => (await of.viewer.get(`${PRICES}/available${query}`)).body;
    expect(await available()).toEqual([]);
    const typed = (name: string, type: string) =>
      buildNode(name, { metadata: { labels: { 'node.kubernetes.io/instance-type': type } } });
    const [gone, silent] = [typed('gone', 'p5.48xlarge'), typed('silent', 'g6.xlarge')];
    const clusterId = await cluster(org);
    await syncObjects(org.controller, clusterId, gone, silent, typed('twin', 'g6.xlarge'), typed('nothing', ''));
    const deletionTimestamp = '2026-01-02T03:04:05Z';
    await syncObjects(org.controller, clusterId, newer(gone, { metadata: { deletionTimestamp } }));
    await service.db.query("update nodes set synced_at = synced_at - interval '1 day' where org_id = $1", [org.id]);
    expect((await org.viewer.get('/v1/nodes')).body).toEqual([]);
    expect(await available()).toEqual(['g6.xlarge', 'p5.48xlarge']);
    expect(await available(org, '?limit=1&offset=1')).toEqual(['p5.48xlarge']);
    expect(await available(await service.organisation())).toEqual([]);
  });
});
