import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { WorkerClient, WorkerUnreachable } from '../../../../src/1-platform/outbound/worker-client';
import { WaitingRoom } from '../../../../src/5-traffic/chat/waiting-room';
import { WorkerRests } from '../../../../src/5-traffic/routes/choice/workers/worker-rests';
import { WorkerSeats } from '../../../../src/5-traffic/routes/choice/workers/worker-seats';
import { CHAT, coldProfile, question, RawChat, routeTo } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import {
  answers,
  completionOf,
  InferenceWorker,
  inTurn,
  isSilent,
  redirects,
  refuses,
  shows,
  type Behaviour,
} from '../../../support/inference-worker';
import { intentOf, report } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

interface Config {
  readonly routes: readonly { readonly targets: readonly { profile_id: string; current_replicas: number }[] }[];
}

describe('chat with a profile of several workers', () => {
  const CONCURRENCY = 4;
  const QUEUE = 2;
  let workers: InferenceWorker[];
  let service: Service;
  let org: Organisation;
  let profileId: string;
  let model: string;
  let uids: string[];

  beforeAll(async () => {
    workers = await Promise.all(Array.from({ length: 3 }, () => InferenceWorker.start()));
    service = await Service.start({ workerEndpointAllow: workers.map(({ host }) => host) });
  });
  afterAll(async () => {
    await service.close();
    await Promise.all(workers.map((worker) => worker.close()));
  });
  beforeEach(async () => {
    for (const worker of workers) worker.reset();
    // Profiles of other tests have workers at the same addresses.
    org = await service.organisation();
    profileId = await coldProfile(org, {
      backend_url: undefined,
      spec: { worker: { command: ['engine'] } },
      target_concurrency: CONCURRENCY,
      max_queue_depth: QUEUE,
      autoscale: false,
    });
    model = await routeTo(org, [profileId]);
    uids = workers.map(() => newId());
    await serve(workers.map(() => true));
  });

  /** The controller reports which of the workers are ready. */
  const serve = async (ready: readonly boolean[], overrides: JsonObject = {}) => {
    const list = workers.map(({ url }, place) => ({ workload_uid: uids[place], endpoint: url, ready: ready[place] }));
    const { status } = await report(org.controller, profileId, {
      workers: list,
      ready: ready.includes(true),
      ...overrides,
    });
    expect(status).toBe(204);
    // The service reads its routing table again.
    await eventually(async () => {
      const { routes } = (await org.controller.get('/v1/inference/router/config')).body as Config;
      const target = routes.flatMap(({ targets }) => targets).find(({ profile_id: id }) => id === profileId);
      expect(target?.current_replicas).toBe(ready.filter(Boolean).length);
    });
  };
  const chat = (said = newId()) =>
    org.operator.post(CHAT, question(model, { messages: [{ role: 'user', content: said }] }));
  const counts = () => workers.map(({ requests }) => requests.length);
  /** Requests that were sent before this one are seated, or wait: the service has answered later ones. */
  const settled = async () => {
    for (let request = 0; request < 3; request++) await org.viewer.get('/v1/inference/routes/status');
  };
  /** Answers when the test says so. */
  const gate = (answer = answers()): { open: () => void; behaviour: Behaviour } => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { open, behaviour: async (exchange) => opened.then(() => answer(exchange)) };
  };

  it('reaches each worker, one after the other while all are idle', async () => {
    for (let request = 0; request < 9; request++) expect((await chat()).status).toBe(200);
    expect(counts()).toEqual([3, 3, 3]);
  });

  it('gives each worker as many requests as its concurrency allows, and lets the next one wait for any of them', async () => {
    const { open, behaviour } = gate();
    for (const worker of workers) worker.behaves(behaviour);
    const running = Array.from({ length: 3 * CONCURRENCY }, () => chat());
    await eventually(() => expect(counts()).toEqual([4, 4, 4]));
    const waiting = chat();
    await settled();
    expect(counts()).toEqual([4, 4, 4]);
    open();
    for (const { status } of await Promise.all([...running, waiting])) expect(status).toBe(200);
    expect(counts().reduce((sum, count) => sum + count)).toBe(13);
    expect(Math.max(...workers.map(({ highest }) => highest))).toBe(CONCURRENCY);
  });

  it('chooses the least loaded worker', async () => {
    const { open, behaviour } = gate();
    workers[0]!.behaves(behaviour);
    workers[1]!.behaves(behaviour);
    const slow: Promise<unknown>[] = [];
    // Two of these get stuck, one at each of the slow workers.
    for (let request = 0; request < 3; request++) slow.push(chat());
    await eventually(() => expect(counts()).toEqual([1, 1, 1]));
    for (let request = 0; request < 5; request++) expect((await chat()).status).toBe(200);
    expect(counts()).toEqual([1, 1, 6]);
    open();
    await Promise.all(slow);
  });

  it('prefers the worker that served the conversation before', async () => {
    const messages: JsonObject[] = [{ role: 'system', content: 'Be brief.' }];
    const served: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      messages.push({ role: 'user', content: `question ${turn}` });
      const before = counts();
      expect((await org.operator.post(CHAT, question(model, { messages }))).status).toBe(200);
      served.push(counts().findIndex((count, place) => count > before[place]!));
      messages.push({ role: 'assistant', content: `answer ${turn}` });
      // Another conversation with the same system prompt goes its own way.
      await chat();
    }
    expect(new Set(served).size).toBe(1);
    expect(counts().filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  it('repeats a request at another worker if one fails, and lets that one rest', async () => {
    workers[0]!.behaves(({ response }) => void response.destroy());
    const replies = [];
    for (let request = 0; request < 9; request++)
      replies.push(await RawChat.ask(service, org.operator.token!, question(model)));
    expect(replies.map(({ status }) => status)).toEqual(Array(9).fill(200));
    // One request met the failing worker, and needed a second attempt.
    expect(replies.map(({ headers }) => headers['x-attempts']).sort()).toEqual([...Array<string>(8).fill('1'), '2']);
    expect(counts()[0]).toBe(1);
  });

  it('lets a worker rest that answers an error to a request which another one serves', async () => {
    workers[0]!.behaves(refuses(500, '{"error":{"message":"CUDA out of memory","code":500}}'));
    for (let request = 0; request < 9; request++) expect((await chat()).status).toBe(200);
    expect(counts()[0]).toBe(1);
  });

  it.each([
    ['an error', 500, '{"error":"failed"}', 503],
    ['a stream that begins with an error', 200, 'data: {"error":{"message":"failed","code":500}}\n\n', 503],
    ['a refusal the second time', 422, '{"error":"too long"}', 422],
  ])('lets no worker rest because of a request to which each answers %s', async (_what, status, text, answered) => {
    let failed = 0;
    const behaviour: Behaviour = (exchange) => {
      if (!exchange.request.body.includes('poison')) return answers()(exchange);
      if (status !== 200) return refuses(failed++ % 2 === 0 ? 500 : status, text)(exchange);
      return void exchange.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
    };
    for (const worker of workers) worker.behaves(behaviour);
    expect((await chat('poison')).status).toBe(answered);
    const before = counts();
    for (let request = 0; request < 9; request++) expect((await chat()).status).toBe(200);
    expect(counts().map((count, place) => count - before[place]!)).toEqual([3, 3, 3]);
  });

  describe('of which all but one answer errors', () => {
    /** The good one has so many requests, which end when the test says so. */
    const busy = async (count: number, fails = refuses(500, '{"error":"failed"}')) => {
      const { open, behaviour } = gate();
      workers[2]!.behaves(behaviour);
      await serve([false, false, true]);
      const running = Array.from({ length: count }, () => chat());
      await eventually(() => expect(counts()).toEqual([0, 0, count]));
      await serve([true, true, true]);
      workers[2]!.behaves(answers());
      for (const broken of workers.slice(0, 2)) broken.behaves(fails);
      return async () => {
        open();
        for (const { status } of await Promise.all(running)) expect(status).toBe(200);
      };
    };

    const ofTgi = '{"error":"Request failed during generation","error_type":"generation"}';
    const BROKEN: [string, Behaviour, number?][] = [
      ['500', refuses(500, '{"error":"failed"}')],
      ['401', refuses(401, '{"error":"Unauthorized"}')],
      ['a redirect', redirects('http://127.0.0.1:1/')],
      ['204', ({ response }) => void response.writeHead(204).end()],
      ['a page', shows('text/html', '<h1>Welcome</h1>'), 502],
      ['nothing', shows('application/json', '')],
      ['an error without a number', shows('text/event-stream', `data: ${ofTgi}\n\n`)],
    ];
    it.each(BROKEN)(
      'reaches the good one, although the others are less busy (%s)',
      async (_what, fails, first = 503) => {
        const end = await busy(1, fails);
        const statuses: number[] = [];
        for (let request = 0; request < 6; request++) statuses.push((await chat()).status);
        // The first one goes to both of the others: nothing else is known about them yet.
        expect(statuses).toEqual([first, 200, 200, 200, 200, 200]);
        // Each of the others rests once it has failed a second request.
        expect(counts()).toEqual([2, 2, 6]);
        await end();
      },
    );

    it.each([429, 404])(
      'reaches the good one, and lets none of the others rest, if they may be sound (%s)',
      async (status) => {
        const end = await busy(1, refuses(status, '{"error":"no"}'));
        const statuses: number[] = [];
        for (let request = 0; request < 6; request++) statuses.push((await chat()).status);
        expect(statuses).toEqual([503, 200, 200, 200, 200, 200]);
        const [one, two, good] = counts();
        expect([one! + two!, good]).toEqual([7, 6]);
        await end();
      },
    );

    it('repeats requests at the others again once they have answered one', async () => {
      const end = await busy(1);
      const toPoison = refuses(500, '{"error":"failed"}');
      for (const other of workers.slice(0, 2))
        other.behaves((exchange) => (exchange.request.body.includes('poison') ? toPoison : answers())(exchange));
      for (let round = 0; round < 2; round++) {
        expect((await chat('poison')).status).toBe(503);
        // Whoever's turn it is, three of them reach both.
        for (let request = 0; request < 3; request++) expect((await chat()).status).toBe(200);
      }
      expect(counts()[2]).toBe(1);
      await end();
    });

    it('does not make others wait for the good one if that has no place', async () => {
      const end = await busy(CONCURRENCY);
      for (let request = 0; request < 3; request++) expect((await chat()).status).toBe(503);
      const { body } = await org.viewer.get(`/v1/inference/routes/${model}/state`);
      expect(body).toMatchObject({ targets: [{ waiting: 0 }] });
      await end();
      await eventually(async () => expect((await chat()).status).toBe(200));
    });
  });

  it('lets no worker rest that has answered others by the time a request that failed there is served', async () => {
    await serve([true, true, false]);
    const { open, behaviour } = gate();
    workers[1]!.behaves(behaviour);
    const running = [chat(), chat()];
    await eventually(() => expect(counts()).toEqual([1, 1, 0]));
    workers[0]!.behaves(refuses(500, '{"error":"failed"}'));
    running.push(chat());
    await eventually(() => expect(counts()).toEqual([2, 2, 0]));
    workers[0]!.behaves(answers());
    expect((await chat()).status).toBe(200);
    open();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    const before = counts();
    expect(before).toEqual([3, 2, 0]);
    for (let request = 0; request < 4; request++) expect((await chat()).status).toBe(200);
    expect(counts().map((count, place) => count - before[place]!)).toEqual([2, 2, 0]);
  });

  it('lets a worker rest once for its failures, though it answers 429 before the last of their requests is served', async () => {
    const rested = jest.spyOn(WorkerRests.prototype, 'drop');
    const [busy, full, first, second] = [gate(), gate(refuses(429, '{"error":"full"}')), gate(), gate()];
    const saying =
      (behaviours: Readonly<Record<string, Behaviour>>, otherwise: Behaviour): Behaviour =>
      (exchange) => {
        const said = Object.keys(behaviours).find((text) => exchange.request.body.includes(text)) ?? '';
        return (behaviours[said] ?? otherwise)(exchange);
      };
    workers[0]!.behaves(saying({ Full: full.behaviour }, refuses(500, '{"error":"failed"}')));
    const gated = { Busy: busy.behaviour, First: first.behaviour, Second: second.behaviour };
    workers[1]!.behaves(saying(gated, answers()));
    // The others begin at the less loaded one.
    await serve([false, true, false]);
    const busyOnes = [chat('Busy'), chat('Busy')];
    await eventually(() => expect(counts()).toEqual([0, 2, 0]));
    await serve([true, true, false]);
    const fullOne = chat('Full');
    await eventually(() => expect(counts()).toEqual([1, 2, 0]));
    const failed = [];
    for (const [place, said] of ['First', 'Second'].entries()) {
      failed.push(chat(said));
      await eventually(() => expect(counts()).toEqual([2 + place, 3 + place, 0]));
    }
    first.open();
    expect((await failed[0]!).status).toBe(200);
    expect(rested).toHaveBeenCalledTimes(1);
    full.open();
    expect((await fullOne).status).toBe(200);
    expect(counts()).toEqual([3, 5, 0]);
    second.open();
    expect((await failed[1]!).status).toBe(200);
    expect(rested).toHaveBeenCalledTimes(1);
    busy.open();
    for (const { status } of await Promise.all(busyOnes)) expect(status).toBe(200);
    rested.mockRestore();
  });

  it('serves requests at an idle worker while those that failed there fill the queue of the others', async () => {
    await serve([false, true, false]);
    const { open, behaviour } = gate();
    workers[1]!.behaves(behaviour);
    const running = Array.from({ length: CONCURRENCY }, () => chat());
    await eventually(() => expect(counts()).toEqual([0, CONCURRENCY, 0]));
    await serve([true, true, false]);
    workers[0]!.behaves(refuses(500, '{"error":"failed"}'));
    for (let request = 0; request < QUEUE; request++) running.push(chat());
    await eventually(() => expect(service.app.get(WaitingRoom).size).toBe(QUEUE));
    workers[0]!.behaves(answers());
    for (let request = 0; request < 3; request++) expect((await chat()).status).toBe(200);
    expect([counts(), service.app.get(WaitingRoom).size]).toEqual([[QUEUE + 3, CONCURRENCY, 0], QUEUE]);
    open();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  });

  it('lets no worker rest because another target serves what it answers an error to', async () => {
    const other = await coldProfile(org, { backend_url: workers[2]!.url });
    expect((await report(org.controller, other, { endpoint: workers[2]!.url })).status).toBe(204);
    model = await routeTo(org, [profileId, other]);
    await serve([true, true, false]);
    const gates = [gate(), gate()];
    for (const [place, { behaviour }] of gates.entries()) workers[place]!.behaves(behaviour);
    const running = Array.from({ length: 2 * CONCURRENCY }, () => chat());
    await eventually(() => expect(counts()).toEqual([CONCURRENCY, CONCURRENCY, 0]));
    gates[0]!.open();
    await eventually(() => expect(workers[0]!.underWay).toBe(0));
    workers[0]!.behaves(refuses(500, '{"error":"failed"}'));
    expect((await chat()).status).toBe(200);
    workers[0]!.behaves(answers());
    expect((await chat()).status).toBe(200);
    expect(counts()).toEqual([CONCURRENCY + 2, CONCURRENCY, 1]);
    gates[1]!.open();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  });

  it('loses no request when a worker ends in the middle of its work', async () => {
    const { open, behaviour } = gate();
    for (const worker of workers) worker.behaves(behaviour);
    const running = Array.from({ length: 9 }, () => chat());
    await eventually(() => expect(counts()).toEqual([3, 3, 3]));
    workers[1]!.cutOff();
    workers[1]!.behaves(({ response }) => void response.destroy());
    open();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  });

  describe('that classifies', () => {
    let targets: { small: string; big: string };
    /** Picks the tier that has not the first place in the order of priorities. */
    const picks =
      (tier = 'big'): Behaviour =>
      ({ asked, response }) => {
        const completion = JSON.parse(completionOf(asked)) as { choices: { message: { content: string } }[] };
        for (const { message } of completion.choices) message.content = JSON.stringify({ tier });
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
      };
    const target = async (): Promise<string> => {
      const id = await coldProfile(org, { backend_url: workers[2]!.url });
      expect((await report(org.controller, id, { endpoint: workers[2]!.url })).status).toBe(204);
      return id;
    };
    /** The profiles that serve so many requests, one after the other. */
    const served = async (count: number): Promise<unknown[]> => {
      const reasons: unknown[] = [];
      for (let request = 0; request < count; request++) {
        const { status, headers } = await RawChat.ask(service, org.operator.token!, question(model));
        expect(status).toBe(200);
        reasons.push(headers['x-route-target'] === targets.big ? 'big' : 'small');
      }
      return reasons;
    };

    beforeEach(async () => {
      targets = { small: await target(), big: await target() };
      model = await routeTo(org, [], {
        mode: 'classifier',
        classifier_profile_id: profileId,
        targets: [
          { profile_id: targets.small, tier: 'small', priority: 0 },
          { profile_id: targets.big, tier: 'big', priority: 1 },
        ],
      });
      await serve([true, true, false]);
      for (const worker of workers.slice(0, 2)) worker.behaves(picks());
    });
    afterEach(() => jest.restoreAllMocks());

    const FAILS: [what: string, fails: Behaviour, most: number][] = [
      ['closes connections', ({ response }) => void response.destroy(), 1],
      ['answers 500', refuses(500, '{"error":"failed"}'), 2],
      ['answers a page', shows('text/html', '<h1>Welcome</h1>'), 2],
      ['sends nothing', isSilent(), 2],
    ];

    it.each(FAILS)('asks the others while one %s', async (_what, fails, most) => {
      expect(await served(1)).toEqual(['big']);
      const next = counts()[0] === 1 ? 0 : 1;
      workers[next]!.behaves(fails);
      const tiers = await served(8);
      expect([counts()[next], counts()[1 - next]]).toEqual([1 + most, 8 - most]);
      expect(tiers.filter((tier) => tier === 'small')).toHaveLength(most);
    });

    it.each(FAILS)('asks none while the only one %s', async (_what, fails, most) => {
      await serve([true, false, false]);
      workers[0]!.behaves(fails);
      expect(await served(8)).toEqual(Array(8).fill('small'));
      expect(counts()[0]).toBe(most);
    });

    it('lets no worker rest from chats because it takes too long for a classification', async () => {
      // Four of them would take nearly as long as the first worker is passed over.
      const limitOf = AbortSignal.timeout.bind(AbortSignal);
      jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => limitOf(milliseconds / 2));
      for (const worker of workers.slice(0, 2)) worker.behaves(isSilent());
      const drops = jest.spyOn(service.app.get(WorkerSeats).rests, 'drop');
      const doubts = jest.spyOn(service.app.get(WorkerSeats).rests, 'doubt');
      expect(await served(5)).toEqual(Array(5).fill('small'));
      expect(counts().slice(0, 2)).toEqual([2, 2]);
      expect([drops.mock.calls, doubts.mock.calls]).toEqual([[], []]);
      for (const worker of workers.slice(0, 2)) worker.behaves(answers());
      model = await routeTo(org, [profileId]);
      for (let request = 0; request < 4; request++) expect((await chat()).status).toBe(200);
      expect(counts().slice(0, 2)).toEqual([4, 4]);
    });

    it.each<[string, Behaviour]>([
      ['refuses what it is asked', refuses(400, '{"error":"too long"}')],
      ['picks no tier', picks('huge')],
      ['answers every other request', inTurn(refuses(500, '{}'), picks(), refuses(500, '{}'), picks())],
    ])('lets no worker rest that %s: the text of the request may be the reason', async (_what, fails) => {
      for (const worker of workers.slice(0, 2)) worker.behaves(fails);
      const drops = jest.spyOn(service.app.get(WorkerSeats).rests, 'drop');
      await served(8);
      expect(drops).not.toHaveBeenCalled();
    });

    it('waits for a connection for less time than for an answer', async () => {
      const posts = jest.spyOn(service.app.get(WorkerClient), 'post');
      await served(1);
      expect(posts.mock.calls.map(([, { connectWithinMs = Infinity }]) => connectWithinMs < 2_000)).toEqual([
        true,
        false,
      ]);
      posts.mockImplementationOnce(() => Promise.reject(new WorkerUnreachable('connect')));
      const drops = jest.spyOn(service.app.get(WorkerSeats).rests, 'drop');
      expect(await served(1)).toEqual(['small']);
      expect(drops.mock.calls.map(([, { profileId: of }, , unreached]) => [of, unreached])).toEqual([
        [profileId, true],
      ]);
    });

    it('asks others if connecting takes too long, and lets the worker serve chats, whose connections may', async () => {
      const posts = jest.spyOn(service.app.get(WorkerClient), 'post');
      const drops = jest.spyOn(service.app.get(WorkerSeats).rests, 'drop');
      posts.mockImplementationOnce(() => Promise.reject(new WorkerUnreachable('slow_connect')));
      expect(await served(5)).toEqual(['small', ...Array<string>(4).fill('big')]);
      expect(counts().slice(0, 2).toSorted()).toEqual([0, 4]);
      expect(drops).not.toHaveBeenCalled();
    });
  });

  it('uses only workers that are ready, as soon as that is reported', async () => {
    await serve([false, true, false]);
    for (let request = 0; request < 3; request++) await chat();
    expect(counts()).toEqual([0, 3, 0]);
    await serve([true, false, true]);
    for (let request = 0; request < 2; request++) await chat();
    expect(counts()).toEqual([1, 3, 1]);
  });

  it('keeps no idle connection to a worker that is no longer ready, and completes its answers', async () => {
    const [staying, ...others] = workers;
    const { open, behaviour } = gate();
    for (const worker of workers) worker.behaves(behaviour);
    const running = Array.from({ length: 6 }, () => chat());
    await eventually(() => expect(counts()).toEqual([2, 2, 2]));
    await serve([true, false, false]);
    // Far shorter than idle connections live, of which earlier tests left some.
    await eventually(() => expect(others.map((worker) => worker.open)).toEqual([2, 2]), 1_000);
    open();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    await eventually(() => expect(others.map((worker) => worker.open)).toEqual([0, 0]), 1_000);
    expect(staying!.open).toBeGreaterThan(0);
  });

  it('lets a request wait for the next start if its worker ends because the profile is suspended', async () => {
    await serve([true, false, false]);
    const asleep = { phase: 'Suspended', desired_state: 'Suspended', workers: [] };
    workers[0]!.behaves(async ({ response }) => {
      await report(org.controller, profileId, { ...asleep, ready: false });
      // As a controller does between its report and the end of the worker.
      await sleep(100);
      response.destroy();
    });
    const asked = RawChat.ask(service, org.operator.token!, question(model));
    await eventually(async () =>
      expect(await intentOf(org.viewer, profileId)).toMatchObject({ desired_state: 'Active', status: 'Pending' }),
    );
    await serve([false, true, false]);
    const { status, headers } = await asked;
    expect([status, headers['x-attempts']]).toEqual([200, '2']);
    expect(counts()).toEqual([1, 1, 0]);
  });

  it('says that the request waited for a restored worker, and how long its start took', async () => {
    await serve([false, false, false], { phase: 'Suspended', desired_state: 'Suspended', workers: [] });
    const asked = RawChat.ask(service, org.operator.token!, question(model));
    await eventually(async () =>
      expect((await org.viewer.get('/v1/inference/capacity-intents')).body).toContainEqual(
        expect.objectContaining({ profile_id: profileId, desired_state: 'Active', status: 'Pending' }),
      ),
    );
    const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: newId() })).text;
    const event = (kind: string, overrides: JsonObject = {}) =>
      org.controller.post('/v1/inference/lifecycle-events', {
        schema_version: 1,
        event_id: newId(),
        occurred_at: new Date().toISOString(),
        cluster_id: clusterId,
        profile_id: profileId,
        workload_uid: uids[2],
        kind,
        ...overrides,
      });
    await event('worker.scheduled');
    await event('worker.restoring', { artifact_id: 'a', payload: { restore_checkpoint_path: '/a' } });
    await event('model.ready');
    await serve([false, false, true]);
    const { status, message } = await asked;
    expect([status, message.headers['x-start-kind']]).toEqual([200, 'restored']);
    expect(Number(message.headers['x-start-ms'])).toBeGreaterThan(0);
    expect(counts()).toEqual([0, 0, 1]);
  });
});
