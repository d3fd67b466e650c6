import type { QueryResultRow } from 'pg';
import { MAX_PAGE_BYTES, Page, type Slice } from '../../common/answers/paging';
import type { Values } from '../transactions/statement';
import type { Tx } from '../transactions/tx';

interface BoundedPage {
  /** Alias of a row in `bytes`, `order`, `columns` and `joins`. */
  readonly as: string;
  /** The rows of the page as if they were of no size: in their order, with limit and offset. */
  readonly found: string;
  /** Bytes of JSON that a row holds. */
  readonly bytes: string;
  /** No two rows are equal in it. */
  readonly order: string;
  /** What an answer shows of a row. */
  readonly columns: string;
  readonly joins?: string;
}

/**
 * A list whose rows hold kept JSON: those that fit into one answer, with how many were found. A row too large
 * for the budget stands alone. Everything glued together here is a constant of the code.
 */
export const boundedPage = ({ as, found, bytes, order, columns, joins = '' }: BoundedPage): string => `
  with found as materialized (${found}), page as materialized (
    select ${as}.*, sum(${bytes}) over (order by ${order}) - ${bytes} as before from found ${as}
  )
  select ${columns}, (select count(*) from found) as found from page ${as} ${joins}
  where ${as}.before < ${MAX_PAGE_BYTES} order by ${order}`;

/** Values of `$limit` and `$offset`: one row more than the slice's, which says whether there are more. */
export const rowsOf = ({ limit, offset }: Slice): { limit: number; offset: number } => ({ limit: limit + 1, offset });

/** @param text of `boundedPage`, with a limit of one row more than the slice's */
export async function readPage<R extends object>(tx: Tx, text: string, values: Values, slice: Slice): Promise<Page<R>> {
  const rows = await tx.query<R & QueryResultRow & { found: number }>(text, values);
  const found = rows[0]?.found ?? 0;
  return Page.within({ rows: rows.map(({ found: _found, ...row }) => row as unknown as R), found }, slice);
}
