import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describeWith } from '../support/components';
import { blocksOf, filesWrittenBy, FOR_A_SHELL, isIgnored, isShown, outputsOf, scriptOf, textsOf } from './guide';

const PAGES = ['README.md', ...globSync('docs/guides/*.md')];

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

describe('the files that guides write', () => {
  it('are the targets of redirections, of curl and of jobs, in blocks for a shell', () => {
    const commands = [
      'umask 077; openssl rand -hex 32 > store.key',
      "cat >> notes.txt <<'END'",
      '#SBATCH --requeue --output=$PWD/count.out',
      'END',
      'curl -s -o answer.txt -D headers.txt "$CP"; other -o name',
      `jq '.[] | select(.count > limit)' > /dev/null 2>&1`,
    ];
    expect(filesWrittenBy(fence('shell', commands.join('\n')) + fence('text', 'a > other.txt'))).toEqual([
      'store.key',
      'notes.txt',
      'count.out',
      'answer.txt',
      'headers.txt',
    ]);
  });

  it('are in .gitignore', () => {
    const gitignore = readFileSync('.gitignore', 'utf8');
    const written = PAGES.flatMap((path) => filesWrittenBy(readFileSync(path, 'utf8')).map((file) => ({ path, file })));
    expect(written.length).toBeGreaterThan(15);
    expect(written.filter(({ file }) => !isIgnored(file, gitignore))).toEqual([]);
    expect(isIgnored('package.json', gitignore)).toBe(false);
  });
});

describeWith(['bash'], 'what guides show and no test runs', () => {
  const faultOf = (commands: string): string => spawnSync('bash', ['-n'], { input: commands, encoding: 'utf8' }).stderr;

  it('is what bash can read', () => {
    const blocks = PAGES.flatMap((path) =>
      textsOf(readFileSync(path, 'utf8'), FOR_A_SHELL).map((commands) => ({ path, commands })),
    );
    expect(blocks.length).toBeGreaterThan(100);
    expect(blocks.filter(({ commands }) => faultOf(commands) !== '')).toEqual([]);
    expect(faultOf('echo "')).not.toBe('');
  });

  it.each([
    ['deploying', 'start', 'dist/main.js'],
    ['agents-host', 'agent', 'dist/agent/main.js'],
  ])('starts with systemd what npm starts: %s', (guide, script, program) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const [, variables = '', command = ''] = /&& ((?:\w+=\S+ )*)exec (.*)$/.exec(scripts[script] ?? '') ?? [];
    const [unit = ''] = textsOf(readFileSync(`docs/guides/${guide}.md`, 'utf8'), 'ini');
    expect(command).toContain(program);
    expect(unit).toContain(`WorkingDirectory=/opt/checkpoint-control-plane\n`);
    expect(unit).toContain(`ExecStart=/opt/checkpoint-control-plane/node_modules/.bin/${command}`);
    const given = (/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').split(' ');
    expect(given).toEqual(expect.arrayContaining(variables.trim().split(' ').filter(Boolean)));
  });
});

describe('the README', () => {
  it('links each guide once', () => {
    const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\((docs\/guides\/[\w-]+\.md)\)/g)].map(
      ([, path]) => path,
    );
    const guides = globSync('docs/guides/*.md').filter((path) => path !== 'docs/guides/README.md');
    expect(links.filter((path, place) => links.indexOf(path) !== place)).toEqual([]);
    expect(guides.filter((path) => !links.includes(path))).toEqual([]);
  });
});
