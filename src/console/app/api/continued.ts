import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Rows } from './client';
import { refreshEvery } from './live';

/** Rows that one request reads. */
export const PAGE = 100;
/** A list that was scrolled far is not read again by itself. */
const FRESH_PAGES = 2;

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
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= FRESH_PAGES ? refreshEvery()() : false),
  });
