import { exactNumber, isJsonObject, isRawNumber, parseJson, rawNumber, unstorable } from './json';

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
  ])('gives %s back as it came', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each(['0', '-0.5', '9007199254740991', '-9007199254740991', '0.1', '1e21', '3.141592653589793', '1e308'])(
    'makes %s a number of JavaScript',
    (text) => {
      expect(parseJson(text)).toBe(Number(text));
    },
  );

  it('leaves digits within strings alone', () => {
    expect(parseJson('{"id":"12345678901234567890","e":"1e400"}')).toEqual({ id: '12345678901234567890', e: '1e400' });
  });

  it.each(['{"__proto__":{"polluted":true},"constructor":1}', '{"__proto__":12345678901234567890}'])(
    'makes %s an object with members of those names, and nothing else',
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

  it('makes numbers that no typed field takes for one, nor for an object', () => {
    const value = parseJson('12345678901234567890');
    expect([isRawNumber(value), typeof value, isJsonObject(value)]).toEqual([true, 'object', false]);
    expect(isRawNumber(7)).toBe(false);
    expect(isRawNumber({ rawJSON: '7' })).toBe(false);
  });
});

describe('exactNumber', () => {
  it('is a number while that is exact', () => {
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
  ])('finds what is wrong with %j', (value, path) => {
    expect(unstorable(value)?.path).toBe(path);
  });

  it('ends at 200 levels, whatever stands below', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);
    expect(unstorable(nested(200))).toBeUndefined();
    expect(unstorable(nested(201))?.message).toBe('is nested deeper than 200 levels');
  });
});
