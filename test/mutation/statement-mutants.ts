import type { Mutant } from './mutant-results';

/** Changes that leave most statements valid SQL. `mutant-runs.ts` finds the others when they run. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/(?<= )<(?= )/g, '<='],
  [/(?<= )<=(?= )/g, '<'],
  [/(?<= )>(?= )/g, '>='],
  [/(?<= )>=(?= )/g, '>'],
  [/(?<= )<>(?= )/g, '='],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bis distinct from\b/g, 'is not distinct from'],
  [/\bis not distinct from\b/g, 'is distinct from'],
  [/\bgreatest(?= ?\()/g, 'least'],
  [/\bleast(?= ?\()/g, 'greatest'],
  [/\bmin(?=\()/g, 'max'],
  [/\bmax(?=\()/g, 'min'],
  [/\bbool_or(?=\()/g, 'bool_and'],
  [/\bbool_and(?=\()/g, 'bool_or'],
  [/(?<= )\+(?= )/g, '-'],
  [/(?<= )-(?= )/g, '+'],
  [/(?<=[\w)] [*] )1000\b/g, '1'],
  [/ desc\b/g, ''],
  [/ for update skip locked\b/g, ' for update'],
  [/ for (?:no key )?update\b(?! skip locked)/g, ''],
  [/\bselect distinct(?! on)/g, 'select'],
  [/\bnot exists(?= ?\()/g, 'exists'],
  [/(?<!not )\bexists(?= ?\()/g, 'not exists'],
  [/\bif not found\b/g, 'if found'],
  [/\bif found\b/g, 'if not found'],
  [/\bleft join\b(?! lateral)/g, 'join'],
];

/** Ends a condition, where no parenthesis is open. */
const CONDITION_ENDS =
  /^(?:and|or|then|order by|group by|limit|offset|returning|for update|for no key update|on conflict|union|loop|where|left join|cross join|join|window|having|end|as|from)\b/;

/** No test can hit such a boundary: the time passes between the two sides of the comparison. */
const OF_TIME = /clock_timestamp|statement_timestamp|_at\b|\bat\b|make_interval/;

/**
 * All mutants of the statements of a file: of the template literals and strings of a `*.queries.ts` file that
 * hold SQL, or of a whole `.sql` file. Conditions on `org_id` stay: test/e2e checks tenancy for every
 * operation, and row level security is a second wall behind most of them.
 */
export function statementMutants(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  for (const [begin, end] of file.endsWith('.sql') ? [[0, source.length] as const] : statementsIn(source)) {
    const masked = ' '.repeat(begin) + withoutTexts(source.slice(begin, end));
    const add = (from: number, to: number, text: string): void => {
      const line = source.slice(0, from).split('\n').length;
      mutants.push({ file, from, to, line, kind: 'statement', replaced: source.slice(from, to), text });
    };
    for (const [pattern, text] of REPLACEMENTS)
      for (const { index, 0: found } of masked.matchAll(pattern))
        if (!isBoundaryOfTime(masked, index, found)) add(index, index + found.length, text);
    for (const [from, to] of conditions(masked))
      if (!/\borg\b|org_id/.test(masked.slice(from, to))) add(from, to, 'true');
    for (const { index, 0: found } of masked.matchAll(/\bon conflict(?: \([^)]*\))? do nothing/g))
      add(index, index + found.length, '');
  }
  return mutants.toSorted((one, other) => one.from - other.from || one.to - other.to);
}

function isBoundaryOfTime(masked: string, at: number, operator: string): boolean {
  if (!/^[<>]=?$/.test(operator)) return false;
  const before = /[\w.$)]+ $/.exec(masked.slice(0, at))?.[0] ?? '';
  const [after = ''] = masked.slice(at).split(/\n| and | or /, 1);
  return OF_TIME.test(before) || OF_TIME.test(after);
}

/** Where the statements of a TypeScript file begin and end. */
function statementsIn(source: string): (readonly [number, number])[] {
  // Comments may hold a backtick or an apostrophe.
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, blank);
  return [...code.matchAll(/`[^`]*`|'(?:select|with|update|insert|delete) [^'\n]*'/g)]
    .filter(([text]) => /\b(?:select|update|insert|delete)\b/.test(text))
    .map(({ index, 0: text }) => [index + 1, index + text.length - 1] as const);
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Without comments, strings and interpolations, at the same positions. A string with a statement stays. */
const withoutTexts = (sql: string): string =>
  sql.replace(/--[^\n]*|\$\{[^}]*\}|'(?:[^']|'')*'/g, (text) => {
    if (text.startsWith("'select ")) return text;
    return (text.startsWith('--') ? ' ' : 'x').repeat(text.length);
  });

/** Where the conditions after `where`, `on`, `and` and `when` begin and end. */
function conditions(masked: string): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (const { index, 0: word } of masked.matchAll(/\b(?:where|and|when)\s+/g)) {
    if (word.startsWith('and') && /\bbetween\s+\S+\s+$/.test(masked.slice(0, index))) continue;
    const from = index + word.length;
    const to = conditionEnd(masked, from);
    if (to > from && !masked.startsWith('current of', from)) found.push([from, to]);
  }
  return found;
}

function conditionEnd(masked: string, from: number): number {
  let depth = 0;
  for (let at = from; at < masked.length; at++) {
    const letter = masked.charAt(at);
    if (letter === '(') depth++;
    if (letter === ')' && depth-- === 0) return trimmed(masked, from, at);
    if (depth > 0) continue;
    if (letter === ';' || letter === ',') return trimmed(masked, from, at);
    const begins = /\W/.test(masked.charAt(at - 1));
    if (begins && CONDITION_ENDS.test(masked.slice(at, at + 20))) return trimmed(masked, from, at);
  }
  return trimmed(masked, from, masked.length);
}

const trimmed = (text: string, from: number, to: number): number => from + text.slice(from, to).trimEnd().length;
