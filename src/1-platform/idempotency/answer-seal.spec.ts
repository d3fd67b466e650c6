import { seal, unseal } from './answer-seal';

const ANSWER = '{"raw_token":"ccp_secret","name":"é🧪"}';

describe('a sealed answer', () => {
  it('opens to the bearer and the key that sealed it', () => {
    expect(unseal(seal(ANSWER, 'bearer', 'key'), 'bearer', 'key')).toBe(ANSWER);
    expect(unseal(seal('', 'bearer', 'key'), 'bearer', 'key')).toBe('');
  });

  it.each([
    ['another bearer', 'other', 'key'],
    ['another key', 'bearer', 'other'],
    ['the two swapped', 'key', 'bearer'],
    ['a shifted boundary', 'bearerk', 'ey'],
    ['nothing', '', ''],
  ])('stays closed to %s', (_what, bearer, key) => {
    expect(unseal(seal(ANSWER, 'bearer', 'key'), bearer, key)).toBeUndefined();
  });

  it('stays closed if a bit of it changed', () => {
    const sealed = seal(ANSWER, 'bearer', 'key');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unseal(changed, 'bearer', 'key')).toBeUndefined();
    }
  });

  it('stays closed if a part of it is missing', () => {
    const sealed = seal(ANSWER, 'bearer', 'key');
    for (const length of [0, 11, 12, 20, 28, sealed.length - 1])
      expect(unseal(sealed.subarray(0, length), 'bearer', 'key')).toBeUndefined();
  });

  it('reveals nothing, and never looks the same', () => {
    const [first, second] = [seal(ANSWER, 'bearer', 'key'), seal(ANSWER, 'bearer', 'key')];
    expect(first.equals(second)).toBe(false);
    for (const part of ['raw_token', 'ccp_secret', 'bearer']) expect(first.includes(part)).toBe(false);
  });
});
