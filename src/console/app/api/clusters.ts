import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schemas } from './client';
import { refreshEvery } from './live';

export type Cluster = Schemas['ClusterView'];

/** All clusters: an organisation has few, and most pages name them. */
export const clustersQuery = queryOptions({
  queryKey: ['clusters'],
  queryFn: ({ signal }) => read(api.GET('/v1/cluster', { signal })),
  refetchInterval: refreshEvery(),
});
