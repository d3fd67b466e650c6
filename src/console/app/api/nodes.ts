import { queryOptions } from '@tanstack/react-query';
import { api, readRows, type Schemas } from './client';
import { refreshEvery } from './live';

export type Node = Schemas['NodeView'];

/** More tiles than that cannot be distinguished. */
const MOST = 1_000;

/** Nodes of clusters that report, of one or of all. */
export const nodesQuery = (cluster?: string) =>
  queryOptions({
    queryKey: ['nodes', cluster],
    queryFn: ({ signal }) =>
      readRows(api.GET('/v1/nodes', { params: { query: { limit: MOST, cluster_id: cluster } }, signal })),
    refetchInterval: refreshEvery(),
  });
