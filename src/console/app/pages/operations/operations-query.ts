import { hashKey, infiniteQueryOptions } from '@tanstack/react-query';
import { api, readRows } from '../../api/client';
import { PAGE, refreshUnlessLong } from '../../api/continued';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';
import { WINDOWS } from '../../parts/search';
import type { OperationsSearch } from './operations-search';

const conditionsOf = (
  { result, kind, workload, cluster, namespace, name, window }: OperationsSearch,
  until: number,
) => ({
  result,
  op_type: kind,
  workload_type: workload,
  cluster_id: cluster,
  namespace,
  name,
  since: window && new Date(until - WINDOWS[window] * 1_000).toISOString(),
});

/**
 * @param until operations that began later wait until the user asks for them: rows never move while they are
 * read
 */
export const operationsQuery = (search: OperationsSearch, until: number) =>
  infiniteQueryOptions({
    queryKey: ['operations', 'list', search, until],
    queryFn: ({ pageParam: after, signal }) =>
      readRows(
        api.GET('/v1/operations', {
          params: {
            query: { ...conditionsOf(search, until), until: new Date(until).toISOString(), limit: PAGE, after },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next?.after,
    refetchInterval: refreshUnlessLong,
    // Rows of other filters would be read as those of these.
    placeholderData: (before, query) => (hashKey([query?.queryKey[2]]) === hashKey([search]) ? before : undefined),
  });

/** Operations that began since the list was opened. */
export const newerQuery = (search: OperationsSearch, since: number) => ({
  queryKey: ['operations', 'newer', search, since],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readRows(
      api.GET('/v1/operations', {
        params: { query: { ...conditionsOf(search, now()), since: new Date(since).toISOString(), limit: PAGE } },
        signal,
      }),
    ),
  refetchInterval: refreshEvery(),
});
