import { canonicalJson, jsonDigest } from './canonical-json';
import { parseJson } from './json';

describe('canonical JSON', () => {
  it('is the same for values that differ only in the order of members and in white space', () => {
    const one = parseJson('{"b": [1, {"d": null, "c": "x"}], "a": true}');
    const other = parseJson('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson(one)).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(jsonDigest(one)).toBe(jsonDigest(other));
  });

  it.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":null}', '{}'],
    ['9007199254740993', '9007199254740992'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
  ])('distinguishes %s from %s', (one, other) => {
    expect(canonicalJson(parseJson(one))).not.toBe(canonicalJson(parseJson(other)));
  });

  it('drops undefined members, and keeps every digit', () => {
    expect(canonicalJson({ b: undefined, a: parseJson('9007199254740993') })).toBe('{"a":9007199254740993}');
  });
});
