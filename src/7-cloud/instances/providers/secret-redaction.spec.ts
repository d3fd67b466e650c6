import { plain, containsSecret } from './secret-redaction';

describe('a text that may contain a secret', () => {
  it.each<[string, string[], boolean]>([
    ['os is not supported', ['hunter2-hunter2'], false],
    ['bad value hunter2-hunter2', ['hunter2-hunter2'], true],
    ['bad value hunter…', ['hunter2-hunter2'], true],
    ['bad value …ter2-h…', ['hunter2-hunter2'], true],
    ['bad value hunte', ['hunter2-hunter2'], false],
    ['bad value abc', ['abc'], true],
    ['bad value ab', ['abc'], false],
    ['anything', [''], false],
    ['anything', [], false],
    ['second one: swordfish', ['hunter2', 'swordfish'], true],
    // As others may encode it.
    [String.raw`bad value a\"b\"c\"d\"e`, ['a"b"c"d"e'], true],
    [String.raw`bad value a\nb\nc\nd\ne`, ['a\nb\nc\nd\ne'], true],
    [plain('bad value a\nb\0c\nd\ne'), ['a\nb\0c\nd\ne'], true],
    ['bad value a%20%2Fb%3Fc', ['a /b?c'], true],
    [`bad value ${Buffer.from('hunter2').toString('base64')}`, ['hunter2'], true],
  ])('finds in %j one of the secrets %j: %s', (text, secrets, expected) => {
    expect(containsSecret(text, secrets)).toBe(expected);
  });
});

describe('the search for secrets', () => {
  /** What a marketplace says at most, without any part of a secret. */
  const words = '-'.repeat(300);

  /** Characters that are searched, and pieces that are looked up. */
  function workOf(search: () => boolean): { found: boolean; work: number } {
    const includes = jest.spyOn(String.prototype, 'includes');
    const has = jest.spyOn(Set.prototype, 'has');
    try {
      const found = search();
      const searched = (includes.mock.contexts as string[]).reduce((sum, { length }) => sum + length, 0);
      return { found, work: searched + has.mock.calls.length };
    } finally {
      includes.mockRestore();
      has.mockRestore();
    }
  }

  it('looks at each character of a script once, in each of its spellings', () => {
    const script = 'x'.repeat(60_000);
    const { found, work } = workOf(() => containsSecret(words, [script]));
    expect(found).toBe(false);
    expect(work).toBeGreaterThan(script.length);
    expect(work).toBeLessThan(5 * script.length);
  });

  it('withholds every text beside a script that is too long to search', () => {
    const script = 'x'.repeat(700 * 1_024);
    expect(workOf(() => containsSecret(words, [script]))).toEqual({ found: true, work: 0 });
    const halves = [script.slice(0, 40_000), script.slice(0, 40_000)];
    expect(workOf(() => containsSecret(words, halves))).toEqual({ found: true, work: 0 });
  });
});

it('a text is shown without characters that cannot be stored', () => {
  expect(plain('a\0b\nc\ud800 d😀')).toBe('a b c\ufffd d😀');
});
