import { cut, shown, widthOf } from './shown';

/** What a state means: shown by colour, beside the word. */
export type Tone = 'good' | 'busy' | 'bad';

export type Cell = string | { readonly text: string; readonly tone: Tone };

export interface TableStyle {
  /** Columns of the terminal; undefined: lines are as long as they are. */
  readonly width?: number | undefined;
  /** Adds colour to a text. */
  readonly paint: (text: string, tone: Tone | 'head') => string;
}

/** A column is not cut below this width: less says nothing. */
const NARROWEST = 10;
const GAP = '  ';

export const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);

/**
 * Rows as aligned columns, with control characters made visible. If they are wider than the terminal, the
 * widest columns are cut, and then the line.
 * @param head its texts; undefined: none is shown
 */
export function tableOf(
  head: readonly string[] | undefined,
  rows: readonly (readonly Cell[])[],
  { width, paint }: TableStyle,
): string[] {
  const cells = rows.map((row) => row.map((cell) => ({ text: shown(textOf(cell)), tone: toneOf(cell) })));
  const texts = [...(head ? [head] : []), ...cells.map((row) => row.map(({ text }) => text))];
  const widths = texts.reduce<number[]>((widest, row) => {
    row.forEach((text, column) => (widest[column] = Math.max(widest[column] ?? 0, widthOf(text))));
    return widest;
  }, []);
  if (width !== undefined) narrow(widths, width);
  const line = (row: readonly { readonly text: string; readonly tone?: Tone | 'head' | undefined }[]): string => {
    let left = width ?? Number.POSITIVE_INFINITY;
    return row
      .map(({ text, tone }, column) => {
        const isLast = column === row.length - 1;
        if (column > 0) left -= GAP.length;
        if (left <= 0) return '';
        const wanted = Math.min(widths[column] ?? 0, left);
        const fitting = cut(text, wanted);
        left -= wanted;
        const padding = isLast ? '' : ' '.repeat(Math.max(0, wanted - widthOf(fitting)));
        return (column > 0 ? GAP : '') + (tone === undefined ? fitting : paint(fitting, tone)) + padding;
      })
      .join('')
      .trimEnd();
  };
  return [...(head ? [line(head.map((text) => ({ text, tone: 'head' as const })))] : []), ...cells.map(line)];
}

const toneOf = (cell: Cell): Tone | undefined => (typeof cell === 'string' ? undefined : cell.tone);

/** Takes from the widest column until the line fits, or every column is narrow. */
function narrow(widths: number[], width: number): void {
  const gaps = GAP.length * Math.max(0, widths.length - 1);
  for (let over = widths.reduce((sum, one) => sum + one, gaps) - width; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) return;
    widths[widest]! -= 1;
  }
}
