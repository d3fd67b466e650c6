import { arrayLiteral } from './array-literal';

describe('an array as PostgreSQL reads it', () => {
  it.each([
    ['of nothing', [], '{}'],
    ['of numbers and words', [1, -0.5, null, true, false], '{1,-0.5,NULL,true,false}'],
    ['of texts', ['a', 'b c'], '{"a","b c"}'],
    ['of texts that mean something elsewhere', ['', 'NULL', '{a,b}'], '{"","NULL","{a,b}"}'],
    ['of texts with quotes and backslashes', ['a"b', 'a\\', '\\"'], '{"a\\"b","a\\\\","\\\\\\""}'],
  ])('writes an array as PostgreSQL reads it: %s', (_, elements, written) => {
    expect(arrayLiteral(elements)).toBe(written);
  });
});
