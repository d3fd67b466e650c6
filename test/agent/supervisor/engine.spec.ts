import OpenAI from 'openai';
import { describeWith } from '../../support/components';
import { engineCommand, expectedAnswer, promptOf } from '../../support/engine/engine';
import { eventually } from '../../support/eventually';
import { AgentUnderTest, expectGone } from '../support/agent';

const MODEL = 'test-model';
const OPTIONS = { model: MODEL, seed: 'spec', megabytes: 30 };
const LEAVING = 20;
const ISOLATED = ['--publish', '0'];
const MESSAGES = [
  { role: 'system', content: 'Answer in one sentence.' },
  { role: 'user', content: 'What is a checkpoint?' },
] as const;
const ANSWER = expectedAnswer(promptOf(MESSAGES), OPTIONS);

describeWith(['CRIU'], 'The engine for tests', () => {
  let agent: AgentUnderTest;
  beforeAll(() => (agent = new AgentUnderTest()));
  afterAll(async () => {
    await agent.killAll();
    agent.remove();
  });

  const urlOf = async (name: string): Promise<string> => {
    let url: string | undefined;
    await eventually(async () => {
      const { published } = (await agent.status(name)).network!;
      url = `http://127.0.0.1:${published!.port}`;
      expect((await fetch(`${url}/health`)).status).toBe(200);
    });
    return url!;
  };
  const clientFor = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
  const chat = async (url: string): Promise<string | null> => {
    const { choices } = await clientFor(url).chat.completions.create({ model: MODEL, messages: [...MESSAGES] });
    return choices[0]!.message.content;
  };
  const streamed = async (url: string) => {
    const stream = await clientFor(url).chat.completions.create({
      ...{ model: MODEL, messages: [...MESSAGES], stream: true },
      stream_options: { include_usage: true },
    });
    const [texts, finishes, usages]: [string[], string[], OpenAI.CompletionUsage[]] = [[], [], []];
    for await (const { choices, usage } of stream) {
      texts.push(choices[0]?.delta.content ?? '');
      if (choices[0]?.finish_reason) finishes.push(choices[0].finish_reason);
      if (usage) usages.push(usage);
    }
    return { text: texts.join(''), finishes, usages };
  };
  /** Asks for a stream, and disconnects after its first event. */
  const leave = async (url: string): Promise<void> => {
    const stream = await clientFor(url).chat.completions.create({
      ...{ model: MODEL, messages: [...MESSAGES], stream: true },
    });
    for await (const _ of stream) break;
    stream.controller.abort();
  };
  const metric = async (url: string, name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await (await fetch(`${url}/metrics`)).text())![1]);

  it('answers the official client from its tables, in one piece, in a stream, and within a limit', async () => {
    const supervisor = agent.run('engine', engineCommand(OPTIONS), ISOLATED);
    await supervisor.printed(/^ready on port 8000 after/);
    const url = await urlOf('engine');
    const client = clientFor(url);
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([MODEL]);
    expect(await chat(url)).toBe(ANSWER);
    const words = ANSWER.split(' ').length;
    const usage = { prompt_tokens: 10, completion_tokens: words, total_tokens: 10 + words };
    expect(await streamed(url)).toEqual({ text: ANSWER, finishes: ['stop'], usages: [usage] });

    const prompt = 'Once upon a time';
    const completed = await client.completions.create({ model: MODEL, prompt, max_tokens: 3 });
    expect(completed.choices[0]).toMatchObject({
      text: expectedAnswer(prompt, OPTIONS, 3),
      finish_reason: 'length',
    });
    const parts: string[] = [];
    for await (const { choices } of await client.completions.create({ model: MODEL, prompt, stream: true }))
      parts.push(choices[0]!.text);
    expect(parts.join('')).toBe(expectedAnswer(prompt, OPTIONS));
    // Another seed has other tables.
    expect(expectedAnswer(prompt, { ...OPTIONS, seed: 'other' })).not.toBe(parts.join(''));

    await expect(client.completions.create({ model: 'unknown', prompt })).rejects.toMatchObject({ status: 404 });
    await expect(client.chat.completions.create({ model: MODEL, messages: [] })).rejects.toMatchObject({
      status: 400,
    });
    expect(await metric(url, 'engine_requests_total')).toBe(4);
    expect(await metric(url, 'engine_requests_running')).toBe(0);
    expect(await metric(url, 'engine_table_bytes')).toBe(30e6);
    await supervisor.kill();
  });

  it('gives the same answers after a checkpoint, a kill and a restore, without building its tables again', async () => {
    const first = agent.run('sleeper', engineCommand(OPTIONS), ISOLATED);
    const url = await urlOf('sleeper');
    expect(await chat(url)).toBe(ANSWER);
    const taken = await agent.checkpoint('sleeper');
    const { pid } = await agent.status('sleeper');
    await first.kill();
    await expectGone(pid!);

    const names = ['woken', 'twin'];
    const restored = names.map((name) => agent.run(name, [], ['--restore', taken.reference]));
    const urls = await Promise.all(names.map(urlOf));
    for (const woken of urls) {
      expect(await chat(woken)).toBe(ANSWER);
      expect(await streamed(woken)).toMatchObject({ text: ANSWER });
      // It goes on counting where it was.
      expect(await metric(woken, 'engine_requests_total')).toBe(3);
    }
    // It would have said again how long it built.
    for (const { out } of restored) expect(out).toBe('');
  });

  it('answers many at once, each token in its time, and forgets clients that leave', async () => {
    const supervisor = agent.run('slow', engineCommand({ ...OPTIONS, tokenMs: 50 }), ISOLATED);
    const url = await urlOf('slow');
    const began = performance.now();
    expect(await Promise.all(Array.from({ length: 20 }, () => chat(url)))).toEqual(Array(20).fill(ANSWER));
    const took = performance.now() - began;
    const alone = ANSWER.split(' ').length * 50;
    expect(took).toBeGreaterThan(alone);
    expect(took).toBeLessThan(alone * 10);
    // Many: on a busy machine, the engine may have finished one before its client leaves.
    await Promise.all(Array.from({ length: LEAVING }, () => leave(url)));
    await eventually(async () => expect(await metric(url, 'engine_requests_running')).toBe(0));
    const whole = (20 + LEAVING) * ANSWER.split(' ').length;
    expect(await metric(url, 'engine_tokens_total')).toBeLessThan(whole);
    await supervisor.kill();
  });
});
