import type { RecordedFigure } from '../../support/figures';
import { ROWS, type Row } from './rows';

/** The page is generated between these lines. */
const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];
const NEW_TABLE = '\n\n';
const HEAD = ['Attack', 'Measure', 'Reached', 'Bound', 'Held', 'On', 'Date'];

/**
 * Puts new figures into the page. A promise that has new figures on one PostgreSQL loses its earlier ones
 * there; all others keep theirs, with their dates.
 */
export function writeFigures(page: string, recorded: readonly RecordedFigure[]): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('the page has no place for figures');
  const figures = merged(readFigures(page), recorded);
  const sections = ROWS.map((row) =>
    sectionOf(
      row,
      figures.filter((one) => one.row === row.row),
    ),
  );
  return [before, BEGIN, NEW_TABLE, overview(figures), NEW_TABLE, sections.join(NEW_TABLE), NEW_TABLE, END, after].join(
    '',
  );
}

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
      found.push({ row, attack, measure, reached, bound, held: held !== '**no**', on, date });
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

function overview(figures: readonly RecordedFigure[]): string {
  const lines = ROWS.map(({ row, promise }) => {
    const own = figures.filter((one) => one.row === row);
    return `| [${row}](#${anchorOf(row, promise)}) | ${promise} | ${verdictOf(own)} | ${newestOf(own)} |`;
  });
  return ['| Row | Promise | Figures held | Newest |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

const verdictOf = (own: readonly RecordedFigure[]): string => {
  if (own.length === 0) return 'no figures yet';
  const bounded = own.filter(({ bound }) => bound !== '');
  const held = bounded.filter((one) => one.held).length;
  return held === bounded.length ? 'all' : `**${held} of ${bounded.length}**`;
};

const newestOf = (own: readonly RecordedFigure[]): string =>
  own
    .map(({ date }) => date)
    .sort()
    .at(-1) ?? '';

/** As GitHub makes it from the heading. */
const anchorOf = (row: number, promise: string): string =>
  `${row}. ${promise}`
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

function sectionOf({ row, promise, shown, specs, open }: Row, own: readonly RecordedFigure[]): string {
  const lines = own.map(({ attack, measure, reached, bound, held, on, date }) =>
    ['', attack, measure, reached, bound, bound === '' ? '' : held ? 'yes' : '**no**', on, date, ''].join(' | ').trim(),
  );
  const table = [`| ${HEAD.join(' | ')} |`, `| ${HEAD.map(() => '---').join(' | ')} |`, ...lines].join('\n');
  const parts = [
    `## ${row}. ${promise}`,
    [shown, ...(specs.length > 0 ? [`Tests: ${specs.map((spec) => `\`${spec}\``).join(', ')}.`] : [])].join(' '),
    ...(open === undefined ? [] : [open]),
    ...(own.length > 0 ? [table] : []),
  ];
  return parts.join(NEW_TABLE);
}
