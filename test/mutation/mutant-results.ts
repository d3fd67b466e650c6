import { readFileSync } from 'node:fs';

/** A change of one source or statement that its specs should notice. */
export interface Mutant {
  readonly file: string;
  /** Where the replaced text begins and ends in the file, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
  /** Stryker's name of the change, or `statement`. */
  readonly kind: string;
  readonly replaced: string;
  readonly text: string;
}

/** What the specs made of one mutant. */
export interface MutantResult extends Omit<Mutant, 'from' | 'to'> {
  /**
   * `killed`: a test failed. `late`: the tests did not end. `survived`: all passed. `uncovered`: no test runs
   * the code. `invalid`: it is no valid program, so it counts for nothing.
   */
  readonly outcome: 'killed' | 'late' | 'survived' | 'uncovered' | 'invalid';
}

/** A mutant that behaves as the original does, or differs in what no test should depend on. */
export interface Equivalent {
  readonly file: string;
  readonly replaced: string;
  /** Absent: any text. */
  readonly text?: string;
  /** A part of the line, where a file has the same text in other places. */
  readonly line?: string;
  readonly reason: string;
}

export interface Score {
  readonly killed: number;
  /** Without those that are equivalent. */
  readonly counted: number;
  readonly equivalent: number;
  readonly survivors: readonly MutantResult[];
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const lineOf = (file: string, line: number): string => readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';

export const describes = (
  equivalent: Equivalent,
  { file, line, replaced, text }: Pick<Mutant, 'file' | 'line' | 'replaced' | 'text'>,
  readLine = lineOf,
): boolean =>
  file.endsWith(equivalent.file) &&
  oneLine(replaced) === equivalent.replaced &&
  (equivalent.text === undefined || oneLine(text) === equivalent.text) &&
  (equivalent.line === undefined || readLine(file, line).includes(equivalent.line));

/**
 * Only mutants that survived are compared with the list: what was killed is not equivalent.
 * @param readLine a line of a source, which counts from 1
 */
export function scoreOf(
  results: readonly MutantResult[],
  equivalents: readonly Equivalent[],
  readLine = lineOf,
): Score {
  const valid = results.filter(({ outcome }) => outcome !== 'invalid');
  const killed = valid.filter(({ outcome }) => outcome === 'killed' || outcome === 'late').length;
  const left = valid.filter(({ outcome }) => outcome === 'survived' || outcome === 'uncovered');
  const survivors = left.filter((result) => !equivalents.some((one) => describes(one, result, readLine)));
  return { killed, counted: killed + survivors.length, equivalent: left.length - survivors.length, survivors };
}

/** One line, such as `outbox.queries.ts:49 statement, survived: select distinct → select`. */
export const shownResult = ({ file, line, kind, outcome, replaced, text }: MutantResult): string =>
  `${file}:${line} ${kind}, ${outcome}: ${oneLine(replaced).slice(0, 90)} → ${oneLine(text).slice(0, 90) || '(nothing)'}`;
