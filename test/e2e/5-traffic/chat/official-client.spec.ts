import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import {
  settledAccountOf,
  createKey,
  EXACT_MODEL,
  openAi,
  readyProfile,
  routed,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { InferenceWorker, refuses, replays } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { describeWithSamples, sampleLines, sampleText } from '../../../support/samples';
import type { Organisation, Service } from '../../../support/service';

const TEXT = 'The quick brown fox jumps over the lazy dog.';

describe('the official client', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let profileId: string;
  let model: string;
  let client: OpenAI;

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
    profileId = await readyProfile(org, worker);
    model = await routeTo(org, [profileId]);
    key = await createKey(org);
    client = openAi(service, key.raw_key);
  });

  const ask = (more: Partial<ChatCompletionCreateParamsNonStreaming> = {}) =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }], ...more });

  async function stream(more: { stream_options?: { include_usage?: boolean } } = {}): Promise<ChatCompletionChunk[]> {
    const chunks: ChatCompletionChunk[] = [];
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true, ...more }))
      chunks.push(chunk);
    return chunks;
  }
  const textOf = (chunks: ChatCompletionChunk[]): string =>
    chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  const sent = (): JsonObject => JSON.parse(worker.last.body.toString()) as JsonObject;

  it('gets the answer of the worker', async () => {
    const completion = await ask({ temperature: 0.3 });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: EXACT_MODEL,
      choices: [{ message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 13, completion_tokens: 10, total_tokens: 23 },
    });
    expect(sent()).toEqual({ model: EXACT_MODEL, messages: [{ role: 'user', content: 'Hi' }], temperature: 0.3 });
  });

  it('gets the answer of the worker as a stream', async () => {
    const chunks = await stream();
    expect(textOf(chunks)).toBe(TEXT);
    expect(chunks).toHaveLength(12);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('gets the same from a worker whose address ends in /v1 as from one whose address does not', async () => {
    for (const base of [`${worker.url}/v1`, `${worker.url}/v1/`, `${worker.url}/`]) {
      model = await routeTo(org, [await readyProfile(org, { url: base })]);
      expect((await ask()).choices[0]?.message.content).toBe(TEXT);
    }
    expect(new Set(worker.requests.map(({ url }) => url))).toEqual(new Set(['/v1/chat/completions']));
  });

  it('does not see the usage if it did not request it; the service counts it all the same', async () => {
    const chunks = await stream();
    expect(chunks.every((chunk) => chunk.choices.length === 1 && !('usage' in chunk))).toBe(true);
    expect(sent()).toMatchObject({ stream_options: { include_usage: true } });
    const [usage] = await usageOf(service, model, 1);
    expect(usage).toMatchObject({ prompt_tokens: 13, completion_tokens: 10, streamed: true, status_code: 200 });
  });

  it('does not see the usage if it declined it', async () => {
    const chunks = await stream({ stream_options: { include_usage: false } });
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    expect(sent()).toMatchObject({ stream_options: { include_usage: true } });
  });

  it('sees the usage if it requested it', async () => {
    const last = (await stream({ stream_options: { include_usage: true } })).at(-1);
    expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: 13, completion_tokens: 10, total_tokens: 23 } });
  });

  it('sees the usage of every event if it requested that', async () => {
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const chunks = await stream({ stream_options });
    expect(chunks.map(({ usage }) => usage?.completion_tokens)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
    expect(textOf(chunks)).toBe(TEXT);
    expect(sent()).toMatchObject({ stream_options });
    const [usage] = await usageOf(service, model, 1);
    expect(usage).toMatchObject({ prompt_tokens: 13, completion_tokens: 10 });
  });

  it('has its tools and pictures passed on', async () => {
    const image = Buffer.alloc(300_000, 'picture').toString('base64');
    const messages: ChatCompletionCreateParamsNonStreaming['messages'] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this? "{[\\ \u2028 \u{1f600}' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image}`, detail: 'high' } },
        ],
      },
    ];
    const tools: ChatCompletionCreateParamsNonStreaming['tools'] = [
      {
        type: 'function',
        function: {
          name: 'look_up',
          description: 'Looks "it" up, {model: "x"}',
          parameters: { type: 'object', properties: { model: { type: 'string' } }, required: ['model'] },
        },
      },
    ];
    const options = { messages, tools, tool_choice: 'auto' as const, parallel_tool_calls: false };
    await ask(options);
    expect(sent()).toEqual({ model: EXACT_MODEL, ...options });
  });

  it('reads the decision in the headers', async () => {
    const { response } = await ask().withResponse();
    expect(routed(response.headers)).toEqual({ target: profileId, reason: 'priority', start: 'warm', attempts: '1' });
    expect(Number(response.headers.get('x-queue-ms'))).toBeLessThan(onThisMachine(1_000));
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('pays for the tokens that the worker reported', async () => {
    await ask();
    await stream();
    // 13 tokens at half a dollar per million, 10 at one and a half.
    const { spent, overrun, requests } = await settledAccountOf(service, key);
    expect(requests).toBe(2);
    expect(overrun).toBe(0);
    expect(spent).toBeCloseTo(2 * (13 * 0.5e-6 + 10 * 1.5e-6), 12);
    expect(await usageOf(service, model, 2)).toMatchObject([{ key_id: key.key_id }, { key_id: key.key_id }]);
  });

  it('may use the access token of a person', async () => {
    for (const { token } of [org.admin, org.operator]) {
      client = openAi(service, token ?? '');
      expect((await ask()).choices[0]?.message.content).toBe(TEXT);
      expect(textOf(await stream())).toBe(TEXT);
    }
    const rows = await usageOf(service, model, 4);
    expect(rows.map(({ key_id: id, cost_usd: usd }) => [id, usd])).toEqual(
      Array.from({ length: 4 }, () => [null, expect.closeTo(13 * 0.5e-6 + 10 * 1.5e-6, 12)]),
    );
  });

  it('may use one request id for many requests', async () => {
    const headers = { 'x-request-id': 'mine' };
    for (let times = 0; times < 3; times++) {
      const { response } = await client.chat.completions
        .create({ model, messages: [{ role: 'user', content: 'Hi' }] }, { headers })
        .withResponse();
      expect(response.headers.get('x-request-id')).toBe('mine');
    }
    expect((await settledAccountOf(service, key)).requests).toBe(3);
    await usageOf(service, model, 3);
  });

  it('has the experiment that it names recorded', async () => {
    const experiment = '0197a7c0-0000-7000-8000-00000000ABCD';
    const headers = { 'x-experiment-id': experiment };
    await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] }, { headers });
    expect(await usageOf(service, model, 1)).toMatchObject([{ experiment_id: experiment.toLowerCase() }]);
  });

  describeWithSamples('of a worker that answers as vLLM does', () => {
    it.each(['openai/chat-completion.json', 'openai/chat-completion-vllm-0.11.json'])('reads %s', async (path) => {
      worker.behaves(refuses(200, sampleText(path)));
      const recorded = JSON.parse(sampleText(path)) as { usage: { prompt_tokens: number; completion_tokens: number } };
      expect(await ask()).toMatchObject(recorded);
      const { prompt_tokens, completion_tokens } = recorded.usage;
      expect(await usageOf(service, model, 1)).toMatchObject([{ prompt_tokens, completion_tokens }]);
    });

    it('reads a stream with its usage', async () => {
      worker.behaves(replays(sampleText('openai/chat-stream-with-usage.sse')));
      expect(textOf(await stream())).toBe('Okay.');
      expect((await stream({ stream_options: { include_usage: true } })).at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 13, total_tokens: 16, completion_tokens: 3 },
      });
      const usage = { prompt_tokens: 13, completion_tokens: 3 };
      expect(await usageOf(service, model, 2)).toMatchObject([usage, usage]);
    });

    it('reads a stream without a usage, whose events are counted', async () => {
      const text = sampleText('openai/chat-stream-no-usage.sse');
      worker.behaves(replays(text));
      const chunks = await stream();
      expect(chunks).toHaveLength(text.match(/^data: \{/gm)?.length ?? 0);
      const [usage] = await usageOf(service, model, 1);
      expect(usage?.completion_tokens).toBe(chunks.length);
      expect(usage?.prompt_tokens).toBeGreaterThan(0);
    });

    it('reads a stream of 329 tokens', async () => {
      const lines = sampleLines('openai/chat-stream-329-tokens.decoded.jsonl');
      worker.behaves(replays([...lines.map((line) => `data: ${JSON.stringify(line)}`), 'data: [DONE]'].join('\n\n')));
      const chunks = await stream();
      expect(chunks).toEqual(lines.slice(0, -1));
      expect(await usageOf(service, model, 1)).toMatchObject([{ prompt_tokens: 16, completion_tokens: 329 }]);
    });
  });

  it('lists the models in the format of the API', async () => {
    const other = await routeTo(org, [profileId]);
    const models = (await client.models.list()).data;
    expect(models.map(({ id }) => id).sort()).toEqual([model, other].sort());
    for (const one of models) {
      expect(one).toMatchObject({ object: 'model', owned_by: expect.any(String) });
      expect(Math.abs(one.created - Date.now() / 1_000)).toBeLessThan(600);
    }
    const chosen = await createKey(org, { models: [other, 'one-without-a-route'] });
    expect((await openAi(service, chosen.raw_key).models.list()).data.map(({ id }) => id)).toEqual([other]);
    const foreign = await createKey(await service.organisation());
    expect((await openAi(service, foreign.raw_key).models.list()).data).toEqual([]);
  });

  it('lists them with a token of any role, and not without a token', async () => {
    for (const { token } of [org.admin, org.operator, org.viewer, org.controller])
      expect((await openAi(service, token ?? '').models.list()).data.map(({ id }) => id)).toEqual([model]);
    expect((await org.viewer.get('/v1/inference/models')).body).toEqual({
      object: 'list',
      data: [expect.objectContaining({ id: model, object: 'model' })],
    });
    await expect(openAi(service, 'sk-unknown').models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});
