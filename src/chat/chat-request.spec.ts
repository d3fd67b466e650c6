import * as fc from 'fast-check';
import { Problem } from '../common/problem';
import { readRequest, withMembers } from './chat-request';

/** A text of JSON, and all the ways in which one may be written. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const oneOfAsMany = <T>(...values: T[]) => fc.constantFrom(...values);
const numberText = fc.oneof(
  oneOfAsMany('0', '-0', '1e400', '-1E+5', '0.1000', '-1.5e-7', '12345678901234567890', '0.30000000000000004', '1.0'),
  fc.integer().map(String),
);
/** Each character as it is, or escaped in one of two ways. */
const quoted = (text: string, ways: readonly number[]): string =>
  `"${[...text]
    .map((character, place) => {
      const way = ways[place % Math.max(ways.length, 1)] ?? 0;
      const escaped = [...Array(character.length).keys()]
        .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
        .join('');
      return way === 1
        ? escaped
        : way === 2
          ? escaped.toUpperCase().replaceAll('\\U', '\\u')
          : JSON.stringify(character).slice(1, -1);
    })
    .join('')}"`;
const ways = fc.array(fc.nat({ max: 2 }), { maxLength: 4 });
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  oneOfAsMany('', '"', '\\', '\\"', '\\\\"}', '{', '}', '[', ']', ',', ':', '","model":"', '\u2028', '😀', '__proto__'),
);
const stringText = fc.tuple(anyText, ways).map(([text, how]) => quoted(text, how));
const names = fc.oneof(
  oneOfAsMany('model', 'stream_options', 'messages', 'a', '__proto__', 'constructor', ''),
  anyText,
);

interface Written {
  readonly name: string;
  /** Up to where its value begins, and the value. */
  readonly head: string;
  readonly value: string;
  readonly tail: string;
}
const written = (names: fc.Arbitrary<string>) =>
  fc.letrec<{ value: string; members: Written[] }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      oneOfAsMany('true', 'false', 'null'),
      numberText,
      stringText,
      fc
        .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
        .map(([empty, items]) => `[${items.length === 0 ? empty : items.map((item) => item.join('')).join(',')}]`),
      fc.tuple(space, tie('members')).map(([empty, members]) => `{${joined(members) || empty}}`),
    ),
    members: fc.array(
      fc
        .record({ name: names, how: ways, spaces: fc.tuple(space, space, space, space), value: tie('value') })
        .map(({ name, how, spaces: [before, behind, ahead, tail], value }) => ({
          name,
          head: `${before}${quoted(name, how)}${behind}:${ahead}`,
          value,
          tail,
        })),
      { maxLength: 5 },
    ),
  }));
const joined = (members: readonly Written[]): string =>
  members.map(({ head, value, tail }) => head + value + tail).join(',');

/** An object, and members of it that are to be replaced or put at its end. */
const replacements = (names: fc.Arbitrary<string>) => {
  const { value, members } = written(names);
  return {
    objects: fc.record({ before: space, members, empty: space, behind: space }),
    changes: fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, maxLength: 3 }),
  };
};

