import * as fc from 'fast-check';
import { beginningOfJson } from './json-beginning';

describe('the beginning of a JSON text', () => {
  it.each<[string, unknown]>([
    ['{"a":"b', { a: 'b' }],
    ['{"a":"b\\', { a: 'b' }],
    ['{"a":"b\\u00', { a: 'b' }],
    ['{"a":"b\\\\', { a: 'b\\' }],
    ['{"a":"b\\"c', { a: 'b"c' }],
    ['{"a":1,"b', { a: 1 }],
    ['{"a":1,"b"', { a: 1 }],
    ['{"a":1,"b":', { a: 1 }],
    ['{"a":1,"b":tr', { a: 1 }],
    ['{"a":["b","c', { a: ['b', 'c'] }],
    ['{"a":["b",', { a: ['b'] }],
    ['{"a":[{"b":"c"},{"d":{"e":[1', { a: [{ b: 'c' }, { d: { e: [] } }] }],
    ['{"a":"}]","b":2', { a: '}]' }],
    ['{', {}],
    ['{"a', {}],
    ['{"a":1}', { a: 1 }],
    ['', undefined],
    ['not JSON', undefined],
    ['}]', undefined],
  ])('%s is read as far as it goes', (json, expected) => {
    expect(beginningOfJson(json)).toEqual(expected);
  });

  it('has what the whole text has, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.boolean(), (value, cut, isSpaced) => {
        const json = JSON.stringify(value, null, isSpaced ? 2 : 0);
        const read = beginningOfJson(json.slice(0, (cut % json.length) + 1));
        expect(isPartOf(read, JSON.parse(json))).toBe(true);
      }),
    );
  });
});

function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string')
    return typeof whole === 'string' && whole.startsWith(part.replace(/[\ud800-\udbff]$/, ''));
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.entries(part).every(
    ([name, member]) => Object.hasOwn(whole, name) && isPartOf(member, (whole as Record<string, unknown>)[name]),
  );
}
