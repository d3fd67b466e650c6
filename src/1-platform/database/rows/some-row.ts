/**
 * Whether there is such a row (null: there is none), by the first one in the order of an index. A condition
 * of statements over organisations, in place of `exists`: PostgreSQL may answer that for all organisations at
 * once, from all rows of the table, or read the table for each of them until it finds one.
 *
 * @param rows from `from` on
 */
export const someRow = (rows: string, order: string): string => `(select true ${rows} order by ${order} limit 1)`;
