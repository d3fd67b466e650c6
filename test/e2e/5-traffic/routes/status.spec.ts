import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { buildModel, saveRoute, targetsOf } from '../../../support/inference';
import { buildEvent, createProfile, report, reportPhase, setState, reportEvent } from '../../../support/profiles';
import { Service, type Caller, type Organisation } from '../../../support/service';

const STATUS = '/v1/inference/routes/status';
const ACTIVE = { desired_state: 'Active' };
const SUSPENDED = { desired_state: 'Suspended' };

describe('the status of a route', () => {
  let service: Service;
  let org: Organisation;
  let model: string;
  let primary: string;
  let fallback: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    const built = await buildModel(org, [
      { backend_url: 'http://primary.svc:8000' },
      { backend_url: 'http://fallback.svc:8000' },
    ]);
    model = built.model;
    [primary = '', fallback = ''] = built.profileIds;
  });

  const status = async (caller: Caller = org.viewer): Promise<JsonObject | undefined> =>
    ((await caller.get(STATUS)).body as JsonObject[]).find(({ logical_model: of }) => of === model);
  const ready = (profileId: string, endpoint?: string) =>
    report(org.controller, profileId, endpoint === undefined ? {} : { endpoint });
  const gone = (profileId: string) => reportPhase(org.controller, profileId, 'Suspended', 1_000);

  /** Nothing was ever reported or requested. */
  const cold = () => ({
    logical_model: model,
    primary_profile_id: primary,
    primary_ready: false,
    primary_phase: null,
    fallback_profile_id: fallback,
    fallback_ready: false,
    endpoint: null,
    queue_timeout_ms: 30_000,
    state: 'cold',
    pending_activation: false,
    pending_release: false,
    pending_intent: false,
    restore_checkpoint_path: null,
    start_kind: null,
    unchosen_targets: [],
  });

  it('is cold if nothing runs and nothing is requested', async () => {
    expect(await status()).toEqual(cold());
  });

  it('is activating while the primary is requested, whatever it reports on the way', async () => {
    await setState(org.operator, primary, ACTIVE);
    const asked = { state: 'activating', pending_activation: true, pending_release: false, pending_intent: true };
    expect(await status()).toEqual({ ...cold(), ...asked });
    for (const phase of ['Pending', 'Scheduling', 'Pulling', 'Loading', 'Warming']) {
      await reportPhase(org.controller, primary, phase, 1);
      expect(await status()).toMatchObject({ ...asked, primary_phase: phase, primary_ready: false, endpoint: null });
    }
    await reportPhase(org.controller, primary, 'Ready', 1);
    expect(await status()).toMatchObject({
      state: 'serving',
      primary_ready: true,
      primary_phase: 'Ready',
      pending_activation: false,
      pending_intent: false,
    });
  });

  it('is serving if the primary is ready, at the endpoint that it reported', async () => {
    await ready(primary, 'http://10.0.0.7:8000/v1');
    await ready(fallback, 'http://10.0.0.8:8000/v1');
    expect(await status()).toMatchObject({
      state: 'serving',
      primary_ready: true,
      fallback_ready: true,
      endpoint: 'http://10.0.0.7:8000/v1',
      start_kind: 'cold',
    });
  });

  it('shows the address of the profile if no endpoint was reported', async () => {
    await ready(primary);
    expect(await status()).toMatchObject({ state: 'serving', endpoint: 'http://primary.svc:8000' });
  });

  it('is fallback if only the fallback is ready', async () => {
    await ready(fallback, 'http://10.0.0.8:8000');
    expect(await status()).toEqual({
      ...cold(),
      state: 'fallback',
      fallback_ready: true,
      endpoint: 'http://10.0.0.8:8000',
    });
    await setState(org.operator, primary, ACTIVE);
    expect(await status()).toMatchObject({ state: 'fallback', pending_activation: true, pending_intent: true });
  });

  it('is suspended from the request to suspend the primary on', async () => {
    await setState(org.operator, primary, SUSPENDED);
    const asked = { state: 'suspended', pending_activation: false, pending_release: true, pending_intent: true };
    expect(await status()).toEqual({ ...cold(), ...asked });
    await reportPhase(org.controller, primary, 'Suspended', 1);
    expect(await status()).toEqual({ ...cold(), state: 'suspended', primary_phase: 'Suspended' });
  });

  it('is serving while the primary, requested to suspend, still serves', async () => {
    await ready(primary);
    await setState(org.operator, primary, SUSPENDED);
    expect(await status()).toMatchObject({ state: 'serving', pending_release: true, pending_intent: true });
  });

  it('shows a release if the primary is requested to have no replicas', async () => {
    await ready(primary);
    await setState(org.operator, primary, { ...ACTIVE, desired_replicas: 0 });
    expect(await status()).toMatchObject({
      state: 'serving',
      pending_activation: false,
      pending_release: true,
      pending_intent: true,
    });
  });

  it('follows the last of several requests', async () => {
    await setState(org.operator, primary, ACTIVE);
    await setState(org.operator, primary, SUSPENDED);
    expect(await status()).toMatchObject({ state: 'suspended', pending_activation: false, pending_release: true });
    await setState(org.operator, primary, ACTIVE);
    expect(await status()).toMatchObject({ state: 'activating', pending_activation: true, pending_release: false });
  });

  it('is cold again if nobody answered the request in time', async () => {
    await setState(org.operator, primary, { ...ACTIVE, deadline_ms: 60_000 });
    await service.db.query("update capacity_intents set status = 'Expired' where profile_id = $1", [primary]);
    expect(await status()).toEqual(cold());
  });

  it('shows requests for the primary only, not for the fallback', async () => {
    await setState(org.operator, fallback, ACTIVE);
    expect(await status()).toEqual(cold());
  });

  it('names the address of the first worker that is ready, if the profile has no other', async () => {
    const spec = { worker: { command: ['engine'] } };
    for (const place of ['primary', 'fallback']) {
      const { profile_id: id } = await createProfile(org, { backend_url: undefined, spec });
      const ids = place === 'primary' ? [id] : [primary, id];
      await saveRoute(org.operator, model, { targets: targetsOf(...ids) });
      const workers = [1, 2, 3].map((host) => ({
        workload_uid: newId(),
        endpoint: `http://10.0.0.${host}:8000`,
        ready: host > 1,
      }));
      expect((await report(org.controller, id, { workers })).status).toBe(204);
      expect(await status()).toMatchObject({ [`${place}_ready`]: true, endpoint: 'http://10.0.0.2:8000' });
      expect((await report(org.controller, id, { endpoint: 'http://10.0.0.9:8000', workers })).status).toBe(204);
      expect(await status()).toMatchObject({ endpoint: 'http://10.0.0.9:8000' });
    }
  });

  describe('with several targets', () => {
    it('shows the first other target that is ready, else the second target', async () => {
      const third = (await createProfile(org)).profile_id;
      await saveRoute(org.operator, model, { targets: targetsOf(primary, fallback, third) });
      expect(await status()).toMatchObject({ fallback_profile_id: fallback, fallback_ready: false });
      await ready(third, 'http://10.0.0.9:8000');
      expect(await status()).toMatchObject({
        state: 'fallback',
        fallback_profile_id: third,
        fallback_ready: true,
        endpoint: 'http://10.0.0.9:8000',
      });
      await ready(fallback, 'http://10.0.0.8:8000');
      expect(await status()).toMatchObject({ fallback_profile_id: fallback, endpoint: 'http://10.0.0.8:8000' });
    });

    it('follows their priorities', async () => {
      await saveRoute(org.operator, model, { targets: targetsOf(fallback, primary), queue_timeout_ms: 7 });
      expect(await status()).toEqual({
        ...cold(),
        primary_profile_id: fallback,
        fallback_profile_id: primary,
        queue_timeout_ms: 7,
      });
    });

    it('has no fallback with a single target', async () => {
      await saveRoute(org.operator, model, { targets: targetsOf(primary) });
      expect(await status()).toEqual({ ...cold(), fallback_profile_id: null });
    });

    it('is empty without targets', async () => {
      await saveRoute(org.operator, model, { targets: [] });
      expect(await status()).toEqual({ ...cold(), primary_profile_id: '', fallback_profile_id: null });
    });
  });

  describe('with a restored worker', () => {
    let clusterId: string;
    const CHECKPOINT = '/checkpoints/llama-8b/7';

    beforeAll(async () => {
      clusterId = (await org.operator.post('/v1/cluster', { cluster_name: `cluster-${newId()}` })).text;
    });
    const send = async (kind: string, overrides: JsonObject = {}) =>
      expect((await reportEvent(org.controller, buildEvent(clusterId, primary, { kind, ...overrides }))).status).toBe(
        204,
      );

    it('shows the checkpoint that the worker named, from then on', async () => {
      await send('worker.scheduled');
      expect(await status()).toMatchObject({ restore_checkpoint_path: null, start_kind: 'cold' });
      await send('worker.restoring', { payload: { restore_checkpoint_path: CHECKPOINT } });
      expect(await status()).toMatchObject({ restore_checkpoint_path: CHECKPOINT, start_kind: 'restore' });
      await ready(primary);
      expect(await status()).toMatchObject({
        state: 'serving',
        restore_checkpoint_path: CHECKPOINT,
        start_kind: 'restore',
      });
    });

    it('shows no checkpoint after the worker is gone', async () => {
      await send('worker.scheduled');
      await send('restore.started', { payload: { restore_checkpoint_path: CHECKPOINT } });
      await ready(primary);
      expect(await status()).toMatchObject({ restore_checkpoint_path: CHECKPOINT });
      await gone(primary);
      expect(await status()).toMatchObject({ state: 'cold', restore_checkpoint_path: null, start_kind: null });
    });

    it('is cold if the restore failed and the worker started all the same', async () => {
      await send('worker.scheduled');
      await send('restore.started', { payload: { restore_checkpoint_path: CHECKPOINT } });
      await send('restore.failed');
      await ready(primary);
      expect(await status()).toMatchObject({ state: 'serving', start_kind: 'cold' });
    });
  });

  it('shows a report as soon as the report is answered, on any replica', async () => {
    const other = await service.replica();
    const elsewhere = async (): Promise<JsonObject | undefined> => {
      const headers = { authorization: `Bearer ${org.viewer.token}` };
      const statuses = (await (await fetch(`${other.url}${STATUS}`, { headers })).json()) as JsonObject[];
      return statuses.find(({ logical_model: of }) => of === model);
    };
    for (let round = 1; round <= 20; round++) {
      const endpoint = `http://10.0.0.7:${8_000 + round}`;
      await report(org.controller, primary, { endpoint, observed_generation: round });
      for (const read of [status, elsewhere])
        expect(await read()).toMatchObject({ state: 'serving', primary_ready: true, endpoint });
      await report(org.controller, primary, { phase: 'Loading', ready: false, observed_generation: round });
      for (const read of [status, elsewhere])
        expect(await read()).toMatchObject({ primary_ready: false, primary_phase: 'Loading', endpoint: null });
    }
  });

  it('is shown for every route, by name and page by page', async () => {
    const own = await service.organisation();
    expect((await own.viewer.get(STATUS)).body).toEqual([]);
    for (const name of ['b', 'c', 'a']) await saveRoute(own.operator, name);
    const names = async (query: string) => {
      const { body, headers } = await own.viewer.get(STATUS + query);
      return [(body as JsonObject[]).map(({ logical_model: name }) => name).join(''), headers.link];
    };
    expect(await names('')).toEqual(['abc', undefined]);
    expect(await names('?limit=2')).toEqual(['ab', expect.stringContaining('rel="next"')]);
    expect(await names('?limit=2&offset=2')).toEqual(['c', undefined]);
  });
});
