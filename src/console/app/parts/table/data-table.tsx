import { useElementSize } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import styles from './data-table.module.css';
import type { RowSource } from './row-source';

/** The only file that knows the library of virtual rows. */

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** A track of a CSS grid: `minmax(12rem, 2fr)`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'end';
  /** The server's name of this order; undefined: it cannot sort by this column. */
  readonly sort?: string;
}

export interface Sorting {
  readonly by: string;
  readonly isAscending: boolean;
  readonly change: (by: string, isAscending: boolean) => void;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly source: RowSource<Row>;
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  /** The row that is shown elsewhere on the page. */
  readonly current?: string;
  /** For very long lists: all rows are one line high, so none of them is measured. */
  readonly isUniform?: boolean;
}

const ROW_HEIGHT = 44;
/** Of a card: the lines of its values, and what is around them. */
const LINE_HEIGHT = 26;
const AROUND_LINES = 24;
const OVERSCAN = 12;
/** Below this width of the table, in pixels, rows are cards. */
const NARROW = 864;

/**
 * Of the visible rows, by place. A list that changed between two pages may have a row twice, so its second
 * key has its place too.
 */
function keysOf<Row>(
  places: readonly number[],
  source: RowSource<Row>,
  keyOf: (row: Row) => string,
): ReadonlyMap<number, string> {
  const taken = new Set<string>();
  return new Map(
    places.map((place) => {
      const row = source.at(place);
      const own = row === undefined ? `place ${place}` : `row ${keyOf(row)}`;
      const key = taken.has(own) ? `place ${place} of ${own}` : own;
      taken.add(key);
      return [place, key] as const;
    }),
  );
}

/**
 * Rows of which only the visible ones exist, so that 100,000 scroll as well as ten. On a narrow screen, each
 * row is a card whose values have labels.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, source, keyOf, sorting, current, isUniform = false } = props;
  const body = useRef<HTMLDivElement>(null);
  const top = useTop(body);
  const { ref: container, width } = useElementSize();
  const isNarrow = width > 0 && width < NARROW;
  // The virtual list asks for every row, so this must be known.
  const height = isNarrow ? columns.length * LINE_HEIGHT + AROUND_LINES : ROW_HEIGHT;
  const rows = useWindowVirtualizer({
    count: source.count,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  useLayoutEffect(() => rows.measure(), [rows, height]);
  const visible = rows.getVirtualItems();
  const first = visible[0]?.index ?? 0;
  const last = visible.at(-1)?.index ?? -1;
  // By its row, not by its place: what a row keeps, such as an open dialog, must not pass to another row.
  const keys = keysOf(
    visible.map(({ index }) => index),
    source,
    keyOf,
  );
  const order = [...keys].map(([index, key]) => `${index} ${key}`).join('\n');
  // Another function when rows have moved: each is then measured again at its new place.
  const measure = useCallback((element: HTMLDivElement | null) => rows.measureElement(element), [rows, order]);
  const { need } = source;
  useEffect(() => {
    if (last >= first) need(first, last);
  }, [need, first, last]);
  return (
    <div ref={container} data-cards={isNarrow || undefined}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={source.count + 1}
        className={styles.table}
        data-uniform={isUniform || undefined}
        style={{ '--columns': columns.map(({ width }) => width).join(' ') }}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" aria-rowindex={1} className={styles.row}>
            {columns.map((column) => (
              <Header key={column.id} column={column} sorting={sorting} />
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={body} className={styles.body} style={{ height: rows.getTotalSize() }}>
          {visible.map(({ index, start }) => {
            const row = source.at(index);
            return (
              <div
                key={keys.get(index)}
                ref={isUniform ? undefined : measure}
                data-index={index}
                role="row"
                aria-rowindex={index + 2}
                aria-current={row !== undefined && keyOf(row) === current ? 'true' : undefined}
                className={styles.row}
                style={{
                  transform: `translateY(${start - rows.options.scrollMargin}px)`,
                  height: isUniform ? height : undefined,
                }}
              >
                <Cells row={row} columns={columns} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/**
 * Where an element begins on the page, in pixels. It moves when what is above it grows or shrinks, and then
 * one of the elements around it does so too.
 */
function useTop(of: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return;
    const measure = () => setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    const observer = new ResizeObserver(measure);
    for (let around = element.parentElement; around !== null; around = around.parentElement) observer.observe(around);
    measure();
    return () => observer.disconnect();
  }, [of]);
  return top;
}

interface CellsProps<Row> {
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
}

/** While the user scrolls, the rows that stay are not rendered again. */
const Cells = memo(function Cells<Row>({ row, columns }: CellsProps<Row>) {
  return columns.map(({ id, header, align, cell }) => (
    <div key={id} role="cell" className={styles.cell} data-align={align} data-label={header}>
      {row === undefined ? <span className={styles.missing} /> : cell(row)}
    </div>
  ));
}) as <Row>(props: CellsProps<Row>) => ReactNode;

function Header<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const { header, align, sort } = column;
  if (sort === undefined || sorting === undefined)
    return (
      <div role="columnheader" className={styles.cell} data-align={align}>
        {header}
      </div>
    );
  const isSorted = sorting.by === sort;
  const direction = sorting.isAscending ? 'ascending' : 'descending';
  return (
    <div role="columnheader" aria-sort={isSorted ? direction : 'none'} className={styles.cell} data-align={align}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => sorting.change(sort, isSorted ? !sorting.isAscending : true)}
      >
        {header}
        <span aria-hidden="true">{isSorted ? (sorting.isAscending ? '↑' : '↓') : ''}</span>
      </button>
    </div>
  );
}
