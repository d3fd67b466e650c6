import { blocksOf, isShown, outputsOf, scriptOf } from './guide';

const fence = (kind: string, body: string): string => `\`\`\`${kind}\n${body}\n\`\`\`\n`;

describe('the blocks of a guide', () => {
  it('are those marked sh, each with the expected text after it', () => {
    const markdown = `Words\n${fence('sh', 'echo 1')}more\n${fence('text', '1')}${fence('shell', 'never')}${fence('text', 'no')}${fence('sh', 'echo 2')}`;
    expect(blocksOf(markdown)).toEqual([
      { commands: 'echo 1\n', output: '1\n', line: 2 },
      { commands: 'echo 2\n', output: undefined, line: 15 },
    ]);
  });

  it('keep their outputs apart', () => {
    const [first, second] = blocksOf(fence('sh', 'echo 1') + fence('sh', 'echo 2'));
    expect(scriptOf([first!, second!])).toMatch(/echo 1[^]*end of block[^]*echo 2[^]*end of block/);
    expect(outputsOf('1\n=== end of block ===\n2\n=== end of block ===\n')).toEqual(['1\n', '2\n']);
  });

  it.each([
    ['ready', 'ready\n', true],
    ['ready', 'not ready', false],
    ['…\nready', 'a\nb\nready\n', true],
    ['…\nready\n…', '\n\nready\n', true],
    ['a\n…\nd', 'a\nb\n\nc\nd', true],
    ['a…', 'a\nb', false],
    ['…\nready', 'a\nready\nb', false],
    ['a.c', 'abc', false],
    ['{"a":…}', '{"a":1}', true],
  ])('compare their output: %j with %j gives %s', (shown, text, met) => {
    expect(isShown(text, shown)).toBe(met);
  });
});
