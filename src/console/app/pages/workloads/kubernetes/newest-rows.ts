import type { Rows } from '../../../api/client';

/** Rows that one request reads, and requests after which nobody looks further. */
export const PAGE = 100;
export const MOST_PAGES = 5;

export interface Newest<Row> {
  readonly rows: readonly Row[];
  /** Whether there are older rows that were not looked at. */
  readonly isPart: boolean;
}

/**
 * The newest rows that match, of a list that the service cannot filter exactly.
 * @param load reads the page behind a row
 */
export async function newestRows<Row>(
  wanted: number,
  matches: (row: Row) => boolean,
  load: (after: string | undefined) => Promise<Rows<Row[]>>,
): Promise<Newest<Row>> {
  const found: Row[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { rows, next } = await load(after);
    found.push(...rows.filter(matches));
    after = next?.after;
    if (after === undefined || found.length >= wanted) break;
  }
  return { rows: found.slice(0, wanted), isPart: after !== undefined || found.length > wanted };
}
