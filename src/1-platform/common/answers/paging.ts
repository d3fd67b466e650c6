import { Int } from '../fields/fields';

/** Maximum number of rows in an answer of a list without a limit of its own. */
export const MAX_ROWS = 1000;

/** `limit` and `offset` of a list; a limit above the maximum is clamped. */
export class PageQuery {
  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Maximum number of rows, clamped to ${MAX_ROWS}`,
  })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Rows to skip' })
  offset?: number;
}

/**
 * Maximum size of the stored JSON in one answer of a list, in bytes of text; the rest is on the next page.
 */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Limit and offset for a statement. It reads one row more than the limit, to find out whether more exist. */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

export const sliceOf = (query: { limit?: number; offset?: number }, fallback = MAX_ROWS): Slice => ({
  limit: query.limit ?? fallback,
  offset: query.offset ?? 0,
});

/** The parameters of a query that differ on the next page. */
type NextPage = Slice | { readonly limit: number; readonly after: string };

/** The rows of a page, and whether more exist; a `Link` header then leads to the next page. */
export class Page<T> {
  private constructor(
    readonly rows: readonly T[],
    readonly next: NextPage | undefined,
  ) {}

  /** @param found up to `slice.limit + 1` rows */
  static of<T>(found: readonly T[], slice: Slice): Page<T> {
    return found.length > slice.limit
      ? new Page(found.slice(0, slice.limit), { limit: slice.limit, offset: slice.offset + slice.limit })
      : new Page(found, undefined);
  }

  /**
   * Like `of`, for rows that were read up to a budget of bytes: `found` is their total number.
   * @param rows if one row alone exceeds the budget, just that row
   */
  static within<T>({ rows, found }: { rows: readonly T[]; found: number }, slice: Slice): Page<T> {
    const shown = rows.slice(0, slice.limit);
    const more = found > shown.length;
    return new Page(shown, more ? { limit: slice.limit, offset: slice.offset + shown.length } : undefined);
  }

  /** Rows of a source that continues after a row, not after a number of rows. */
  static before<T>(rows: readonly T[], next: NextPage | undefined): Page<T> {
    return new Page(rows, next);
  }

  map<U>(view: (row: T) => U): Page<U> {
    return new Page(this.rows.map(view), this.next);
  }
}
