import type { Column } from './data-table';
import styles from './small-table.module.css';

interface SmallTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, place: number) => string;
}

/** Some dozens of rows that are all here. On a narrow screen, each row is a card whose values have labels. */
export const SmallTable = <Row,>({ label, columns, rows, keyOf }: SmallTableProps<Row>) => (
  <div
    role="table"
    aria-label={label}
    className={styles.table}
    style={{ '--columns': columns.map(({ width }) => width).join(' ') }}
  >
    <div role="rowgroup" className={styles.head}>
      <div role="row" className={styles.row}>
        {columns.map(({ id, header, align }) => (
          <div key={id} role="columnheader" className={styles.cell} data-align={align}>
            {header}
          </div>
        ))}
      </div>
    </div>
    <div role="rowgroup">
      {rows.map((row, place) => (
        <div key={keyOf(row, place)} role="row" className={styles.row}>
          {columns.map(({ id, header, align, cell }) => (
            <div key={id} role="cell" className={styles.cell} data-align={align} data-label={header}>
              <div>{cell(row)}</div>
            </div>
          ))}
        </div>
      ))}
    </div>
  </div>
);
