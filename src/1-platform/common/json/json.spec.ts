import fc from 'fast-check';
import { exactNumber, isJsonObject, isRawNumber, parseJson, rawNumber, unstorable, unstorableInSlices } from './json';

const again = (text: string): string => JSON.stringify(parseJson(text));

describe('parseJson', () => {
  it.each([
    '9007199254740992',
    '-9007199254740992',
    '12345678901234567890',
    '18446744073709551615',
    '0.1234567890123456789',
    '1e400',
    '-1e400',
    '1e-400',
    '123456789012345678.5',
    '[12345678901234567890,1,{"a":-98765432109876543210}]',
    '{"a":{"b":[0.30000000000000000001]}}',
  ])('returns %s as received', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each(['0', '-0.5', '9007199254740991', '-9007199254740991', '0.1', '1e21', '3.141592653589793', '1e308'])(
    'reads %s as a number of JavaScript',
    (text) => {
      expect(parseJson(text)).toBe(Number(text));
    },
  );

  it('leaves digits within strings alone', () => {
    expect(parseJson('{"id":"12345678901234567890","e":"1e400"}')).toEqual({ id: '12345678901234567890', e: '1e400' });
  });

  it.each(['{"__proto__":{"polluted":true},"constructor":1}', '{"__proto__":12345678901234567890}'])(
    'reads %s as an object with these members, and nothing else',
    (text) => {
      const parsed = parseJson(text) as object;
      expect(Object.hasOwn(parsed, '__proto__')).toBe(true);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      expect(JSON.stringify(parsed)).toBe(text);
    },
  );

  it.each(['', '{', '[1,]', 'NaN', '01', "'a'", '12345678901234567890x'])('throws for %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('produces numbers that no typed field accepts as a number or an object', () => {
    const value = parseJson('12345678901234567890');
    expect([isRawNumber(value), typeof value, isJsonObject(value)]).toEqual([true, 'object', false]);
    expect(isRawNumber(7)).toBe(false);
    expect(isRawNumber({ rawJSON: '7' })).toBe(false);
  });
});

describe('exactNumber', () => {
  it('is a number if that is exact', () => {
    expect(exactNumber('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(exactNumber('9007199254740993')).toEqual(rawNumber('9007199254740993'));
    expect(JSON.stringify({ sum: exactNumber('9007199254740993') })).toBe('{"sum":9007199254740993}');
  });
});

describe('unstorable', () => {
  it.each<[unknown, string | undefined]>([
    ['fine 🧪', undefined],
    [{ a: [1, null, true, 'x'] }, undefined],
    [rawNumber('12345678901234567890'), undefined],
    ['a\0b', ''],
    ['\ud800', ''],
    [{ a: [{ b: 'x\0' }] }, 'a[0].b'],
    [{ a: { 'k\0': 1 } }, 'a.k\\u0000'],
    [{ '\udc00': 1 }, '\ufffd'],
  ])('finds the fault of %j', (value, path) => {
    expect(unstorable(value)?.path).toBe(path);
  });

  it('stops at 200 levels, whatever is below', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);
    expect(unstorable(nested(200))).toBeUndefined();
    expect(unstorable(nested(201))?.message).toBe('is nested deeper than 200 levels');
  });
});

describe('unstorableInSlices', () => {
  /** Number of turns of the event loop until the work ends. */
  const turnsOf = async (work: Promise<unknown>): Promise<number> => {
    let [turns, ended] = [0, false];
    void work.then(() => (ended = true));
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    return turns;
  };
  const large = (last: unknown, size = 1_000_000) => ({ a: [...Array<number>(size).fill(1), last] });

  it('yields to other work while it searches a large value', async () => {
    expect(await turnsOf(unstorableInSlices(large('x', 5_000_000)))).toBeGreaterThan(2);
  });

  it('searches a small value at once', async () => {
    expect(await turnsOf(unstorableInSlices({ a: Array<string>(1_000).fill('x') }))).toBe(1);
  });

  it('names the path of a fault in a large value', async () => {
    expect(await unstorableInSlices(large({ 'b\0': 1 }))).toEqual({
      path: 'a[1000000].b\\u0000',
      message: 'must not contain the character U+0000',
    });
  });

  it('finds the same fault as an uninterrupted search', async () => {
    const texts = fc.constantFrom('x', 'y', '\0', '\ud800', '\u{1f600}');
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(texts, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const wide = [...Array<number>(5_000).fill(0), value];
        expect(await unstorableInSlices(wide)).toEqual(unstorable(wide));
        const isFaulty = /\\u0000|\\ud800/.test(JSON.stringify(value));
        expect(unstorable(value) !== undefined).toBe(isFaulty);
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});
