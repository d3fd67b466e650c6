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

it('a text is shown without characters that cannot be stored', () => {
  expect(plain('a\0b\nc\ud800 d😀')).toBe('a b c\ufffd d😀');
});
