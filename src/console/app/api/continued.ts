import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Rows } from './client';
import { refreshEvery } from './live';
import { isLong } from './reads/long-lists';

/** Rows that one request reads. */
export const PAGE = 100;

/** A list that was scrolled far is not read again by itself. */
export const refreshUnlessLong = (query: Parameters<typeof isLong>[0]): number | false =>
  isLong(query) ? false : refreshEvery()();

/** A list that continues where its `Link` says. @param load reads `PAGE` rows from `offset` on */
export const continued = <Row>(
  queryKey: readonly unknown[],
  load: (offset: number, signal: AbortSignal) => Promise<Rows<Row[]>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next?.offset === undefined ? undefined : Number(next.offset)),
    refetchInterval: refreshUnlessLong,
  });
