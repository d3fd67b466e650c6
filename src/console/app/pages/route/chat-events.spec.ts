import { execFileSync } from 'node:child_process';
import { ChatEvents, costOf, curlOf, dollars } from './chat-events';

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const USAGE = `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\r\n\r\n`;

describe('the events of an answer', () => {
  it('are the same however the stream is cut into pieces', () => {
    const stream = `: a comment\n\n${chunk('The')}${chunk(' fox')}${USAGE}data: [DONE]\n\n`;
    for (const size of [1, 3, 1_000]) {
      const events = new ChatEvents();
      const found = [];
      for (let at = 0; at < stream.length; at += size) found.push(...events.take(stream.slice(at, at + size)));
      expect(found).toEqual([
        { kind: 'text', text: 'The' },
        { kind: 'text', text: ' fox' },
        { kind: 'usage', usage: { promptTokens: 7, completionTokens: 2 } },
        { kind: 'end' },
      ]);
    }
  });

  it.each(['reasoning_content', 'reasoning'])('keep %s apart from the answer, and why the model stopped', (name) => {
    const event = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
    const stream = `${event({ [name]: 'Hm', content: null })}${event({ content: 'Hi' })}${event({}, 'length')}`;
    expect(new ChatEvents().take(stream)).toEqual([
      { kind: 'reasoning', text: 'Hm' },
      { kind: 'text', text: 'Hi' },
      { kind: 'finish', reason: 'length' },
    ]);
  });

  it('have the message of an error, and one of their own for what is not JSON', () => {
    expect(
      new ChatEvents().take('data: {"error":{"message":"the worker broke off","code":"worker_failed"}}\n'),
    ).toEqual([{ kind: 'error', message: 'the worker broke off', code: 'worker_failed' }]);
    for (const error of [{ code: 502 }, { message: null, code: null }, { message: { detail: 'text' } }])
      expect(new ChatEvents().take(`data: ${JSON.stringify({ error })}\n`)).toEqual([
        { kind: 'error', message: 'The worker gave no reason.', code: undefined },
      ]);
    expect(new ChatEvents().take('data: {"choi\n')[0]?.kind).toBe('error');
  });
});

describe('the cost of an answer', () => {
  const usage = { promptTokens: 1_000, completionTokens: 2_000 };

  it('is tokens by the prices of the profile, and not known without prices', () => {
    const pricing = { prompt_usd_per_mtok: 0.5, completion_usd_per_mtok: 1.5 };
    expect(costOf({ pricing }, usage)).toBeCloseTo(0.0035, 10);
    expect(costOf({ pricing: { completion_usd_per_mtok: 1 } }, usage)).toBeCloseTo(0.002, 10);
    expect([costOf({}, usage), costOf(null, usage)]).toEqual([undefined, undefined]);
  });

  it('is shown with two digits that count', () => {
    expect([0, 0.0035, 0.00000123, 12.345].map(dollars)).toEqual(['$0', '$0.0035', '$0.0000012', '$12.35']);
  });
});

describe('the command', () => {
  it('sends the same body from a shell, also with quotes in it', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: `It's "$HOME" \\ \`x\`` }] };
    const script = curlOf('http://127.0.0.1:1', body).replace(/^curl/, 'printf "%s\\n"');
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(JSON.parse(printed.slice(printed.indexOf('-d\n') + 3))).toEqual(body);
  });
});