describe('an object of which members are replaced', () => {
  it('is byte for byte what it was everywhere else', () => {
    const { objects, changes } = replacements(names);
    fc.assert(
      fc.property(objects, changes, ({ before, members, empty, behind }, changed) => {
        const wanted = new Map(changed);
        const text = `${before}{${joined(members) || empty}}${behind}`;
        const replaced = members.map((member) => ({ ...member, value: wanted.get(member.name) ?? member.value }));
        const added = changed
          .filter(([name]) => members.every((member) => member.name !== name))
          .map(([name, value]) => `${JSON.stringify(name)}:${value}`);
        const within = [joined(replaced) || empty + added.join(), ...(members.length > 0 ? added : [])].join();
        expect(withMembers(text, wanted)).toBe(`${before}{${within}}${behind}`);
      }),
      { numRuns: 1_000 },
    );
  });

  const sorted = (object: object) =>
    Object.entries(object).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));

  it('means what it did, with the others in their place', () => {
    // Node's own JSON.parse (V8 13.6) takes a name with an escape for one that ends with a backslash, once it has read such a one.
    const { objects, changes } = replacements(names.filter((name) => !name.includes('\\')));
    fc.assert(
      fc.property(objects, changes, ({ before, members, empty, behind }, changed) => {
        const text = `${before}{${joined(members) || empty}}${behind}`;
        const parsed = JSON.parse(text) as object;
        const others = changed.map(([name, value]) => [name, JSON.parse(value) as unknown] as const);
        const written = JSON.parse(withMembers(text, new Map(changed))) as object;
        expect(sorted(written)).toEqual(sorted({ ...parsed, ...Object.fromEntries(others) }));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[text: string, written: string]>([
    ['{"model":"m"}', '{"model":"exact"}'],
    ['{}', '{"model":"exact"}'],
    [' { \n } ', ' { \n "model":"exact"} '],
    ['{"a":1}', '{"a":1,"model":"exact"}'],
    ['{"a":1 , "model" :\t"m" ,"b":[{"model":"m"}]}', '{"a":1 , "model" :\t"exact" ,"b":[{"model":"m"}]}'],
    ['{"model":"a","model":"b"}', '{"model":"exact","model":"exact"}'],
    ['{"\\u006dodel":"m"}', '{"\\u006dodel":"exact"}'],
    ['{"a":"\\"model\\":1","model":{"model":2}}', '{"a":"\\"model\\":1","model":"exact"}'],
    ['{"a":"\\\\","model":null}', '{"a":"\\\\","model":"exact"}'],
    ['{"a":12345678901234567890,"model":-1.5E+3}', '{"a":12345678901234567890,"model":"exact"}'],
  ])('%s becomes %s', (text, written) => {
    expect(withMembers(text, new Map([['model', '"exact"']]))).toBe(written);
  });
});

describe('a chat request', () => {
  const MESSAGES = '"messages":[{"role":"user","content":"Hello!"}]';
  const read = (text: string) => readRequest('chat', Buffer.from(text));
  const bodyOf = (text: string) => read(text).bodyFor('exact/model');

  it('is read as far as the service needs it', () => {
    const text = `{"model":"m","stream":true,"max_tokens":7,"n":3,${MESSAGES}}`;
    const { model, stream, wantsUsage, promptTokens, maxTokens, members } = read(text);
    expect({ model, stream, wantsUsage, promptTokens, maxTokens }).toEqual({
      model: 'm',
      stream: true,
      wantsUsage: false,
      promptTokens: Math.ceil(text.length / 4),
      maxTokens: 21,
    });
    expect(members.messages).toEqual([{ role: 'user', content: 'Hello!' }]);
  });

  it('may be all that a worker needs, and 1,024 tokens long, once', () => {
    expect(read('{"model":"m"}')).toMatchObject({ stream: false, wantsUsage: false, maxTokens: 1_024 });
  });

  it.each<[members: string, maxTokens: number]>([
    ['"max_tokens":10', 10],
    ['"max_completion_tokens":20', 20],
    ['"max_tokens":10,"max_completion_tokens":20', 20],
    ['"max_tokens":null,"max_completion_tokens":null,"n":null', 1_024],
    ['"n":2', 2_048],
    ['"max_tokens":1.0', 1],
  ])('of %s may take %i tokens', (members, maxTokens) => {
    expect(read(`{"model":"m",${members}}`).maxTokens).toBe(maxTokens);
  });

  it('counts the bytes of its text, not its characters', () => {
    expect(read('{"model":"m","a":"ééé"}').promptTokens).toBe(Math.ceil(26 / 4));
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
    // Not asked for without a stream.
    [
      '{"stream_options":{"include_usage":true},"model":"m"}',
      '{"stream_options":{"include_usage":true},"model":"exact/model"}',
    ],
    ['{"model":"m","seed":12345678901234567890}', '{"model":"exact/model","seed":12345678901234567890}'],
  ])('%s reaches the worker as %s', (text, body) => {
    expect(bodyOf(text)).toBe(body);
  });

  it('asks for the usage of a stream only where its client did not', () => {
    expect(read('{"model":"m","stream":true,"stream_options":{"include_usage":true}}').wantsUsage).toBe(true);
    expect(read('{"model":"m","stream":true,"stream_options":{"include_usage":1}}').wantsUsage).toBe(false);
    expect(read('{"model":"m","stream_options":{"include_usage":true}}').wantsUsage).toBe(false);
  });

  it('keeps nothing of its body when it is let go', () => {
    const chat = read(`{"model":"m",${MESSAGES}}`);
    chat.letGo();
    expect(chat.members).toEqual({});
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
    ['{"model":"m","n":0}', 'n'],
    ['{"model":"m","n":129}', 'n'],
    [`{"model":"m","a":${'['.repeat(300)}${']'.repeat(300)}}`, 'body'],
  ])('%.60s is refused for its %s', (text, field) => {
    const refused = () => readRequest('chat', Buffer.from(text));
    expect(refused).toThrow(Problem);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ field }] });
    }
  });

  it('is refused without a body, and where it is no UTF-8', () => {
    expect(() => readRequest('chat', undefined)).toThrow('body is required');
    expect(() => readRequest('chat', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
      'body must be UTF-8',
    );
  });

  it('reaches the worker as it was written, whatever it holds', () => {
    fc.assert(
      fc.property(written(names).members, fc.boolean(), (members, stream) => {
        const own = ['model', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n'];
        const others = members.filter(({ name }) => !own.includes(name));
        const text = `{"model": "m",${others.map((member) => `${joined([member])},`).join('')}"stream":${stream}}`;
        const told = stream ? ',"stream_options":{"include_usage":true}' : '';
        expect(bodyOf(text)).toBe(`${text.replace('"m"', '"exact/model"').slice(0, -1)}${told}}`);
      }),
    );
  });
});
