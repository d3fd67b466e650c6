import { once } from 'node:events';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../../../src/application';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import {
  coldProfile,
  createKey,
  readyProfile,
  routeTo,
  serviceFor,
  serving,
  settledAccountOf,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { InferenceWorker, streams } from '../../../support/inference-worker';
import { intentOf } from '../../../support/profiles';
import type { Organisation, Service } from '../../../support/service';

describe('an instance that stops during requests for models', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let app: NestExpressApplication;
  let url: string;

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
    app = await createApplication({ ...service.environment, drainTimeoutSeconds: 1 }, createLogger('silent'));
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });

  const ask = (path: string, body: JsonObject): Promise<Response> =>
    fetch(`${url}/openai/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const stop = (): Promise<void> => app.get(Draining).close(app);
  const model = async () =>
    routeTo(org, [await readyProfile(org, worker, serving('chat', 'completions', 'responses'))]);
  /** A worker that sends three words, and then nothing more. */
  const halts = () =>
    worker.behaves((exchange) =>
      streams({ before: (place) => (place === 3 ? once(exchange.gone, 'abort') : undefined) })(exchange),
    );

  it.each<[path: string, body: JsonObject]>([
    ['/chat/completions', { messages: [] }],
    ['/completions', { prompt: 'a' }],
  ])('ends a stream of %s with an error event, and settles its cost so far', async (path, body) => {
    const name = await model();
    halts();
    const answer = await ask(path, { model: name, stream: true, ...body });
    const [text] = await Promise.all([answer.text(), stop()]);
    const events = text.split('\n\n').filter((event) => event !== '');
    expect(events).toHaveLength(4);
    expect(JSON.parse(events.at(-1)?.replace('data: ', '') ?? '')).toEqual({
      error: { message: 'This instance is shutting down.', type: 'server_error', param: null, code: 'draining' },
    });
    expect(await usageOf(service, name, 1)).toMatchObject([{ status_code: 503, completion_tokens: 3, streamed: true }]);
    const { spent, requests } = await settledAccountOf(service, key);
    expect([requests, spent > 0]).toEqual([1, true]);
    // The worker notices too.
    await eventually(() => expect(worker.abandoned).toHaveLength(1));
  });

  it('ends the stream of a response with an event of its own kind', async () => {
    const name = await model();
    halts();
    const answer = await ask('/responses', { model: name, stream: true, input: 'a' });
    const [text] = await Promise.all([answer.text(), stop()]);
    const last = text.trimEnd().split('\n\n').at(-1) ?? '';
    expect(last.split('\n')[0]).toBe('event: error');
    expect(JSON.parse(last.split('\n')[1]?.replace('data: ', '') ?? '')).toMatchObject({
      type: 'error',
      code: 'draining',
      sequence_number: 3,
    });
    expect(await usageOf(service, name, 1)).toMatchObject([{ status_code: 503, streamed: true }]);
  });

  it('answers 503 to requests that still wait for a worker', async () => {
    const profileId = await coldProfile(org);
    const cold = await routeTo(org, [profileId]);
    const asked = ask('/chat/completions', { model: cold, messages: [] });
    // It has woken the profile, and waits.
    await eventually(async () => expect(await intentOf(org.viewer, profileId)).toMatchObject({ status: 'Pending' }));
    const [answer] = await Promise.all([asked, stop()]);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ error: { code: 'draining' } });
    expect(await settledAccountOf(service, key)).toMatchObject({ spent: 0 });
  });

  it('is not held up by a client that reads nothing', async () => {
    const name = await model();
    halts();
    await ask('/chat/completions', { model: name, stream: true, messages: [] });
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(6_000);
    await usageOf(service, name, 1);
  });
});
