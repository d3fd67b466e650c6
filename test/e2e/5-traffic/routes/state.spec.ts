import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { CHAT, coldProfile, question, readyProfile, routeTo, serviceFor } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { answers, InferenceWorker } from '../../../support/inference-worker';
import { report, reportPhase, setState } from '../../../support/profiles';
import type { Service, Organisation } from '../../../support/service';
import { SentStatements } from '../../../support/statements';

interface Target {
  profile_id: string;
  endpoints: string[];
  state: string;
  ready_in_ms: number | null;
  in_flight: number;
  capacity: number;
  waiting: number;
  ready_workers: number;
  workers: { workload_uid: string | null; endpoint: string; in_flight: number; passed_over_ms: number }[];
}
interface State {
  outlook: JsonObject;
  targets: Target[];
}

describe('what a request for a model would find now', () => {
  let worker: InferenceWorker;
  let other: InferenceWorker;
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    [worker, other] = await Promise.all([InferenceWorker.start(), InferenceWorker.start()]);
    service = await serviceFor(worker, other);
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([worker.close(), other.close()]);
  });
  beforeEach(async () => {
    worker.reset();
    other.reset();
    org = await service.organisation();
  });

  const pathOf = (model: string) => `/v1/inference/routes/${encodeURIComponent(model)}/state`;
  const stateOf = async (model: string): Promise<State> => {
    const { status, body } = await org.viewer.get(pathOf(model));
    expect(status).toBe(200);
    return body as State;
  };
  const only = ({ targets }: State): Target => {
    expect(targets).toHaveLength(1);
    return targets[0]!;
  };

  it('shows the places of a target, the requests in them, and those that wait', async () => {
    const profile = await readyProfile(org, worker, { target_concurrency: 2 });
    const model = await routeTo(org, [profile]);
    expect(await stateOf(model)).toMatchObject({
      outlook: { decision: 'serve', profile_id: profile, source: 'priority', wakes: null, retry_after_ms: null },
      targets: [{ state: 'ready', in_flight: 0, capacity: 2, waiting: 0, ready_workers: 1, ready_in_ms: null }],
    });

    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const answer = answers();
    worker.behaves(async (exchange) => opened.then(() => answer(exchange)));
    const chats = [1, 2, 3].map(() => org.operator.post(CHAT, question(model)));
    await eventually(async () => {
      const state = await stateOf(model);
      expect(state.outlook).toMatchObject({ decision: 'wait', profile_id: profile });
      expect(only(state)).toMatchObject({
        state: 'full',
        in_flight: 2,
        capacity: 2,
        waiting: 1,
        workers: [{ workload_uid: null, endpoint: worker.url, in_flight: 2, passed_over_ms: 0 }],
      });
    });
    open();
    for (const { status } of await Promise.all(chats)) expect(status).toBe(200);
    await eventually(async () => expect(only(await stateOf(model))).toMatchObject({ in_flight: 0, waiting: 0 }));
  });

  it('names each worker, and the one that failed', async () => {
    const uids = [newId(), newId()];
    const profile = await coldProfile(org, {
      backend_url: undefined,
      spec: { worker: { command: ['engine'] } },
      target_concurrency: 3,
      autoscale: false,
    });
    const workers = [worker, other].map(({ url: endpoint }, place) => ({
      workload_uid: uids[place],
      endpoint,
      ready: true,
    }));
    await report(org.controller, profile, { workers, ready: true });
    const model = await routeTo(org, [profile]);
    worker.behaves(({ response }) => void response.destroy());
    await eventually(async () => {
      // A new conversation each time: an old one would return to the worker that served it.
      const chat = question(model, { messages: [{ role: 'user', content: newId() }] });
      expect((await org.operator.post(CHAT, chat)).status).toBe(200);
      const target = only(await stateOf(model));
      expect(target).toMatchObject({ ready_workers: 2, in_flight: 0 });
      const resting = target.workers.filter(({ passed_over_ms: ms }) => ms > 0);
      expect(resting).toMatchObject([{ workload_uid: uids[0], endpoint: worker.url }]);
      // The places of the worker that rests are not offered.
      expect(target.capacity).toBe(3);
    });
    // It rests for five seconds; afterwards it is not passed over, and not for a negative time either.
    await eventually(async () => {
      const rests = only(await stateOf(model)).workers.map(({ passed_over_ms: ms }) => ms);
      expect(rests).toEqual([0, 0]);
    });
  });

  it('says how a target that is not ready can come up, and what a request would do about it', async () => {
    const [asleep, starting, leaving, disabled] = [
      await coldProfile(org),
      await coldProfile(org),
      await readyProfile(org, worker),
      await coldProfile(org, { enabled: false }),
    ];
    await setState(org.operator, starting, { desired_state: 'Active' });
    await reportPhase(org.controller, leaving, 'Draining', 1);
    const model = await routeTo(org, [asleep, starting, leaving, disabled]);
    await eventually(async () =>
      expect((await stateOf(model)).targets.map(({ profile_id: id, state }) => [id, state])).toEqual([
        [asleep, 'asleep'],
        [starting, 'starting'],
        [leaving, 'leaving'],
        [disabled, 'disabled'],
      ]),
    );
    const { outlook, targets } = await stateOf(model);
    expect(outlook).toMatchObject({ decision: 'wait', profile_id: asleep, wakes: asleep });
    expect(targets.map((target) => [target.capacity, target.workers])).toEqual(Array(4).fill([0, []]));
    // Asking wakes nothing.
    const intents = await org.viewer.get('/v1/inference/capacity-intents');
    expect((intents.body as JsonObject[]).map(({ profile_id: id }) => id)).toEqual([starting]);
  });

  it('says for how long a target is not requested after its start failed', async () => {
    const profile = await coldProfile(org);
    const model = await routeTo(org, [profile]);
    await setState(org.operator, profile, { desired_state: 'Active' });
    await reportPhase(org.controller, profile, 'Failed', 1);
    await eventually(async () => {
      const state = await stateOf(model);
      expect(only(state).state).toBe('cooling');
      expect(only(state).ready_in_ms).toBeGreaterThan(0);
      expect(only(state).ready_in_ms).toBeLessThanOrEqual(30_000);
      expect(state.outlook).toMatchObject({ decision: 'refuse', reason: 'no_target', profile_id: null });
    });
  });

  it('chooses among the targets that serve the endpoint', async () => {
    const embeds = await readyProfile(org, worker, { spec: { endpoints: ['embeddings'] } });
    const chats = await coldProfile(org);
    const model = await routeTo(org, [embeds, chats]);
    const outlookOf = async (query: string) => {
      const { status, body } = await org.viewer.get(`${pathOf(model)}${query}`);
      return [status, (body as State).outlook];
    };
    await eventually(async () => {
      expect(await outlookOf('')).toMatchObject([200, { decision: 'wait', profile_id: chats, wakes: chats }]);
      expect(await outlookOf('?endpoint=embeddings')).toMatchObject([200, { decision: 'serve', profile_id: embeds }]);
    });
    expect(await outlookOf('?endpoint=responses')).toMatchObject([
      200,
      { decision: 'refuse', reason: 'endpoint_not_served', profile_id: null, retry_after_ms: null },
    ]);
    expect((await outlookOf('?endpoint=images'))[0]).toBe(400);
    expect((await stateOf(model)).targets.map(({ endpoints }) => endpoints)).toEqual([
      ['embeddings'],
      ['chat', 'completions'],
    ]);
  });

  it('refuses every request of a route whose targets are all disabled', async () => {
    const model = await routeTo(org, [await coldProfile(org, { enabled: false })]);
    expect((await stateOf(model)).outlook).toMatchObject({ decision: 'refuse', reason: 'disabled' });
  });

  it('is found by any name of a model, also one with a slash', async () => {
    const model = await routeTo(org, [await coldProfile(org)], { logical_model: `meta-llama/${newId()}` });
    expect(await stateOf(model)).toMatchObject({ logical_model: model });
  });

  it('is 404 for a model without a route, and for the route of another organisation', async () => {
    const model = await routeTo(org, [await coldProfile(org)]);
    const stranger = await service.organisation();
    expect((await stranger.viewer.get(pathOf(model))).status).toBe(404);
    expect((await org.viewer.get(pathOf('no such model'))).status).toBe(404);
    expect((await org.viewer.get(pathOf(model))).status).toBe(200);
  });

  it('takes no statement of its own: the routing table is in memory', async () => {
    const model = await routeTo(org, [await coldProfile(org)]);
    await stateOf(model);
    const statements = new SentStatements();
    const requests = 50;
    for (let request = 0; request < requests; request++) await stateOf(model);
    // The table is read again in the background, every few seconds, and a slow machine takes many of them.
    for (const [name, times] of Object.entries(statements.counts(org.id)))
      expect([name, times < requests / 2]).toEqual([name, true]);
  });
});
