import * as fc from 'fast-check';
import { joined, written, names } from '../../../../test/support/json-texts';
import { Problem } from '../../../1-platform/common/answers/problem';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { readRequest, type InferenceRequest } from './chat-request';
import { JsonScan } from '../workers/json-scan';

describe('a chat request', () => {
  const MESSAGES = '"messages":[{"role":"user","content":"Hello!"}]';
  const read = (text: string | Buffer, endpoint: Endpoint = 'chat'): InferenceRequest => {
    const request = readRequest(endpoint, Buffer.from(text));
    if (request instanceof Promise) throw new Error('a small request was not read at once');
    return request;
  };
  const bodyOf = (text: string) => read(text).bodyFor('exact/model').toString();

  it('is read as far as the service needs it', async () => {
    const text = `{"model":"m","stream":true,"max_tokens":7,"n":3,${MESSAGES}}`;
    const { model, stream, wantsUsage, promptTokens, maxTokens } = read(text);
    expect({ model, stream, wantsUsage, promptTokens, maxTokens }).toEqual({
      model: 'm',
      stream: true,
      wantsUsage: false,
      promptTokens: Math.ceil(text.length / 4),
      maxTokens: 21,
    });
    expect(await read(text).said()).toBe('Hello!');
  });

  it('may be only what a worker needs, with a default of 1,024 tokens for one answer', () => {
    expect(read('{"model":"m"}')).toMatchObject({ stream: false, wantsUsage: false, maxTokens: 1_024 });
  });

  it.each<[members: string, maxTokens: number]>([
    ['"max_tokens":10', 10],
    ['"max_completion_tokens":20', 20],
    ['"max_tokens":10,"max_completion_tokens":20', 20],
    ['"max_tokens":null,"max_completion_tokens":null,"n":null', 1_024],
    ['"n":2', 2_048],
    ['"max_tokens":1.0', 1],
    // Each engine prefers another one.
    ['"max_completion_tokens":1,"max_tokens":100000', 100_000],
    ['"max_completion_tokens":100000,"max_tokens":1', 100_000],
    ['"max_tokens":1,"n_predict":100000', 100_000],
    ['"max_tokens":1,"max_output_tokens":100000', 100_000],
    ['"max_tokens":10,"n":1,"n_cmpl":4', 40],
    ['"max_tokens":10,"best_of":4', 40],
  ])('a chat request with %s may take %i tokens', (members, maxTokens) => {
    expect(read(`{"model":"m",${members}}`).maxTokens).toBe(maxTokens);
  });

  it.each<[texts: number, answers: number, Endpoint, members: string]>([
    [1, 3, 'chat', '"messages":[],"n":2,"best_of":3'],
    [1, 3, 'completions', '"prompt":"a","n":3'],
    [2, 2, 'completions', '"prompt":["a","b"]'],
    [3, 6, 'completions', '"prompt":[[1,2],[3],[4]],"n":2'],
    [1, 1, 'completions', '"prompt":[1,2,3]'],
    [1, 1, 'responses', '"input":["a","b"],"n":2'],
  ])('has %i texts and at most %i answers as one of %s with %s', (texts, answers, endpoint, members) => {
    expect(read(`{"model":"m",${members}}`, endpoint)).toMatchObject({ texts, answers });
  });

  it('may have texts scored, for one token of each answer, with `echo` and unless it is a chat', () => {
    const scored = (more: string) => `{"model":"m","prompt":["a","b"],"max_tokens":0,"n":4${more}}`;
    expect(read(scored(',"echo":true'), 'completions').maxTokens).toBe(8);
    const refused = { status: 400, errors: [expect.objectContaining({ field: 'max_tokens' })] };
    for (const more of ['', ',"echo":false', ',"echo":null', ',"echo":"true"', ',"echo":true,"echo":false'])
      expect(() => read(scored(more), 'completions')).toThrow(expect.objectContaining(refused));
    expect(() => read(scored(',"echo":true'))).toThrow(expect.objectContaining(refused));
  });

  it('takes the largest limit of any other endpoint, too', () => {
    const limits = '"max_output_tokens":1,"max_tokens":2,"n_predict":100000';
    expect(read(`{"model":"m",${limits}}`, 'completions').maxTokens).toBe(100_000);
    expect(read(`{"model":"m",${limits}}`, 'responses').maxTokens).toBe(100_000);
  });

  it('counts the bytes of its text, not its characters', () => {
    expect(read('{"model":"m","a":"ééé"}').promptTokens).toBe(Math.ceil(26 / 4));
  });

  describe('with media whose usage nobody reports', () => {
    const base64 = 'A'.repeat(20_000);
    const dataUrl = `data:image/png;base64,${base64}`;
    const tokens = (content: unknown, endpoint: Endpoint = 'chat') => {
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
      const { promptTokens, unreportedPromptTokens } = read(body, endpoint);
      expect(promptTokens).toBe(Math.ceil(body.length / 4));
      return { unreportedPromptTokens, ofAll: promptTokens };
    };

    it.each<[string, unknown, number]>([
      ['a picture', [{ type: 'image_url', image_url: { url: dataUrl, detail: 'high' } }], 1],
      ['a picture of a response', [{ type: 'input_image', image_url: dataUrl }], 1],
      ['a sound', [{ type: 'input_audio', input_audio: { format: 'wav', data: base64 } }], 1],
      ['a file', [{ type: 'file', file: { file_data: dataUrl, filename: 'a.pdf' } }], 1],
      ['two pictures', [0, 1].map(() => ({ type: 'image_url', image_url: { url: dataUrl } })), 2],
    ])('counts %s as 1,000 tokens each', (_, content, count) => {
      const { unreportedPromptTokens } = tokens(content);
      expect(unreportedPromptTokens).toBeGreaterThan(count * 1_000);
      expect(unreportedPromptTokens).toBeLessThan(count * 1_000 + 60);
    });

    it.each<[string, unknown]>([
      ['a text, however it begins', `data:${base64}`],
      ['a part of text, however it begins', [{ type: 'text', text: `data:${base64}` }]],
      ['a list of texts', [[dataUrl], [base64]]],
      ['a long address', [{ type: 'image_url', image_url: { url: `https://${base64}` } }]],
      ['a small picture', [{ type: 'image_url', image_url: { url: dataUrl.slice(0, 3_998) } }]],
    ])('counts %s by its bytes', (_, content) => {
      const { unreportedPromptTokens, ofAll } = tokens(content);
      expect(unreportedPromptTokens).toBe(ofAll);
    });

    it('is read in slices', async () => {
      const content = [{ type: 'image_url', image_url: { url: `data:,${'A'.repeat(1_000_000)}` } }];
      const body = JSON.stringify({ messages: [{ role: 'user', content }], model: 'm' });
      const { unreportedPromptTokens } = await readRequest('chat', Buffer.from(body));
      expect(unreportedPromptTokens).toBe(Math.ceil((body.length - 1_000_008) / 4) + 1_000);
    });
  });

  it.each<[text: string, body: string]>([
    [`{"model":"m",${MESSAGES}}`, `{"model":"exact/model",${MESSAGES}}`],
    ['{"model":"m","stream":false}', '{"model":"exact/model","stream":false}'],
    ['{"model":"m","stream":null}', '{"model":"exact/model","stream":null}'],
    ['{"model":"m","stream":true}', '{"model":"exact/model","stream":true,"stream_options":{"include_usage":true}}'],
    [
      '{"stream_options":null,"model":"m","stream":true}',
      '{"stream_options":{"include_usage":true},"model":"exact/model","stream":true}',
    ],
    [
      '{"stream_options":{"include_usage":false,"other":1},"model":"m","stream":true}',
      '{"stream_options":{"include_usage":true,"other":1},"model":"exact/model","stream":true}',
    ],
    [
      '{"stream_options":{"include_usage":true, "other":1.50},"model":"m","stream":true}',
      '{"stream_options":{"include_usage":true, "other":1.50},"model":"exact/model","stream":true}',
    ],
    // Not requested without a stream.
    [
      '{"stream_options":{"include_usage":true},"model":"m"}',
      '{"stream_options":{"include_usage":true},"model":"exact/model"}',
    ],
    ['{"model":"m","seed":12345678901234567890}', '{"model":"exact/model","seed":12345678901234567890}'],
  ])('%s reaches the worker as %s', (text, body) => {
    expect(bodyOf(text)).toBe(body);
  });

  it('requests the usage of a stream only if its client did not', () => {
    expect(read('{"model":"m","stream":true,"stream_options":{"include_usage":true}}').wantsUsage).toBe(true);
    expect(read('{"model":"m","stream":true,"stream_options":{"include_usage":1}}').wantsUsage).toBe(false);
    expect(read('{"model":"m","stream_options":{"include_usage":true}}').wantsUsage).toBe(false);
  });

  it('keeps nothing of its body when it is released', async () => {
    const chat = read(`{"model":"m",${MESSAGES}}`);
    chat.letGo();
    expect(await chat.said()).toBe('');
    expect([chat.model, chat.promptTokens]).toEqual(['m', Math.ceil(`{"model":"m",${MESSAGES}}`.length / 4)]);
  });

  it.each<[text: string, field: string]>([
    ['', 'body'],
    ['{', 'body'],
    ['null', 'body'],
    ['[]', 'body'],
    ['"model"', 'body'],
    ['{"model":"m"} {}', 'body'],
    ["{'model':'m'}", 'body'],
    ['{}', 'model'],
    ['{"model":""}', 'model'],
    ['{"model":null}', 'model'],
    ['{"model":["m"]}', 'model'],
    [`{"model":"${'m'.repeat(254)}"}`, 'model'],
    ['{"model":"m","stream":"true"}', 'stream'],
    ['{"model":"m","stream":1}', 'stream'],
    ['{"model":"m","stream":[]}', 'stream'],
    ['{"model":"m","stream_options":[]}', 'stream_options'],
    ['{"model":"m","stream_options":true}', 'stream_options'],
    ['{"model":"m","max_tokens":0}', 'max_tokens'],
    ['{"model":"m","max_tokens":-1}', 'max_tokens'],
    ['{"model":"m","max_tokens":1.5}', 'max_tokens'],
    ['{"model":"m","max_tokens":"10"}', 'max_tokens'],
    ['{"model":"m","max_tokens":1e300}', 'max_tokens'],
    ['{"model":"m","max_completion_tokens":10000001}', 'max_completion_tokens'],
    ['{"model":"m","n_predict":-1}', 'n_predict'],
    // Go's parser takes them for the names in small letters, and the last one counts.
    ['{"model":"small","MODEL":"big"}', 'MODEL'],
    ['{"MODEL":"big","model":"small"}', 'MODEL'],
    ['{"model":"m","Max_Tokens":100000}', 'Max_Tokens'],
    ['{"model":"m","Stream":true}', 'Stream'],
    ['{"model":"m","\\u004dodel":"big"}', 'Model'],
    ['{"model":"m","\u017ftream":true}', '\u017ftream'],
    ['{"model":"m","max_to\u212aens":100000}', 'max_to\u212aens'],
    [
      '{"model":"m","stream":true,"stream_options":{"include_usage":true,"Include_Usage":false}}',
      'stream_options.Include_Usage',
    ],
    ['{"model":"m","n":0}', 'n'],
    ['{"model":"m","n":129}', 'n'],
    [`{"model":"m","a":${'['.repeat(300)}${']'.repeat(300)}}`, 'body'],
  ])('%.60s is refused for its %s', (text, field) => {
    const refused = () => readRequest('chat', Buffer.from(text));
    expect(refused).toThrow(Problem);
    try {
      void refused();
    } catch (error) {
      expect(error).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ field }] });
    }
  });

  it('may have other names in any letters, and names that only look like those that are read', () => {
    const text = '{"model":"m","Temperature":1,"Models":"x","max-tokens":9,"me\u00dfages":[],"\u0442op_k":1}';
    expect(bodyOf(text)).toBe(text.replace('"m"', '"exact/model"'));
  });

  it('is refused without a body, and if it is not UTF-8', () => {
    expect(() => readRequest('chat', undefined)).toThrow('body is required');
    expect(() => readRequest('chat', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
      'body must be UTF-8',
    );
  });

  it('reaches the worker as it was written, whatever it contains', () => {
    fc.assert(
      fc.property(written(names).members, fc.boolean(), (members, stream) => {
        const own = ['model', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n'];
        const others = members.filter(({ name }) => !own.includes(name));
        const text = `{"model": "m",${others.map((member) => `${joined([member])},`).join('')}"stream":${stream}}`;
        const options = stream ? ',"stream_options":{"include_usage":true}' : '';
        expect(bodyOf(text)).toBe(`${text.replace('"m"', '"exact/model"').slice(0, -1)}${options}}`);
      }),
    );
  });
});

