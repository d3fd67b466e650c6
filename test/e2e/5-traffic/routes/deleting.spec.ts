import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { CHAT, coldProfile, question } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { authorize, issueKey, saveRoute, targetsOf } from '../../../support/inference';
import { eventsOf, read } from '../../../support/outbox';
import { intentOf } from '../../../support/profiles';
import { Service, type Answer, type Organisation, type Replica } from '../../../support/service';

const ROUTES = '/v1/inference/routes';

describe('a route that is deleted', () => {
  let service: Service;
  let replica: Replica;
  let org: Organisation;
  let profile: string;
  let model: string;

  beforeAll(async () => {
    service = await Service.start();
    replica = await service.replica();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
    profile = await coldProfile(org);
    model = `model-${newId()}`;
    await save();
  });

  const save = async (): Promise<JsonObject> =>
    (await saveRoute(org.operator, model, { targets: targetsOf(profile), queue_timeout_ms: 120_000 })).body;
  const remove = (): Promise<Answer> => org.operator.delete(`${ROUTES}/${model}`);
  const models = async (): Promise<unknown[]> =>
    ((await org.viewer.get(ROUTES)).body as JsonObject[]).map(({ logical_model: name }) => name);
  const tagOf = async (): Promise<string> =>
    String((await org.controller.get('/v1/inference/router/config')).headers.etag);
  const events = async (): Promise<unknown[]> =>
    eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1_000 }))
      .filter(({ aggregate_id: id }) => id === model)
      .map(({ event_type: type, aggregate_type: of, payload }) => [type, of, payload]);

  it('is in no list any more, and its profile stays', async () => {
    const { status, text } = await remove();
    expect([status, text]).toEqual([204, '']);
    expect(await models()).not.toContain(model);
    expect((await org.viewer.get(`${ROUTES}/status`)).text).not.toContain(model);
    expect((await org.viewer.get(`${ROUTES}/${model}/state`)).status).toBe(404);
    const profiles = (await org.viewer.get('/v1/inference/profiles')).body as JsonObject[];
    expect(profiles.map(({ profile_id: id }) => id)).toContain(profile);
  });

  it('serves no request any more, at once and on every replica', async () => {
    const key = await issueKey(service, org);
    const elsewhere = replica.as(key.rawKey);
    expect([(await authorize(key, model)).status, (await authorize(elsewhere, model)).status]).toEqual([200, 200]);
    await remove();
    const { status, body } = await authorize(key, model);
    expect([status, body.code]).toEqual([404, 'model_not_found']);
    await eventually(async () => expect((await authorize(elsewhere, model)).body.code).toBe('model_not_found'));
  });

  it('ends the wait of its chats, on every replica, as those for an unknown model', async () => {
    const callers = [org.admin, replica.as(org.admin.token)];
    const asked = callers.map((caller) => caller.post(CHAT, question(model)));
    await eventually(async () => expect(await intentOf(org.viewer, profile)).toBeDefined());
    await eventually(async () => {
      const state = (await org.viewer.get(`${ROUTES}/${model}/state`)).body as { targets: { waiting: number }[] };
      expect(state.targets.map(({ waiting }) => waiting)).toEqual([2]);
    });
    await remove();
    const unknown = await org.admin.post(CHAT, question('unknown'));
    for (const { status, body } of await Promise.all(asked))
      expect([status, body.code]).toEqual([unknown.status, unknown.body.code]);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'model_not_found']);
  });

  it('is announced with a generation, which a later route of its model continues', async () => {
    await remove();
    expect((await save()).generation).toBe(3);
    await remove();
    expect((await save()).generation).toBe(5);
    const event = (type: string, generation: number) => [
      `route.${type}`,
      'route',
      { logical_model: model, generation },
    ];
    expect(await events()).toEqual([
      event('published', 1),
      event('withdrawn', 2),
      event('published', 3),
      event('withdrawn', 4),
      event('published', 5),
    ]);
  });

  it('changes the ETag of routers, which no state before had', async () => {
    const tags: string[] = [];
    const changes = async (change: () => Promise<unknown>) => {
      await change();
      await eventually(async () => {
        const tag = await tagOf();
        expect(tags).not.toContain(tag);
        tags.push(tag);
      });
    };
    await changes(() => Promise.resolve());
    for (let round = 0; round < 3; round++) {
      await changes(remove);
      await changes(save);
    }
    const numbers = tags.map((tag) => Number(JSON.parse(tag)));
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  });

  it('leaves one row per organisation, however many routes of however many models were deleted', async () => {
    for (let change = 0; change < 4; change++) {
      const body = { targets: targetsOf(profile), queue_timeout_ms: change };
      await saveRoute(org.operator, model, body);
    }
    const before = Number(JSON.parse(await tagOf()));
    const generations: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      await remove();
      // Another model continues the generations as well: nothing is kept of each model.
      model = `model-${newId()}`;
      generations.push((await save()).generation);
    }
    expect(generations).toEqual([7, 9, 11]);
    // Each change counts once.
    await eventually(async () => expect(Number(JSON.parse(await tagOf()))).toBe(before + 6));
    const kept = 'select count(*)::int as rows from withdrawn_routes where org_id = $1';
    expect((await service.db.query(kept, [org.id])).rows).toEqual([{ rows: 1 }]);
  });

  it('counts each change once, also of models that are deleted and saved together', async () => {
    const names = Array.from({ length: 6 }, () => `model-${newId()}`);
    const saved = (name: string) => saveRoute(org.operator, name, { targets: targetsOf(profile) });
    const deleted = async (name: string) => expect((await org.operator.delete(`${ROUTES}/${name}`)).status).toBe(204);
    await Promise.all(names.map(saved));
    await remove();
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        names.map((name, place) =>
          place % 2 === round % 2
            ? deleted(name)
            : saveRoute(org.operator, name, { targets: targetsOf(profile), queue_timeout_ms: round + 1 }),
        ),
      );
      await Promise.all(names.filter((_, place) => place % 2 === round % 2).map(saved));
    }
    const changes = 1 + 6 + 1 + 3 * (6 + 3);
    await eventually(async () => expect(Number(JSON.parse(await tagOf()))).toBe(changes));
  });

  it('leaves an audit entry', async () => {
    const { headers } = await remove();
    const { body } = await org.operator.get(`/v1/audit?resource=${model}`);
    expect((body as JsonObject[])[0]).toMatchObject({
      action: 'delete_route',
      resource_type: 'route',
      request_id: headers['x-request-id'],
      details: { generation: 2 },
    });
  });

  it('is deleted once by requests that arrive together with others that save it', async () => {
    const answers = await Promise.all([remove(), save(), remove(), save(), remove()]);
    const removed = answers.filter((answer) => 'status' in answer && answer.status === 204).length;
    const told = (await events()).map((event) => (event as [string, string, { generation: number }])[2].generation);
    expect(told).toEqual(told.map((_, place) => place + 1));
    expect(told.length).toBeGreaterThan(removed);
  });

  it('stays for viewers, for controllers and for other organisations, and is a 404 when it is gone', async () => {
    const other = await service.organisation();
    expect((await org.viewer.delete(`${ROUTES}/${model}`)).status).toBe(403);
    expect((await org.controller.delete(`${ROUTES}/${model}`)).status).toBe(403);
    expect((await other.operator.delete(`${ROUTES}/${model}`)).status).toBe(404);
    expect(await models()).toContain(model);
    await remove();
    for (const name of [model, 'unknown', '%00', encodeURIComponent("' or 1=1 --")]) {
      const { status, body } = await org.operator.delete(`${ROUTES}/${name}`);
      expect([name, status < 500, status === 404 ? body.code : 'route_not_found']).toEqual([
        name,
        true,
        'route_not_found',
      ]);
    }
  });
});
