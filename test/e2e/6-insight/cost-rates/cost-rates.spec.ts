import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { buildModel, routersSee } from '../../../support/inference';
import { createProfile } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

const RATES = '/v1/inference/costs/config';

describe('a cost rate', () => {
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

  const save = (body: JsonObject = {}): Promise<Answer> => org.operator.post(RATES, { profile_id: profileId, ...body });
  const stored = async (): Promise<JsonObject | undefined> =>
    ((await org.viewer.get(RATES)).body as JsonObject[]).find(({ profile_id: id }) => id === profileId);

  it('is saved as sent, and null if it was never sent', async () => {
    expect(await stored()).toBeUndefined();
    const nothing = { profile_id: profileId, node_hourly_usd: 0, storage_gb_hour_usd: 0, transfer_gb_usd: 0 };
    const { status, body } = await save();
    expect([status, body]).toEqual([200, nothing]);
    expect(await stored()).toEqual(nothing);
    const all = { node_hourly_usd: 1.006, storage_gb_hour_usd: 0.00003, transfer_gb_usd: 0.000000000001 };
    expect((await save(all)).body).toEqual({ profile_id: profileId, ...all });
    expect(await stored()).toEqual({ profile_id: profileId, ...all });
  });

  it('stays if it is left out', async () => {
    await save({ node_hourly_usd: 1, storage_gb_hour_usd: 2, transfer_gb_usd: 3 });
    expect((await save({ storage_gb_hour_usd: 4 })).body).toEqual({
      profile_id: profileId,
      node_hourly_usd: 1,
      storage_gb_hour_usd: 4,
      transfer_gb_usd: 3,
    });
    expect((await save({ node_hourly_usd: 0 })).body).toMatchObject({ node_hourly_usd: 0, storage_gb_hour_usd: 4 });
  });

  it('reaches the routers soon after', async () => {
    const { profileIds } = await buildModel(org);
    profileId = profileIds[0] ?? '';
    await routersSee(org.controller, profileId, { node_hourly_usd: 0 });
    await save({ node_hourly_usd: 2.5 });
    await routersSee(org.controller, profileId, { node_hourly_usd: 2.5 });
  });

  it.each([
    ['an unknown profile', newId()],
    ['a profile whose name looks like SQL', "'; drop table cost_rates --"],
  ])('answers 404 for a cost rate of %s', async (_what, id) => {
    const { status, body } = await save({ profile_id: id });
    expect([status, body.code]).toEqual([404, 'profile_not_found']);
  });

  const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
    ['if it is negative', { node_hourly_usd: -0.01 }, 'node_hourly_usd', 'must be at least 0'],
    ['if it is too large', { storage_gb_hour_usd: 1_000_001 }, 'storage_gb_hour_usd', 'must be at most 1000000'],
    ['if it is a string', { transfer_gb_usd: '1' }, 'transfer_gb_usd', 'must be a number'],
    ['if it is null', { node_hourly_usd: null }, 'node_hourly_usd', 'must not be null'],
    ['without a profile', { profile_id: undefined }, 'profile_id', 'is required'],
    ['with an unknown member', { gpu_hourly_usd: 1 }, 'gpu_hourly_usd', 'is not a member of this body'],
  ];
  it.each(REFUSED)('is refused %s', async (_what, body, field, message) => {
    const answer = await save(body);
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
      400,
      'validation_failed',
      [{ field, message }],
    ]);
    expect(await stored()).toBeUndefined();
  });

  it('is audited when it is saved', async () => {
    const { headers } = await save({ node_hourly_usd: 1 });
    const { body } = await org.operator.get(`/v1/audit?resource=${profileId}`);
    expect((body as JsonObject[])[0]).toMatchObject({
      action: 'upsert_cost_rate',
      actor_role: 'operator',
      resource_type: 'cost_rate',
      resource_id: profileId,
      request_id: headers['x-request-id'],
      details: { node_hourly_usd: 1, storage_gb_hour_usd: 0, transfer_gb_usd: 0 },
    });
  });

  it('is saved by many concurrent requests without losing anything', async () => {
    const changes: JsonObject[] = [{ node_hourly_usd: 1 }, { storage_gb_hour_usd: 2 }, { transfer_gb_usd: 3 }];
    const saved = await Promise.all(Array.from({ length: 21 }, (_, place) => save(changes[place % changes.length])));
    expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200));
    expect(await stored()).toEqual({ profile_id: profileId, ...Object.assign({}, ...changes) });
  });

  it('is listed by profile, page by page', async () => {
    const own = await service.organisation();
    expect((await own.viewer.get(RATES)).body).toEqual([]);
    for (const id of ['b', 'c', 'a']) {
      await createProfile(own, { profile_id: id });
      await own.operator.post(RATES, { profile_id: id });
    }
    const names = async (query: string) => {
      const { body, headers } = await own.viewer.get(RATES + query);
      return [(body as JsonObject[]).map(({ profile_id: id }) => id).join(''), headers.link];
    };
    expect(await names('')).toEqual(['abc', undefined]);
    expect(await names('?limit=2')).toEqual(['ab', expect.stringContaining('rel="next"')]);
    expect(await names('?limit=2&offset=2')).toEqual(['c', undefined]);
  });
});
