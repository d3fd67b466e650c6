import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventually } from '../../../support/eventually';
import { buildModel, routersSee, saveRoute, targetsOf } from '../../../support/inference';
import { buildProfile, createProfile, report, setState } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

const CONFIG = '/v1/inference/router/config';

describe('the router configuration', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
  });

  const read = (known?: string): Promise<Answer> =>
    org.controller.get(CONFIG, known === undefined ? {} : { 'if-none-match': known });

  it('is empty without routes', async () => {
    const { status, body, headers } = await read();
    expect([status, body, headers.etag]).toEqual([200, { schema_version: 1, generation: 0, routes: [] }, '"0"']);
  });

  it('changes its generation when a profile of a route is enabled or disabled', async () => {
    const body = buildProfile(`profile-${newId()}`);
    await createProfile(org, body);
    for (const model of ['a', 'b'])
      await saveRoute(org.operator, model, { targets: targetsOf(String(body.profile_id)) });
    await saveRoute(org.operator, 'c');
    const enable = async (enabled: boolean) =>
      expect(
        (await org.operator.post('/v1/inference/profiles', { ...body, max_replicas: 1_000, enabled })).status,
      ).toBe(200);
    const seen = [String((await read()).headers.etag)];
    for (const enabled of [false, true]) {
      await enable(enabled);
      await eventually(async () => {
        const { status, headers, body: config } = await read(seen.at(-1));
        expect(status).toBe(200);
        expect(seen).not.toContain(headers.etag);
        const { routes } = config as { routes: { targets: { enabled?: boolean }[] }[] };
        expect(routes.flatMap(({ targets }) => targets.map((target) => target.enabled ?? true))).toEqual([
          enabled,
          enabled,
        ]);
        seen.push(String(headers.etag));
      });
      // A repetition changes nothing.
      await enable(enabled);
      expect((await read(seen.at(-1))).status).toBe(304);
    }
    const { rows } = await service.db.query(
      "select aggregate_id as model, max((payload->>'generation')::int) as generation from outbox_events where org_id = $1 and event_type = 'route.published' group by 1 order by 1",
      [org.id],
    );
    expect(rows).toEqual([
      { model: 'a', generation: 3 },
      { model: 'b', generation: 3 },
      { model: 'c', generation: 1 },
    ]);
  });

  it('contains every route with its targets and their state', async () => {
    const classifier = (await createProfile(org, { exact_model: 'tiny' })).profile_id;
    const scaling = { min_replicas: 1, max_replicas: 4, target_concurrency: 16, max_queue_depth: 32 };
    const { profile_id: large } = await createProfile(org, { ...scaling, backend_url: 'http://large.svc:8000/v1' });
    const { profile_id: small } = await createProfile(org, { exact_model: 'small', backend_url: 'http://small.svc' });
    await org.operator.post('/v1/inference/costs/config', { profile_id: large, node_hourly_usd: 4.25 });
    await setState(org.operator, large, { desired_state: 'Active', desired_replicas: 2 });
    await report(org.controller, large, { observed_generation: 1, endpoint: 'http://10.0.0.7:8000' });
    await saveRoute(org.operator, 'b');
    await saveRoute(org.operator, 'a', {
      mode: 'classifier',
      queue_timeout_ms: 5_000,
      classifier_profile_id: classifier,
      classifier_prompt: 'Pick.',
      classifier_response_schema: '{"type":"object"}',
      targets: targetsOf(large, small),
    });
    await saveRoute(org.operator, 'a', { queue_timeout_ms: 6_000 });
    const { body, headers } = await read();
    expect(headers.etag).toBe('"3"');
    expect(body).toEqual({
      schema_version: 1,
      generation: 3,
      routes: [
        {
          logical_model: 'a',
          mode: 'classifier',
          queue_timeout_ms: 6_000,
          generation: 2,
          classifier_profile_id: classifier,
          classifier_prompt: 'Pick.',
          classifier_response_schema: '{"type":"object"}',
          targets: [
            {
              profile_id: large,
              tier: 'tier-1',
              // The address of the profile: it stays, whichever worker runs.
              service_url: 'http://large.svc:8000/v1',
              upstream_model: 'meta-llama/Llama-3.1-8B-Instruct',
              priority: 1,
              ...scaling,
              current_replicas: 2,
              ready: true,
              draining: false,
              node_hourly_usd: 4.25,
            },
            {
              profile_id: small,
              tier: 'tier-2',
              service_url: 'http://small.svc',
              upstream_model: 'small',
              priority: 2,
              min_replicas: 0,
              max_replicas: 1_000,
              target_concurrency: 8,
              max_queue_depth: 64,
              current_replicas: 0,
              ready: false,
              draining: false,
              node_hourly_usd: 0,
            },
          ],
        },
        {
          logical_model: 'b',
          mode: 'priority',
          queue_timeout_ms: 30_000,
          generation: 1,
          classifier_profile_id: null,
          classifier_prompt: null,
          classifier_response_schema: null,
          targets: [],
        },
      ],
    });
  });

  it('follows reports and capacity requests, under the same tag', async () => {
    const { profileIds } = await buildModel(org);
    const [profileId = ''] = profileIds;
    const { headers } = await read();
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true, draining: false, current_replicas: 1 });
    await report(org.controller, profileId, { phase: 'Draining' });
    await routersSee(org.controller, profileId, { ready: false, draining: true, current_replicas: 0 });
    await report(org.controller, profileId, { phase: 'Suspended', ready: false });
    await routersSee(org.controller, profileId, { ready: false, draining: false, current_replicas: 0 });
    expect((await read()).headers.etag).toBe(headers.etag);
  });

  it('changes its tag with every change of a route, as soon as it is saved', async () => {
    for (let generation = 1; generation <= 10; generation++) {
      await saveRoute(org.operator, 'a', { queue_timeout_ms: generation });
      const { body, headers } = await read();
      expect([body.generation, headers.etag]).toEqual([generation, `"${generation}"`]);
    }
    await saveRoute(org.operator, 'a', { queue_timeout_ms: 10 });
    expect((await read()).headers.etag).toBe('"10"');
  });

  describe('with the tag "2"', () => {
    beforeEach(async () => {
      await saveRoute(org.operator, 'a');
      await saveRoute(org.operator, 'b');
    });

    it.each(['"2"', 'W/"2"', '"1", "2"', '"1",W/"2" , "3"', '*', ' "2" '])(
      'answers 304 to If-None-Match %s',
      async (known) => {
        const { status, text, headers } = await read(known);
        expect([status, text, headers.etag]).toEqual([304, '', '"2"']);
        expect(headers['content-type']).toBeUndefined();
      },
    );

    it.each(['"1"', '"22"', '2', '"2', 'W/"3"', '"1", "3"', ''])('is sent to If-None-Match %j', async (known) => {
      const { status, body, headers } = await read(known);
      expect([status, body.generation, headers.etag]).toEqual([200, 2, '"2"']);
    });

    it('is sent again when a route has changed', async () => {
      await saveRoute(org.operator, 'a', { queue_timeout_ms: 1 });
      const { status, headers } = await read('"2"');
      expect([status, headers.etag]).toEqual([200, '"3"']);
    });
  });

  it('is the same on every replica, a moment later', async () => {
    const { url } = await service.replica();
    const elsewhere = async (): Promise<JsonObject> => {
      const answer = await fetch(url + CONFIG, { headers: { authorization: `Bearer ${org.controller.token}` } });
      return (await answer.json()) as JsonObject;
    };
    expect(await elsewhere()).toMatchObject({ generation: 0 });
    const { profileIds } = await buildModel(org);
    await report(org.controller, profileIds[0] ?? '');
    await routersSee(org.controller, profileIds[0] ?? '', { ready: true });
    const { body } = await read();
    await eventually(async () => expect(await elsewhere()).toEqual(body));
  });
});
