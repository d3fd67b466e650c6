import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(__dirname, '../..');

/** A block that a reader pastes, and its output according to the guide. */
export interface Block {
  readonly commands: string;
  /** In the format of `isShown`. Absent if the guide shows no output. */
  readonly output: string | undefined;
  /** Line in the file, counted from 1. */
  readonly line: number;
}

/** Fenced blocks of Markdown: `sh` is pasted, `text` after it is its output, all others are only read. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let previous = '';
  for (const { index, groups } of markdown.matchAll(/^```(?<kind>\w*)[^\n]*\n(?<body>[\s\S]*?)^```$/gm)) {
    const { kind = '', body = '' } = groups ?? {};
    const line = markdown.slice(0, index).split('\n').length;
    if (kind === 'sh') blocks.push({ commands: body, output: undefined, line });
    const last = blocks.at(-1);
    if (kind === 'text' && previous === 'sh' && last) blocks[blocks.length - 1] = { ...last, output: body };
    previous = kind;
  }
  return blocks;
}

export const readGuide = (path: string): Block[] => blocksOf(readFileSync(join(PROJECT, path), 'utf8'));

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

/**
 * Whether output matches the guide: in a line `…` stands for any characters, alone for any lines. Empty lines
 * do not count.
 */
export function isShown(text: string, shown: string): boolean {
  const patterns = linesOf(shown).map((line) =>
    line.trim() === '…'
      ? '(?:[^\\n]*\\n)*'
      : `${line
          .split('…')
          .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('[^\\n]*')}\\s*\\n`,
  );
  return new RegExp(`^${patterns.join('')}$`).test(`${linesOf(text).join('\n')}\n`);
}

/** Separates the outputs of two blocks. */
const MARK = '=== end of block ===';

/** All blocks as one script, which ends at the first failing command. */
export const scriptOf = (blocks: readonly Block[]): string =>
  [
    'set -e -o pipefail',
    '. docs/guides/setup.sh',
    ...blocks.flatMap(({ commands }) => [commands, `echo; echo '${MARK}'`]),
  ].join('\n');

/** The output of each block. */
export const outputsOf = (printed: string): string[] => printed.split(`${MARK}\n`).slice(0, -1);

/** Languages of blocks that a reader pastes, also of those that no test runs. */
export const FOR_A_SHELL = 'sh|shell|bash';

/** A redirection, `-o` and `-D` of curl, the output of a job: with the name of a file beside the guide. */
const WRITES =
  /(?:(?<![<=\d&-])>{1,2} ?|(?<=\bcurl\b[^|;\n]*) -[oD] |--output=(?:\$PWD\/)?)(?<file>(?!\/|&|\$|["'])[\w.-]*[A-Za-z][\w.-]*)/g;

/** The texts of fenced blocks of Markdown with one of these languages, as a pattern. */
export const textsOf = (markdown: string, languages: string): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`(?:${languages})\\b[^\\n]*\\n(?<body>[\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ({ groups }) => groups?.['body'] ?? '',
  );

/** Files that a guide's blocks leave in the checkout, also of blocks that no test runs. */
export function filesWrittenBy(markdown: string): string[] {
  const commands = textsOf(markdown, FOR_A_SHELL).join('\n');
  // What is quoted goes to a program: `'.[] | select(.count > limit)'`.
  const shell = commands.replaceAll(/'[^']*'/g, "''");
  return [...new Set([...shell.matchAll(WRITES)].map(({ groups }) => groups?.['file'] ?? ''))];
}

/** Whether a file beside the README matches a line of .gitignore; of the patterns, those with `*` and `/`. */
export const isIgnored = (file: string, gitignore: string): boolean =>
  gitignore.split('\n').some((line) => {
    if (line === '' || line.startsWith('#')) return false;
    const pattern = line.replace(/^\/|\/$/g, '').replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${pattern.replaceAll('*', '[^/]*')}$`).test(file);
  });
