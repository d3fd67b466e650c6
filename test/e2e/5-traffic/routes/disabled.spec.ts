import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { newId } from '../../../../src/1-platform/common/ids';
import { CHAT, createKey, PRICED, question, readyProfile, routeTo, serviceFor, type Key } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { authorized, issueKey, resolve, routersSee, saveRoute } from '../../../support/inference';
import { InferenceWorker } from '../../../support/inference-worker';
import { Pause } from '../../../support/pause';
import { buildProfile, intentOf, report } from '../../../support/profiles';
import type { Answer, Organisation, Service } from '../../../support/service';

describe('a disabled target', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let first: string;
  let second: string;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    org = await service.organisation();
    key = await createKey(org);
    first = await readyProfile(org, worker);
    second = await readyProfile(org, worker);
    model = await routeTo(org, [first, second]);
  });

  const ask = (name = model): Promise<Answer> => service.as(key.raw_key).post(CHAT, question(name));
  const target = (profile_id: string, priority: number, more: JsonObject = {}): JsonObject => ({
    profile_id,
    tier: 't',
    priority,
    ...more,
  });
  const statusOf = async (name = model): Promise<JsonObject> => {
    const { body } = await org.viewer.get('/v1/inference/routes/status');
    return (body as JsonObject[]).find(({ logical_model: one }) => one === name) ?? {};
  };
  const isServedBy = (profileId: string): Promise<void> =>
    eventually(async () => {
      const { status, headers } = await ask();
      expect([status, headers['x-route-target']]).toEqual([200, profileId]);
    });
  const profileOf = async (profileId: string): Promise<JsonObject> =>
    (await org.operator.get(`/v1/inference/profiles/${profileId}`)).body as JsonObject;

  it('is not chosen: the next one serves as if it were the first, and the status states why', async () => {
    await isServedBy(first);
    const targets = [target(first, 1, { enabled: false }), target(second, 2)];
    const saved = await saveRoute(org.operator, model, { targets });
    expect(saved.body.targets).toEqual(targets);
    expect(saved.body.generation).toBe(2);
    await isServedBy(second);
    expect((await ask()).headers['x-route-reason']).toBe('priority');
    expect(await statusOf()).toMatchObject({
      primary_profile_id: second,
      fallback_profile_id: null,
      state: 'serving',
      unchosen_targets: [{ profile_id: first, reason: 'disabled' }],
    });
    const config = (await org.controller.get('/v1/inference/router/config')).body.routes[0] as {
      targets: JsonObject[];
    };
    expect(config.targets.map(({ profile_id: id, enabled }) => [id, enabled])).toEqual([
      [first, false],
      [second, undefined],
    ]);
    // Saving the same again changes nothing; the default is enabled.
    expect((await saveRoute(org.operator, model, { targets })).body.generation).toBe(2);
    await saveRoute(org.operator, model, { targets: [target(first, 1), target(second, 2)] });
    await isServedBy(first);
  });

  it('may be disabled and enabled in all of its routes through its profile, by the same body', async () => {
    first = `profile-${newId()}`;
    const body = { profile_id: first, logical_model: 'm', exact_model: 'e', backend_url: worker.url, ...PRICED };
    expect((await org.operator.post('/v1/inference/profiles', body)).status).toBe(201);
    expect((await report(org.controller, first, { endpoint: worker.url })).status).toBe(204);
    expect(await profileOf(first)).not.toHaveProperty('enabled');
    model = await routeTo(org, [first, second]);
    await isServedBy(first);
    const disabled = await org.operator.post('/v1/inference/profiles', { ...body, enabled: false });
    expect([disabled.status, disabled.body.enabled]).toEqual([200, false]);
    await isServedBy(second);
    expect((await statusOf()).unchosen_targets).toEqual([{ profile_id: first, reason: 'disabled' }]);
    // If the member is left out, it stays.
    const same = await org.operator.post('/v1/inference/profiles', body);
    expect([same.status, same.body.enabled]).toEqual([200, false]);
    expect(await profileOf(first)).toMatchObject({ enabled: false });
    expect(
      (await org.operator.post('/v1/inference/profiles', { ...body, exact_model: 'x', enabled: true })).status,
    ).toBe(409);
    expect((await org.operator.post('/v1/inference/profiles', { ...body, enabled: null })).status).toBe(400);
    expect((await org.operator.post('/v1/inference/profiles', { ...body, enabled: true })).body).not.toHaveProperty(
      'enabled',
    );
    await isServedBy(first);
  });

  it('may be disabled from the start', async () => {
    const profile = await readyProfile(org, worker, { enabled: false });
    const answer = await ask(await routeTo(org, [profile, second]));
    expect(answer.headers['x-route-target']).toBe(second);
  });

  it('leaves no choice if it is the only one: 503 with its reason, and nothing is woken', async () => {
    const { profile_id: asleep } = (
      await org.operator.post('/v1/inference/profiles', {
        profile_id: `profile-${newId()}`,
        logical_model: 'm',
        exact_model: 'e',
        backend_url: worker.url,
        ...PRICED,
        enabled: false,
      })
    ).body as { profile_id: string };
    model = await routeTo(org, [asleep]);
    const { status, body } = await ask();
    expect([status, body.code, body.error.message]).toEqual([
      503,
      'model_unavailable',
      'Every target of the model is disabled.',
    ]);
    expect(await intentOf(org.viewer, asleep)).toBeUndefined();
    expect(await statusOf()).toMatchObject({ primary_profile_id: asleep, state: 'disabled' });
    // The same to a router.
    const router = await issueKey(service, org);
    const resolved = await resolve(org.controller, await authorized(router, model));
    expect([resolved.status, resolved.body.code]).toEqual([503, 'model_unavailable']);
  });

  it('gives the route its next generation if it is disabled while the route gains it', async () => {
    const body = buildProfile(`profile-${newId()}`);
    const id = String(body.profile_id);
    expect((await org.operator.post('/v1/inference/profiles', body)).status).toBe(201);
    const pause = await Pause.before(service.db, 'insert on route_targets');
    try {
      const saved = saveRoute(org.operator, model, { targets: [target(first, 1), target(id, 2)] });
      await pause.reached();
      const disabled = org.operator.post('/v1/inference/profiles', { ...body, enabled: false });
      const waits = eventually(async () => {
        const { rows } = await service.db.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        expect(rows.length).toBeGreaterThan(1);
      });
      await Promise.race([disabled, waits]);
      await pause.over();
      expect([(await saved).body.generation, (await disabled).status]).toEqual([2, 200]);
      await waits.catch(() => undefined);
    } finally {
      await pause.remove();
    }
    const { body: routes } = await org.viewer.get('/v1/inference/routes');
    expect(routes).toMatchObject([{ logical_model: model, generation: 3 }]);
  });

  it('is not given to a router', async () => {
    const router = await issueKey(service, org);
    await saveRoute(org.operator, model, { targets: [target(first, 1, { enabled: false }), target(second, 2)] });
    await routersSee(org.controller, first, { enabled: false });
    const { body } = await resolve(org.controller, await authorized(router, model), { preferred_profile_id: first });
    expect([body.profile_id, body.fallback_used]).toEqual([second, false]);
  });
});
