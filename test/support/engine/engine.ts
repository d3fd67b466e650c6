import { createHash } from 'node:crypto';
import { join } from 'node:path';

const PROGRAM = join(__dirname, 'engine.py');

export interface EngineOptions {
  /** The only model that it knows. */
  readonly model?: string;
  /** Of its tables. */
  readonly seed?: string;
  /** Size of its tables: 300 take seconds to build, 30 tenths of a second. */
  readonly megabytes?: number;
  /** Of each row of its tables, one of the other: a longer start, and no more memory. */
  readonly hashes?: number;
  /** Time that each token takes besides. */
  readonly tokenMs?: number;
}

/** The command line of an engine. It listens on the port of the variable `PORT`. */
export const engineCommand = ({ model, seed, megabytes, hashes, tokenMs }: EngineOptions = {}): string[] => [
  ...['python3', PROGRAM],
  ...Object.entries({ model, seed, megabytes, hashes, 'token-ms': tokenMs }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, String(value)],
  ),
];

const ROW_BYTES = 64;
const LETTERS = ['bdfgklmnprstvz', 'aeiou'] as const;
const [FEWEST_WORDS, LENGTHS] = [8, 17];

/** What the prompt of a chat is to an engine. */
export const promptOf = (messages: readonly { readonly role: string; readonly content: string }[]): string =>
  messages.map(({ role, content }) => `${role}: ${content}\n`).join('');

/**
 * What an engine with these tables answers, computed without them: of the millions of rows, an answer needs
 * one for each word.
 */
export function expectedAnswer(
  prompt: string,
  { seed = 'engine', megabytes = 300, hashes = 1 }: EngineOptions = {},
  maxTokens = Number.POSITIVE_INFINITY,
): string {
  const rows = BigInt(Math.floor((megabytes * 1_000_000) / ROW_BYTES));
  const digest = createHash('sha256').update(prompt).digest();
  const count = Math.min(FEWEST_WORDS + (digest[8]! % LENGTHS), maxTokens);
  const words: string[] = [];
  let place = digest.readBigUInt64BE() % rows;
  while (words.length < count) {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(place);
    let row = createHash('sha512').update(`${seed}\0`).update(number).digest();
    for (let hash = 1; hash < hashes; hash++) row = createHash('sha512').update(row).digest();
    const letters = [0, 1, 2, 3].map((index) => {
      const set = LETTERS[index % 2]!;
      return set[row[8 + index]! % set.length];
    });
    words.push(letters.join(''));
    place = row.readBigUInt64BE() % rows;
  }
  return words.join(' ');
}
