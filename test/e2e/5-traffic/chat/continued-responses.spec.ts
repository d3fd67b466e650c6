import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { RoutingTables } from '../../../../src/5-traffic/routes/choice/routing-tables.service';
import { WaitingRoom } from '../../../../src/5-traffic/chat/waiting-room';
import { coldProfile, routeTo, serving } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { answers, hangsUp, InferenceWorker, inTurn, refuses, type Behaviour } from '../../../support/inference-worker';
import { report } from '../../../support/profiles';
import { Service, type Organisation, type Replica } from '../../../support/service';

const RESPONSES = '/v1/inference/responses';
const WORKERS = 4;

describe('a response that continues another one', () => {
  let workers: InferenceWorker[];
  let service: Service;
  let replica: Replica;
  let org: Organisation;
  let model: string;
  let profile: string;
  /** How each worker behaves that is well. */
  let sound: Behaviour[];

  beforeAll(async () => {
    workers = await Promise.all(Array.from({ length: WORKERS }, () => InferenceWorker.start()));
    service = await Service.start({ workerEndpointAllow: workers.map(({ host }) => host) });
    replica = await service.replica();
  });
  afterAll(async () => {
    await service.close();
    await Promise.all(workers.map((worker) => worker.close()));
  });
  beforeEach(async () => {
    for (const worker of workers) worker.reset();
    sound = workers.map(() => stores());
    workers.forEach((worker, place) => worker.behaves(sound[place] ?? answers()));
    org = await service.organisation();
    profile = await profileOf();
    model = await routeTo(org, [profile]);
    await ready(profile, workers);
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/inference/routes/${model}/state?endpoint=responses`);
      expect((body as { targets: { ready_workers: number }[] }).targets[0]?.ready_workers).toBe(WORKERS);
    });
  });
  afterEach(() => jest.restoreAllMocks());

  const profileOf = (): Promise<string> =>
    coldProfile(org, {
      backend_url: undefined,
      spec: { ...(serving('responses').spec as JsonObject), worker: { command: ['engine'] } },
      target_concurrency: 2,
      autoscale: false,
    });

  const ready = async (of: string, list: readonly InferenceWorker[]) => {
    const reported = list.map(({ url }) => ({ workload_uid: newId(), endpoint: url, ready: true }));
    expect((await report(org.controller, of, { workers: reported })).status).toBe(204);
  };

  /** As engines do: a worker has only the responses that it made itself. */
  function stores(): Behaviour {
    const stored = new Set<unknown>();
    return (exchange) => {
      const { asked, response } = exchange;
      const previous = asked.previous_response_id;
      if (previous !== undefined && !stored.has(previous))
        return refuses(404, JSON.stringify({ error: { message: 'Response not found.', code: 404 } }))(exchange);
      const id = `resp_${newId()}`;
      stored.add(id);
      const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
      const whole = { id, object: 'response', status: 'completed', model: asked.model, output: [], usage };
      if (asked.stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const type of ['response.created', 'response.completed'])
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, response: whole })}\n\n`);
      response.end();
    };
  }

  interface Reply {
    readonly status: number;
    readonly text: string;
  }

  const ask = async (through: { readonly url: string }, overrides: JsonObject = {}): Promise<Reply> => {
    const answer = await fetch(through.url + RESPONSES, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.operator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: 'Go on.', ...overrides }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const idOf = ({ status, text }: Reply): string => {
    expect([status, text]).toEqual([200, expect.stringContaining('resp_')]);
    return /resp_[0-9a-f-]+/.exec(text)?.[0] ?? '';
  };
  const codeOf = ({ status, text }: Reply): unknown => [status, (JSON.parse(text) as JsonObject).code];
  const counts = (): number[] => workers.map(({ requests }) => requests.length);
  const sent = (): number => counts().reduce((sum, count) => sum + count, 0);
  /** A response, and the place of the worker that made it. */
  const made = async (): Promise<[string, number]> => {
    const before = counts();
    const id = idOf(await ask(service));
    return [id, counts().findIndex((count, place) => count > (before[place] ?? 0))];
  };
  /** Requests that each worker gets meanwhile. */
  const during = async (work: () => Promise<unknown>): Promise<number[]> => {
    const before = counts();
    await work();
    return counts().map((count, place) => count - (before[place] ?? 0));
  };
  const onlyAt = (place: number, count: number): number[] => workers.map((_, at) => (at === place ? count : 0));

  it.each([false, true])('reaches the worker that made it, at once (stream: %s)', async (stream) => {
    let previous_response_id = idOf(await ask(service, { stream }));
    for (let turn = 0; turn < 8; turn++) {
      // Other conversations go to other workers meanwhile.
      await ask(service);
      const before = sent();
      previous_response_id = idOf(await ask(service, { stream, previous_response_id }));
      expect(sent()).toBe(before + 1);
    }
  });

  it('finds the worker that made it through another replica, which does not know it', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const previous_response_id = idOf(await ask(service));
      const continued = idOf(await ask(replica, { previous_response_id }));
      // That replica knows this one.
      const before = sent();
      idOf(await ask(replica, { previous_response_id: continued }));
      expect(sent()).toBe(before + 1);
    }
  });

  it('is refused as OpenAI does if no worker has it', async () => {
    const { status, text } = await ask(service, { previous_response_id: 'resp_unknown' });
    const body = JSON.parse(text) as JsonObject;
    expect([status, body.code]).toEqual([400, 'previous_response_not_found']);
    expect(body.error).toEqual({
      message: expect.stringContaining('previous_response_id') as string,
      type: 'invalid_request_error',
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
    expect(sent()).toBe(WORKERS);
    // No worker rests because of it.
    for (let request = 0; request < WORKERS; request++) idOf(await ask(service));
    expect(workers.map(({ requests }) => requests.length)).toEqual(workers.map(() => 2));
  });

  it('is refused at once if no worker had it a moment ago, and its callers name it again', async () => {
    const wakes = jest.spyOn(WaitingRoom.prototype, 'wakeBetter');
    const reads = jest.spyOn(RoutingTables.prototype, 'noOlderThan');
    const unknown = () => ask(service, { previous_response_id: 'resp_unknown' });
    expect(codeOf(await unknown())).toEqual([400, 'previous_response_not_found']);
    // The search wakes nothing, and reads no table again.
    expect([sent(), wakes.mock.calls.length, reads.mock.calls.length]).toEqual([WORKERS, 1, 0]);
    expect(codeOf(await unknown())).toEqual([400, 'previous_response_not_found']);
    expect(sent()).toBe(WORKERS);
    expect(codeOf(await ask(service, { previous_response_id: 'resp_other' }))).toEqual([
      400,
      'previous_response_not_found',
    ]);
    expect(sent()).toBe(2 * WORKERS);
  });

  it('is refused as unknown if the worker that made it lacks it by now, without asking others', async () => {
    const [id, place] = await made();
    workers[place]?.behaves(stores());
    const lost = async () =>
      expect(codeOf(await ask(service, { previous_response_id: id }))).toEqual([400, 'previous_response_not_found']);
    expect(await during(lost)).toEqual(onlyAt(place, 1));
  });

  it('may be asked for again if a worker failed that may have it', async () => {
    workers[1]?.behaves(refuses(500, '{}'));
    const unknown = () => ask(service, { previous_response_id: 'resp_unknown' });
    expect(await during(async () => expect(codeOf(await unknown())).toEqual([503, 'worker_failed']))).toEqual(
      workers.map(() => 1),
    );
    workers[1]?.behaves(sound[1] ?? answers());
    expect(codeOf(await unknown())).toEqual([400, 'previous_response_not_found']);
  });

  it('may be asked for again if a worker is busy that may have it', async () => {
    const gates = workers.map(() => Promise.withResolvers<void>());
    workers.forEach((worker, place) =>
      worker.behaves(async (exchange) => {
        await gates[place]?.promise;
        await sound[place]?.(exchange);
      }),
    );
    const held = Array.from({ length: 2 * WORKERS }, () => ask(service));
    await eventually(() => expect(counts()).toEqual(workers.map(() => 2)));
    const [busy, ...others] = gates;
    for (const { resolve } of others) resolve();
    await eventually(() => expect(workers.map(({ underWay }) => underWay)).toEqual([2, 0, 0, 0]));
    await eventually(async () => {
      const { text } = await org.viewer.get(`/v1/inference/routes/${model}/state?endpoint=responses`);
      expect((JSON.parse(text) as { targets: { in_flight: number }[] }).targets[0]?.in_flight).toBe(2);
    });
    const reply = await ask(service, { previous_response_id: 'resp_unknown' });
    expect(codeOf(reply)).toEqual([503, 'queue_full']);
    busy?.resolve();
    for (const one of await Promise.all(held)) idOf(one);
    expect(codeOf(await ask(service, { previous_response_id: 'resp_unknown' }))).toEqual([
      400,
      'previous_response_not_found',
    ]);
  });

  it.each([429, 503])('gets another try at the worker that made it, and at no other, after a %d', async (status) => {
    const [id, place] = await made();
    const maker = workers[place] as InferenceWorker;
    maker.behaves(inTurn(refuses(status, '{}'), sound[place] ?? answers()));
    expect(await during(async () => idOf(await ask(service, { previous_response_id: id })))).toEqual(onlyAt(place, 2));
    maker.behaves(refuses(status, '{}'));
    const twice = async () =>
      expect(codeOf(await ask(service, { previous_response_id: id }))).toEqual([503, 'worker_failed']);
    expect(await during(twice)).toEqual(onlyAt(place, 2));
    // Though others pass it over for its failure.
    maker.behaves(sound[place] ?? answers());
    expect(await during(async () => idOf(await ask(service, { previous_response_id: id })))).toEqual(onlyAt(place, 1));
  });

  it('is continued at the worker that has it after a continuation that was not answered', async () => {
    const [id, place] = await made();
    const maker = workers[place] as InferenceWorker;
    for (let turn = 0; turn < 3; turn++) {
      maker.behaves(hangsUp('nothing'));
      expect(codeOf(await ask(replica, { previous_response_id: id }))).toEqual([503, 'worker_failed']);
      maker.behaves(sound[place] ?? answers());
    }
    idOf(await ask(replica, { previous_response_id: id }));
    expect(await during(async () => idOf(await ask(replica, { previous_response_id: id })))).toEqual(onlyAt(place, 1));
  });

  it('is continued at the target that made it, also when a better one is ready', async () => {
    const [first, ...others] = workers as [InferenceWorker, ...InferenceWorker[]];
    const better = await profileOf();
    const fallback = await profileOf();
    model = await routeTo(org, [better, fallback]);
    await ready(fallback, others);
    let id = '';
    await eventually(async () => {
      id = idOf(await ask(service));
    });
    await ready(better, [first]);
    await eventually(async () => {
      const before = first.requests.length;
      await ask(service);
      expect(first.requests).toHaveLength(before + 1);
    });
    const [toBetter] = await during(async () => {
      for (let turn = 0; turn < 4; turn++) id = idOf(await ask(service, { previous_response_id: id }));
    });
    expect(toBetter).toBe(0);
  });
});
