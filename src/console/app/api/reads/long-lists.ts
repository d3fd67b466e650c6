import type { InfiniteData } from '@tanstack/react-query';

/** Pages of a list that are read again by themselves. Whoever has scrolled further reads. */
const FRESH_PAGES = 2;

interface OfQuery {
  readonly state: { readonly data: unknown };
}

/** Whether a query is a list that was scrolled far: reading it again takes a request for each page. */
export const isLong = ({ state }: OfQuery): boolean =>
  ((state.data as Partial<InfiniteData<unknown>> | null | undefined)?.pageParams?.length ?? 0) > FRESH_PAGES;
