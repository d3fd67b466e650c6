import { useDebouncedCallback } from '@mantine/hooks';
import { useQueries, type UseInfiniteQueryResult, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Rows } from '../../api/client';
import { refreshEvery } from '../../api/live';

/** Rows of a list of which only a part is here. */
export interface RowSource<Row> {
  /** Rows that can be scrolled to; rows beyond those that are here are loaded when they become visible. */
  readonly count: number;
  readonly at: (index: number) => Row | undefined;
  /** Loads what is missing of the visible rows. */
  readonly need: (first: number, last: number) => void;
}

/** Rows that are all here. */
export const sourceOf = <Row>(rows: readonly Row[]): RowSource<Row> => ({
  count: rows.length,
  at: (index) => rows[index],
  need: () => undefined,
});

/** Rows begin to load this far before they become visible. */
const AHEAD = 30;
/** A user who has scrolled this part of the window's height goes on after a read that failed. */
const MOVED = 0.25;
/** Places for rows that are on their way. */
const ON_THEIR_WAY = 3;

/** Rows of a list that continues behind its last row. */
export function useContinued<Row>(
  query: UseInfiniteQueryResult<InfiniteData<Rows<Row[]>>>,
): RowSource<Row> & { readonly hasAll: boolean } {
  const { data, hasNextPage, isRefetching, isFetchNextPageError: failed, fetchNextPage } = query;
  /** How far the page was scrolled at the last read. */
  const readAt = useRef(0);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const need = useCallback(
    (_first: number, last: number) => {
      // Not while the rows are read again: neither read cancels the other. A read that failed is repeated
      // when the user scrolls, and not at once: the problem that is shown above moves the rows a little.
      const isNear = last >= rows.length - AHEAD;
      const isWhereItFailed = failed && Math.abs(window.scrollY - readAt.current) < window.innerHeight * MOVED;
      if (!isNear || !hasNextPage || isRefetching || isWhereItFailed) return;
      readAt.current = window.scrollY;
      void fetchNextPage({ cancelRefetch: false });
    },
    [rows.length, hasNextPage, isRefetching, failed, fetchNextPage],
  );
  return {
    count: rows.length + (hasNextPage ? ON_THEIR_WAY : 0),
    at: (index) => rows[index],
    need,
    hasAll: !hasNextPage,
  };
}

const PAGE = 100;
/** While the user scrolls quickly, pages that were only passed are not loaded. */
const SETTLED_MS = 80;

export interface NumberedPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

export interface Numbered<Row, P> extends RowSource<Row> {
  /** Any page that is here; undefined until the first one is. */
  readonly page: P | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Rows of a list whose pages have numbers, so that the scroll bar reaches any of them at once. */
export function useNumbered<Row, P extends NumberedPage<Row>>(
  key: readonly unknown[],
  load: (offset: number, limit: number, signal: AbortSignal) => Promise<P>,
): Numbered<Row, P> {
  const [shown, setShown] = useState({ first: 0, last: 0 });
  const settle = useDebouncedCallback((first: number, last: number) => setShown({ first, last }), SETTLED_MS);
  const need = useCallback(
    (first: number, last: number) => settle(Math.floor(first / PAGE), Math.floor(last / PAGE)),
    [settle],
  );
  const numbers = Array.from({ length: shown.last - shown.first + 1 }, (_, place) => shown.first + place);
  const pages = useQueries({
    queries: numbers.map((page) => ({
      queryKey: [...key, 'page', page],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(page * PAGE, PAGE, signal),
      refetchInterval: refreshEvery(),
    })),
  });
  // While the pages of other rows load, the list keeps its length.
  const loaded = pages.find(({ data }) => data !== undefined)?.data;
  const [kept, setKept] = useState<{ key: string; page: P }>();
  const name = JSON.stringify(key);
  if (loaded !== undefined && (kept?.page !== loaded || kept.key !== name)) setKept({ key: name, page: loaded });
  const page = loaded ?? (kept?.key === name ? kept.page : undefined);
  return {
    count: page?.total ?? 0,
    page,
    at: (index) => pages[Math.floor(index / PAGE) - shown.first]?.data?.rows[index % PAGE],
    need,
    error: pages.find(({ error }) => error !== null)?.error,
    retry: () => pages.forEach((one) => void one.refetch()),
  };
}