describe('a large request', () => {
  /** Reads it, and counts the turns of the event loop meanwhile. */
  async function readBeside(endpoint: Endpoint, text: string | Buffer) {
    let turns = 0;
    let over = false;
    const reading = Promise.resolve(readRequest(endpoint, Buffer.from(text))).finally(() => (over = true));
    void reading.catch(() => undefined);
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    return { request: await reading, turns };
  }
  const list = (values: number, value = '1') => `[${Array(values).fill(value).join()}]`;

  it.each<[name: string, endpoint: Endpoint, text: string]>([
    ['990,000 numbers', 'chat', `{"model":"m","x":${list(990_000)},"stream":true}`],
    ['900,000 short texts', 'chat', `{"model":"m","x":${list(900_000, '"abcdefghij"')},"stream":true}`],
    ['a text of 12 MB', 'chat', `{"model":"m","x":"${'é'.repeat(6_000_000)}","stream":true}`],
    ['options of 2 MB', 'completions', `{"model":"m","stream":true,"stream_options":{"x":${list(900_000)}}}`],
  ])(
    'a large request of %s is read while other work goes on, and reaches the worker as it was written',
    async (_, endpoint, text) => {
      const { request, turns } = await readBeside(endpoint, text);
      // If it were read at once, the event loop would turn once.
      expect(turns).toBeGreaterThanOrEqual(2);
      expect([request.model, request.stream, request.wantsUsage]).toEqual(['m', true, false]);
      const usage = '"include_usage":true';
      const sent = text.replace('"m"', '"exact"').slice(0, -1);
      const expected = text.includes('stream_options')
        ? `${sent.slice(0, -1)},${usage}}}`
        : `${sent},"stream_options":{${usage}}}`;
      expect(request.bodyFor('exact').equals(Buffer.from(expected))).toBe(true);
    },
  );

  it('is built for each attempt without being read again', async () => {
    const { request } = await readBeside('chat', `{"x":${list(900_000)},"model":"m","stream":true}`);
    const scans = jest.spyOn(JsonScan.prototype, 'advance');
    const bodies = ['one', 'other'].map((model) => request.bodyFor(model).toString());
    expect(scans).not.toHaveBeenCalled();
    scans.mockRestore();
    expect(bodies.map((body) => (JSON.parse(body) as { model: string }).model)).toEqual(['one', 'other']);
  });

  it('may hold 880,640 tokens to embed, in as many lists as are allowed', async () => {
    const inputs = Array.from({ length: 2_048 }, () => list(430)).join();
    const { request } = await readBeside('embeddings', `{"model":"m","input":[${inputs}]}`);
    expect(request.promptTokens).toBe(2_048 * 430);
  });

  const large = (end: string | Buffer) =>
    Buffer.concat([Buffer.from(`{"model":"m","x":${list(100_000)}`), Buffer.from(end)]);
  it.each<[end: string | Buffer, field: string, message: string]>([
    ['', 'body', 'must be valid JSON'],
    [',}', 'body', 'must be valid JSON'],
    ['}}', 'body', 'must be valid JSON'],
    [Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'body', 'must be UTF-8'],
    [',"model":7}', 'model', 'must be a string that is not empty'],
    [`,"model":"${'x'.repeat(100_000)}"}`, 'model', 'must have at most 253 characters'],
    [',"stream":"true"}', 'stream', 'must be true or false'],
    [`,"stream_options":${list(2)}}`, 'stream_options', 'must be an object'],
    [`,"n":${'1'.repeat(60_000)}}`, 'n', 'must be an integer from 1 to 128'],
    [`,"y":${'['.repeat(300)}${']'.repeat(300)}}`, 'body', 'must not be nested deeper than 200 levels'],
  ])('a large request that ends with %.30s is refused for its %s', async (end, field, message) => {
    await expect(readBeside('chat', large(end))).rejects.toMatchObject({ status: 400, errors: [{ field, message }] });
  });

  it('is accepted as UTF-8 wherever a character falls between two steps', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `{"model":"m","x":"${'a'.repeat(shift)}${'😀'.repeat(600_000)}"}`;
      const { request } = await readBeside('chat', text);
      expect(request.bodyFor('m').equals(Buffer.from(text))).toBe(true);
    }
  });

  it('keeps only its own bytes if it was read together with others', () => {
    const shared = Buffer.alloc(1024 * 1024, ' ');
    const text = '{"model":"m"}';
    shared.write(text);
    const request = readRequest('chat', shared.subarray(0, text.length)) as InferenceRequest;
    shared.fill('x');
    expect(request.bodyFor('exact').toString()).toBe('{"model":"exact"}');
  });

  it('loses its byte order mark', () => {
    const request = readRequest('chat', Buffer.from('\ufeff{"model":"m"}')) as InferenceRequest;
    expect(request.bodyFor('exact').toString()).toBe('{"model":"exact"}');
  });
});
