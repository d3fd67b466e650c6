import { newId } from '../../../../src/1-platform/common/ids';
import { RoutingTables } from '../../../../src/5-traffic/routes/choice/routing-tables.service';
import { EXPERIMENTS, startExperiment } from '../../../support/experiments';
import {
  CHAT,
  coldProfile,
  createKey,
  question,
  readyProfile,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { authorized, resolve, routersSee, sendTelemetry } from '../../../support/inference';
import { InferenceWorker } from '../../../support/inference-worker';
import type { Organisation, Service } from '../../../support/service';

describe('the experiment of a request', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let profileId: string;
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
    worker.reset();
    org = await service.organisation();
    key = await createKey(org);
    profileId = await readyProfile(org, worker);
    model = await routeTo(org, [profileId]);
  });

  const start = (overrides: object = {}) => startExperiment(org, { profile_id: profileId, ...overrides });
  const end = (id: string, status = 'completed') => org.operator.post(`${EXPERIMENTS}/${id}/complete`, { status });
  /** Wait until the routing replicas know that it runs for the profile. */
  const known = (experimentId: string | null, id = profileId): Promise<void> =>
    eventually(async () => {
      const table = await service.app.get(RoutingTables).of(org.id);
      expect(table.profiles.get(id)?.experimentId).toBe(experimentId);
    }, 2_000);
  const chat = async (headers: Record<string, string> = {}, status = 200): Promise<void> => {
    const answer = await service.as(key.raw_key).post(CHAT, question(model), headers);
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  };
  const tags = async (count: number) =>
    (await usageOf(service, model, count)).map(({ experiment_id: experiment }) => experiment);

  it('is the running experiment of the profile that serves the request, until that ends', async () => {
    await chat();
    const experiment = await start();
    await known(experiment);
    await chat();
    await end(experiment);
    await known(null);
    await chat();
    expect(await tags(3)).toEqual([null, experiment, null]);
  });

  it('is the one named by the request, whatever runs', async () => {
    const [named, experiment] = [newId(), await start()];
    await known(experiment);
    await chat({ 'x-experiment-id': named });
    expect(await tags(1)).toEqual([named]);
  });

  it('is the latest of the running experiments, and the one before when that is cancelled', async () => {
    const [first, second, third] = [await start(), await start(), await start()];
    await known(third);
    await end(third, 'cancelled');
    await known(second);
    await end(first);
    await known(second);
    await chat();
    expect(await tags(1)).toEqual([second]);
  });

  it('is not one of another profile, of no profile, or of another organisation', async () => {
    const fallback = await readyProfile(org, worker);
    const [elsewhere, other] = [await start({ profile_id: fallback }), await service.organisation()];
    await start({ profile_id: null });
    await coldProfile(other, { profile_id: profileId });
    await startExperiment(other, { profile_id: profileId });
    model = await routeTo(org, [profileId, fallback]);
    await known(elsewhere, fallback);
    await known(null);
    await chat();
    expect(await tags(1)).toEqual([null]);
  });

  it('is that of the target that serves the request, not of the first target', async () => {
    const first = await coldProfile(org);
    model = await routeTo(org, [first, profileId]);
    const [of, experiment] = [await start({ profile_id: first }), await start()];
    await known(of, first);
    await known(experiment);
    await chat();
    expect(await tags(1)).toEqual([experiment]);
  });

  it('is empty if no target served the request', async () => {
    const cold = await coldProfile(org);
    model = await routeTo(org, [cold], { queue_timeout_ms: 0 });
    const experiment = await start({ profile_id: cold });
    await known(experiment, cold);
    await chat({}, 503);
    expect(await tags(1)).toEqual([null]);
  });

  it('is known to every replica', async () => {
    const { app } = await service.replica();
    const tables = app.get(RoutingTables);
    expect((await tables.of(org.id)).profiles.get(profileId)?.experimentId).toBeNull();
    const experiment = await start();
    await eventually(() => expect(tables.held(org.id)?.profiles.get(profileId)?.experimentId).toBe(experiment), 2_000);
  });

  it('is not reported by a router: it is the running one of the profile that the request was resolved to', async () => {
    const caller = Object.assign(service.as(key.raw_key), { keyId: key.key_id, rawKey: key.raw_key });
    await routersSee(org.controller, profileId, { ready: true });
    const serve = async () => {
      const request = await authorized(caller, model);
      expect((await resolve(org.controller, request)).status).toBe(200);
      // The request is paid by the profile that it was resolved to, and belongs to that profile's experiment.
      const reported = { profile_id: await coldProfile(org) };
      expect((await sendTelemetry(org.controller, request, reported)).status).toBe(200);
    };
    await serve();
    const experiment = await start();
    await serve();
    await end(experiment);
    await serve();
    expect(await tags(3)).toEqual([null, experiment, null]);
  });
});
