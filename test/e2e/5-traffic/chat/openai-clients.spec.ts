import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAI as LangChainCompletions, OpenAIEmbeddings } from '@langchain/openai';
import { APICallError, embedMany, generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { newId } from '../../../../src/1-platform/common/ids';
import {
  createKey,
  EXACT_MODEL,
  openAiBase,
  readyProfile,
  routeTo,
  settledAccountOf,
  serviceFor,
  serving,
  usageOf,
  type Key,
} from '../../../support/chat';
import { useUpRate } from '../../../support/inference';
import { breaksOff, InferenceWorker, refuses } from '../../../support/inference-worker';
import type { Organisation, Service } from '../../../support/service';

const TEXT = 'The quick brown fox jumps over the lazy dog.';

/** The error that a client throws. */
async function thrown(work: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Three independent clients, against an engine on a socket. */
describe('a client of OpenAI’s API below /openai/v1', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let profileId: string;
  let model: string;
  let key: Key;

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
    profileId = await readyProfile(org, worker, serving('chat', 'completions', 'embeddings', 'responses'));
    // Model names usually contain slashes.
    model = await routeTo(org, [profileId], { logical_model: `vendor/model-${newId()}` });
    key = await createKey(org);
  });

  interface Keys {
    readonly unknown: string;
    readonly poor: string;
    readonly slow: string;
  }
  /** Keys that are refused: an unknown one, one without a budget, one whose rate is used up. */
  async function refusedKeys(): Promise<Keys> {
    const poor = await createKey(org, { budget_usd: 0.000_001 });
    const slow = await createKey(org, { rate_limit_rps: 1 });
    await useUpRate(service, slow.key_id);
    return { unknown: 'sk-unknown', poor: poor.raw_key, slow: slow.raw_key };
  }
  const sent = () => JSON.parse(worker.last.body.toString()) as object;
  const tokens = { prompt_tokens: 13, completion_tokens: 10 };

  describe('by OpenAI', () => {
    const client = (apiKey = key.raw_key) => new OpenAI({ baseURL: openAiBase(service), apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hi' }];

    it('completes chats, streamed and not', async () => {
      const completion = await client().chat.completions.create({ model, messages });
      expect(completion.choices[0]?.message.content).toBe(TEXT);
      let text = '';
      for await (const chunk of await client().chat.completions.create({ model, messages, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe(TEXT);
      expect(await usageOf(service, model, 2)).toMatchObject([tokens, tokens]);
    });

    it('completes texts, streamed and not', async () => {
      const completion = await client().completions.create({ model, prompt: ['a', 'b'], max_tokens: 16 });
      expect(completion).toMatchObject({ model: EXACT_MODEL, choices: [{ text: TEXT }, { text: TEXT }] });
      expect([worker.last.url, sent()]).toEqual([
        '/v1/completions',
        { model: EXACT_MODEL, prompt: ['a', 'b'], max_tokens: 16 },
      ]);
      const texts: string[] = [];
      for await (const chunk of await client().completions.create({ model, prompt: 'a', stream: true })) {
        expect(chunk.choices).toHaveLength(1);
        texts.push(chunk.choices[0]?.text ?? '');
      }
      expect(texts.join('')).toBe(TEXT);
      expect(sent()).toMatchObject({ stream_options: { include_usage: true } });
      expect(await usageOf(service, model, 2)).toMatchObject([tokens, { ...tokens, streamed: true }]);
    });

    it('embeds texts, and pays for their tokens only', async () => {
      const { data, usage } = await client().embeddings.create({ model, input: ['a', 'b'] });
      expect(data.map(({ embedding }) => embedding)).toEqual([
        [0, 0.5, -1.25],
        [1, 0.5, -1.25],
      ]);
      expect(usage.prompt_tokens).toBe(13);
      expect(await usageOf(service, model, 1)).toMatchObject([{ prompt_tokens: 13, completion_tokens: 0 }]);
      expect((await settledAccountOf(service, key)).spent).toBeCloseTo(13 * 0.5e-6, 12);
    });

    it('gets responses, streamed and not', async () => {
      const response = await client().responses.create({ model, input: 'Hi', max_output_tokens: 100 });
      expect([response.output_text, response.usage?.output_tokens]).toEqual([TEXT, 10]);
      let text = '';
      let last = '';
      for await (const event of await client().responses.create({ model, input: 'Hi', stream: true })) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        last = event.type;
      }
      expect([text, last]).toEqual([TEXT, 'response.completed']);
      expect(sent()).toEqual({ model: EXACT_MODEL, input: 'Hi', stream: true });
      expect(await usageOf(service, model, 2)).toMatchObject([tokens, { ...tokens, streamed: true }]);
      expect((await settledAccountOf(service, key)).spent).toBeCloseTo(2 * (13 * 0.5e-6 + 10 * 1.5e-6), 12);
    });

    it('lists the models, and retrieves one whose name has a slash', async () => {
      expect((await client().models.list()).data.map(({ id }) => id)).toEqual([model]);
      expect(await client().models.retrieve(model)).toMatchObject({ id: model, object: 'model' });
      expect(await thrown(() => client().models.retrieve('vendor/none'))).toBeInstanceOf(OpenAI.NotFoundError);
      const chosen = await createKey(org, { models: ['another'] });
      expect(await thrown(() => client(chosen.raw_key).models.retrieve(model))).toBeInstanceOf(OpenAI.NotFoundError);
    });

    it('throws the API’s errors', async () => {
      const keys = await refusedKeys();
      const ask = (apiKey: string, more: object = {}) =>
        thrown(() => client(apiKey).chat.completions.create({ model, messages, ...more }));
      expect(await ask(keys.unknown)).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(await ask(keys.poor)).toMatchObject({ status: 429, code: 'insufficient_quota' });
      expect(await ask(keys.slow)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      expect(await ask(key.raw_key, { model: 'none' })).toMatchObject({ status: 404, code: 'model_not_found' });
      expect(await ask(key.raw_key, { n: 0 })).toMatchObject({ status: 400, param: 'n' });
      const unknown = await thrown(() => client().audio.speech.create({ model, voice: 'alloy', input: 'Hi' }));
      expect(unknown).toMatchObject({ status: 404, code: 'not_found', type: 'not_found_error' });
    });

    it.each(['chat', 'responses'] as const)('throws an error when a stream of %s breaks off', async (endpoint) => {
      worker.behaves(breaksOff(4));
      const read = async () => {
        const stream =
          endpoint === 'chat'
            ? await client().chat.completions.create({ model, messages, stream: true })
            : await client().responses.create({ model, input: 'Hi', stream: true });
        for await (const _ of stream) continue;
      };
      expect(await thrown(read)).toMatchObject({ code: 'worker_failed', message: expect.stringContaining('worker') });
    });

    it('cannot use an endpoint that no target of the route serves', async () => {
      model = await routeTo(org, [await readyProfile(org, worker)]);
      expect((await client().completions.create({ model, prompt: 'a' })).choices[0]?.text).toBe(TEXT);
      for (const ask of [
        () => client().embeddings.create({ model, input: 'a' }),
        () => client().responses.create({ model, input: 'a' }),
      ])
        expect(await thrown(ask)).toMatchObject({ status: 404, code: 'endpoint_not_served', type: 'not_found_error' });
      expect(worker.requests).toHaveLength(1);
    });
  });

  describe('of the AI SDK', () => {
    const provider = (apiKey = key.raw_key) =>
      createOpenAICompatible({ name: 'local', baseURL: openAiBase(service), apiKey, includeUsage: true });

    it('completes chats and texts, streamed and not', async () => {
      for (const languageModel of [provider().chatModel(model), provider().completionModel(model)]) {
        const { text, usage } = await generateText({ model: languageModel, prompt: 'Hi' });
        expect([text.trim(), usage.inputTokens, usage.outputTokens]).toEqual([TEXT, 13, 10]);
        const streamed = streamText({ model: languageModel, prompt: 'Hi' });
        let words = '';
        for await (const word of streamed.textStream) words += word;
        expect([words.trim(), (await streamed.usage).outputTokens]).toEqual([TEXT, 10]);
      }
      expect(new Set(worker.requests.map(({ url }) => url))).toEqual(
        new Set(['/v1/chat/completions', '/v1/completions']),
      );
      expect(await usageOf(service, model, 4)).toMatchObject([tokens, tokens, tokens, tokens]);
    });

    it('embeds texts', async () => {
      const { embeddings } = await embedMany({ model: provider().embeddingModel(model), values: ['a', 'b'] });
      expect(embeddings).toEqual([
        [0, 0.5, -1.25],
        [1, 0.5, -1.25],
      ]);
    });

    it('throws the API’s errors', async () => {
      const keys = await refusedKeys();
      const ask = async (apiKey: string, name = model) => {
        const error = await thrown(() =>
          generateText({ model: provider(apiKey).chatModel(name), prompt: 'Hi', maxRetries: 0 }),
        );
        expect(APICallError.isInstance(error)).toBe(true);
        const { statusCode, message } = error as APICallError;
        return [statusCode, message];
      };
      expect(await ask(keys.unknown)).toEqual([401, 'A valid bearer token is needed.']);
      expect(await ask(keys.poor)).toEqual([429, expect.stringContaining('budget')]);
      expect(await ask(keys.slow)).toEqual([429, 'The key has used up its rate.']);
      expect(await ask(key.raw_key, 'none')).toEqual([404, 'No route serves the model "none".']);
      worker.behaves(
        refuses(400, '{"error":{"message":"Too long.","type":"BadRequestError","param":null,"code":400}}'),
      );
      expect(await ask(key.raw_key)).toEqual([400, 'Too long.']);
    });
  });

  describe('of LangChain', () => {
    const options = (apiKey = key.raw_key, name = model) => ({
      model: name,
      apiKey,
      maxRetries: 0,
      configuration: { baseURL: openAiBase(service) },
    });

    it.each([false, true])('completes chats, streamed and not (by the responses API: %s)', async (useResponsesApi) => {
      const chat = new ChatOpenAI({ ...options(), useResponsesApi });
      const answer = await chat.invoke([new HumanMessage('Hi')]);
      expect([answer.text, answer.usage_metadata?.output_tokens]).toEqual([TEXT, 10]);
      let text = '';
      for await (const chunk of await chat.stream([new HumanMessage('Hi')])) text += chunk.text;
      expect(text).toBe(TEXT);
      const url = useResponsesApi ? '/v1/responses' : '/v1/chat/completions';
      expect(worker.requests.map((request) => request.url)).toEqual([url, url]);
      expect(await usageOf(service, model, 2)).toMatchObject([tokens, tokens]);
    });

    it('completes texts, streamed and not', async () => {
      const completions = new LangChainCompletions(options());
      expect(await completions.invoke('Hi')).toBe(TEXT);
      let text = '';
      for await (const chunk of await completions.stream('Hi')) text += chunk;
      expect(text).toBe(TEXT);
    });

    it('embeds texts', async () => {
      const embeddings = new OpenAIEmbeddings(options());
      expect(await embeddings.embedDocuments(['a', 'b'])).toEqual([
        [0, 0.5, -1.25],
        [1, 0.5, -1.25],
      ]);
      expect(await embeddings.embedQuery('a')).toEqual([0, 0.5, -1.25]);
    });

    it('throws the API’s errors', async () => {
      const keys = await refusedKeys();
      const ask = (apiKey: string, name = model) => thrown(() => new ChatOpenAI(options(apiKey, name)).invoke('Hi'));
      expect(await ask(keys.unknown)).toMatchObject({ status: 401 });
      expect(await ask(keys.poor)).toMatchObject({ status: 429, code: 'insufficient_quota' });
      expect(await ask(keys.slow)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      expect(await ask(key.raw_key, 'none')).toMatchObject({ status: 404, code: 'model_not_found' });
      worker.behaves(
        refuses(400, '{"error":{"message":"Too long.","type":"BadRequestError","param":null,"code":400}}'),
      );
      expect(await ask(key.raw_key)).toMatchObject({ status: 400 });
    });
  });
});
