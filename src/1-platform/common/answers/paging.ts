import { Int } from '../fields/fields';

/** What one answer of a list without a limit of its own holds at the most. */
export const MAX_ROWS = 1000;

/** `limit` and `offset` of a list; a limit above the maximum is clamped to it. */
export class PageQuery {
  @Int({ query: true, optional: true, min: 1, max: MAX_ROWS, description: `Rows at the most, clamped to ${MAX_ROWS}` })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Rows to skip' })
  offset?: number;
}

/**
 * Kept JSON that one answer of a list holds at the most, in
 * bytes of text; what is beyond is on the next page.
 */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/**
 * Limit and offset as a statement takes them. One row more
 * than the limit is read, to know whether more exist.
 */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

export const sliceOf = (query: { limit?: number; offset?: number }, fallback = MAX_ROWS): Slice => ({
  limit: query.limit ?? fallback,
  offset: query.offset ?? 0,
});

/**
 * A list that knows whether more rows exist; the answer is
 * the rows, and a `Link` header says where they go on.
 */
export class Page<T> {
  private constructor(
    readonly rows: readonly T[],
    readonly next: Slice | undefined,
  ) {}

  /** @param found up to `slice.limit + 1` rows */
  static of<T>(found: readonly T[], slice: Slice): Page<T> {
    return found.length > slice.limit
      ? new Page(found.slice(0, slice.limit), { limit: slice.limit, offset: slice.offset + slice.limit })
      : new Page(found, undefined);
  }

  /**
   * As `of`, of rows that were read while they fit into a budget of bytes: `found` is how many there were.
   * @param rows of one row too large for the budget, that row alone
   */
  static within<T>({ rows, found }: { rows: readonly T[]; found: number }, slice: Slice): Page<T> {
    const shown = rows.slice(0, slice.limit);
    const more = found > shown.length;
    return new Page(shown, more ? { limit: slice.limit, offset: slice.offset + shown.length } : undefined);
  }

  map<U>(view: (row: T) => U): Page<U> {
    return new Page(this.rows.map(view), this.next);
  }
}
