import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { coldProfile, routeTo, serving } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { InferenceWorker, refuses, type Behaviour } from '../../../support/inference-worker';
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
    for (const worker of workers) worker.behaves(stores());
    org = await service.organisation();
    const { spec } = serving('responses');
    const profile = await coldProfile(org, {
      backend_url: undefined,
      spec: { ...(spec as JsonObject), worker: { command: ['engine'] } },
      target_concurrency: 2,
      autoscale: false,
    });
    model = await routeTo(org, [profile]);
    const list = workers.map(({ url }) => ({ workload_uid: newId(), endpoint: url, ready: true }));
    expect((await report(org.controller, profile, { workers: list })).status).toBe(204);
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/inference/routes/${model}/state?endpoint=responses`);
      expect((body as { targets: { ready_workers: number }[] }).targets[0]?.ready_workers).toBe(WORKERS);
    });
  });

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
  const sent = (): number => workers.reduce((sum, { requests }) => sum + requests.length, 0);

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
});
