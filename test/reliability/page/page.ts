import type { Outcome, RecordedFigure } from '../../support/figures';
import { ROWS, type Goal, type Row } from './rows';

/** The page is generated between these lines. */
const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];
const NEW_TABLE = '\n\n';
const HEAD = ['Attack', 'Measure', 'Reached', 'Bound', 'Held', 'On', 'Date'];

/** A spec that failed in its newest run, and has not passed since. */
export type Failure = Omit<Outcome, 'failed'>;

/**
 * Puts new figures into the page. A promise that has new figures on one PostgreSQL loses its earlier ones
 * there; all others keep theirs, with their dates. A spec that failed is named until it passes.
 */
export function writeFigures(
  page: string,
  recorded: readonly RecordedFigure[],
  outcomes: readonly Outcome[] = [],
): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('the page has no place for figures');
  const figures = merged(readFigures(page), recorded);
  const failures = stillFailed(readFailures(page), outcomes);
  const shown = ROWS.map((row) => ({
    row,
    own: figures.filter((one) => one.row === row.row),
    failed: failures.filter(({ file }) => row.specs.includes(file)),
  }));
  const parts = [overview(shown), ...shown.map(sectionOf)];
  return [before, BEGIN, NEW_TABLE, parts.join(NEW_TABLE), NEW_TABLE, END, after].join('');
}

/** A row with its figures, and those of its specs that failed. */
interface Shown {
  readonly row: Row;
  readonly own: readonly RecordedFigure[];
  readonly failed: readonly Failure[];
}

const FAILURE = /^- \*\*Failed on ([\d-]+)\*\*, (.+): `(.+)`$/;

const failureLine = ({ date, on, file }: Failure): string => `- **Failed on ${date}**, ${on}: \`${file}\``;

/** The failures that a page has; a spec of two promises is in both. */
export function readFailures(page: string): Failure[] {
  const found = page.split('\n').flatMap((line) => {
    const [, date, on, file] = FAILURE.exec(line) ?? [];
    return date === undefined || on === undefined || file === undefined ? [] : [{ date, on, file }];
  });
  return [...new Map(found.map((one) => [placeOf(one), one])).values()];
}

const placeOf = ({ file, on }: Failure): string => `${file} ${on}`;

/** @param outcomes in their order: of a spec that ran twice, the later one counts */
function stillFailed(earlier: readonly Failure[], outcomes: readonly Outcome[]): Failure[] {
  const failures = new Map(earlier.map((one) => [placeOf(one), one]));
  for (const { failed, ...outcome } of outcomes)
    if (failed) failures.set(placeOf(outcome), outcome);
    else failures.delete(placeOf(outcome));
  return [...failures.values()];
}

/** Behind the bound of a test, the goal of the design. */
const GOAL_OF_BOUND = /,? ?goal .*$/;

