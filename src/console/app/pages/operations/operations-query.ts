import { hashKey, infiniteQueryOptions } from '@tanstack/react-query';
import { api, readRows } from '../../api/client';
import { PAGE, refreshUnlessLong } from '../../api/continued';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';
import { WINDOWS } from '../../parts/search';
import type { OperationsSearch } from './operations-search';
import { farthestAt, type Span } from './span';

const timeOf = (at: number): string => new Date(at).toISOString();

const conditionsOf = ({ result, kind, workload, cluster, namespace, name }: OperationsSearch) => ({
  result,
  op_type: kind,
  workload_type: workload,
  cluster_id: cluster,
  namespace,
  name,
});

export const operationsQuery = (search: OperationsSearch, { opened, until }: Span) =>
  infiniteQueryOptions({
    queryKey: ['operations', 'list', search, opened, until],
    queryFn: ({ pageParam: after, signal }) =>
      readRows(
        api.GET('/v1/operations', {
          params: {
            query: {
              ...conditionsOf(search),
              since: search.window && timeOf(opened - WINDOWS[search.window] * 1_000),
              until: timeOf(until),
              limit: PAGE,
              after,
            },
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

/** Operations that began after those that are listed. */
export const newerQuery = (search: OperationsSearch, { until: since }: Span) => ({
  queryKey: ['operations', 'newer', search, since],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readRows(
      api.GET('/v1/operations', {
        params: {
          query: { ...conditionsOf(search), since: timeOf(since), until: timeOf(farthestAt(now())), limit: PAGE },
        },
        signal,
      }),
    ),
  refetchInterval: refreshEvery(),
});