/** The figures that a page has. */
export function readFigures(page: string): RecordedFigure[] {
  const found: RecordedFigure[] = [];
  const text = page.split(BEGIN)[1]?.split(END)[0] ?? '';
  for (const section of text.split(/^## (?=\d+\. )/m).slice(1)) {
    const row = Number.parseInt(section, 10);
    for (const line of section
      .split('\n')
      .filter((one) => one.startsWith('|'))
      .slice(2)) {
      const [attack = '', measure = '', reached = '', bound = '', held, on = '', date = ''] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const own = bound.replace(GOAL_OF_BOUND, '');
      found.push({ row, attack, measure, reached, bound: own, held: held !== '**no**', on, date });
    }
  }
  return found;
}

function merged(earlier: readonly RecordedFigure[], recorded: readonly RecordedFigure[]): RecordedFigure[] {
  const place = ({ row, on, attack }: RecordedFigure): string => `${row} ${on} ${kindOf(attack)}`;
  const measured = new Set(recorded.map(place));
  const key = (one: RecordedFigure): string => `${place(one)} ${one.attack} ${one.measure}`;
  // Of a measure that was taken twice, the newer one counts.
  const newest = new Map(recorded.map((one) => [key(one), one]));
  return [...earlier.filter((one) => !measured.has(place(one))), ...newest.values()];
}

/** The words of an attack without its numbers: a run with other numbers replaces it. */
const kindOf = (attack: string): string => attack.replaceAll(/[\d.,]+/g, '#');

function overview(shown: readonly Shown[]): string {
  const lines = shown.map(({ row: { row, promise, goals = [] }, own, failed }) => {
    const verdict = verdictOf(own, goals, failed);
    return `| [${row}](#${anchorOf(row, promise)}) | ${promise} | ${verdict} | ${newestOf(own)} |`;
  });
  return ['| Row | Promise | Figures held | Newest |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

function verdictOf(own: readonly RecordedFigure[], goals: readonly Goal[], failed: readonly Failure[]): string {
  const newest = newestOf(failed);
  if (newest !== '') return `**failed on ${newest}**`;
  if (own.length === 0) return 'no figures yet';
  const bounded = own.filter((one) => one.bound !== '' || goalOf(one, goals) !== undefined);
  const held = bounded.filter((one) => heldOf(one, goals) === 'yes').length;
  const share = held === bounded.length ? 'all' : `**${held} of ${bounded.length}**`;
  // What no figure of the table shows.
  const lower = goals.filter((goal) => figuresOf(goal, own).length === 0).length;
  return lower === 0 ? share : `${share}, **${lower} goal${lower === 1 ? '' : 's'} lowered**`;
}

const newestOf = (dated: readonly { readonly date: string }[]): string =>
  dated
    .map(({ date }) => date)
    .sort()
    .at(-1) ?? '';

const figuresOf = ({ figure }: Goal, own: readonly RecordedFigure[]): RecordedFigure[] =>
  own.filter(({ measure }) => figure?.measure.test(measure));

/** Whether the figures show that the tests reach the goal all the same. */
const isReached = (goal: Goal, own: readonly RecordedFigure[]): boolean => {
  const figures = figuresOf(goal, own);
  return figures.length > 0 && figures.every((one) => heldOf(one, [goal]) === 'yes');
};

const goalOf = ({ measure }: RecordedFigure, goals: readonly Goal[]): Goal['figure'] =>
  goals.find(({ figure }) => figure?.measure.test(measure))?.figure;

/** Held, or not by the bound of the test, or not by the goal of the design. */
function heldOf(one: RecordedFigure, goals: readonly Goal[]): string {
  if (!one.held) return '**no**';
  const goal = goalOf(one, goals);
  if (goal === undefined) return one.bound === '' ? '' : 'yes';
  const value = Number.parseFloat(one.reached);
  const reached = 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
  return reached ? 'yes' : '**goal missed**';
}

function boundOf(one: RecordedFigure, goals: readonly Goal[]): string {
  const goal = goalOf(one, goals);
  if (goal === undefined) return one.bound;
  const unit = /[^\d.]*$/.exec(one.reached)?.[0] ?? '';
  const shown = 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
  return [...(one.bound === '' ? [] : [one.bound]), `goal ${shown}${unit}`].join(', ');
}

/** As GitHub makes it from the heading. */
const anchorOf = (row: number, promise: string): string =>
  `${row}. ${promise}`
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

const goalLine = ({ goal, here, why }: Goal): string => `- Goal: ${goal}. Here: ${here}. ${why}`;

function sectionOf({ row: { row, promise, shown, specs, open, goals = [] }, own, failed }: Shown): string {
  const lines = own.map((one) => {
    const { attack, measure, reached, on, date } = one;
    return ['', attack, measure, reached, boundOf(one, goals), heldOf(one, goals), on, date, ''].join(' | ').trim();
  });
  const table = [`| ${HEAD.join(' | ')} |`, `| ${HEAD.map(() => '---').join(' | ')} |`, ...lines].join('\n');
  const lower = goals.filter((goal) => !isReached(goal, own));
  const parts = [
    `## ${row}. ${promise}`,
    [shown, ...(specs.length > 0 ? [`Tests: ${specs.map((spec) => `\`${spec}\``).join(', ')}.`] : [])].join(' '),
    ...(failed.length > 0 ? [failed.map(failureLine).join('\n')] : []),
    ...(open === undefined ? [] : [open]),
    ...(lower.length > 0 ? [lower.map(goalLine).join('\n')] : []),
    ...(own.length > 0 ? [table] : []),
  ];
  return parts.join(NEW_TABLE);
}
