import { queryOptions } from '@tanstack/react-query';
import { api, readRows, type Rows, type Schemas } from './client';
import { continued } from './continued';
import { refreshEvery } from './live';

export type Node = Schemas['NodeView'];
export type NodeCount = Schemas['NodesSummaryView'];
export type NodeMeasure = 'status' | 'compute_type' | 'capacity_type';

/** More tiles than that cannot be distinguished. */
const MOST = 1_000;

/** The first nodes, by name, of all clusters that report. */
export const nodesQuery = queryOptions({
  queryKey: ['nodes', 'first'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/nodes', { params: { query: { limit: MOST } }, signal })),
  refetchInterval: refreshEvery(),
});

/** All words for a node that is not ready. */
const TROUBLED = 'NotReady,Unknown';

/** Nodes of a cluster, by name; its first page has as many as tiles can be distinguished. */
export const nodesOfQuery = (cluster: string, which?: 'troubled') =>
  continued(['nodes', 'of', cluster, which], (offset, signal) => {
    const query = { cluster_id: cluster, limit: MOST, offset, ...(which && { status: TROUBLED }) };
    return readRows(api.GET('/v1/nodes', { params: { query }, signal }));
  });

/** How many nodes each cluster has of each value: of one cluster, or of all. */
export const nodeCountsQuery = (by: NodeMeasure, cluster?: string) =>
  queryOptions({
    queryKey: ['nodes', 'counts', by, cluster],
    queryFn: async ({ signal }) => {
      const counts: NodeCount[] = [];
      let page: Rows<NodeCount[]>;
      do {
        const query = { by, cluster_id: cluster, limit: MOST, offset: counts.length };
        page = await readRows(api.GET('/v1/nodes/summary', { params: { query }, signal }));
        counts.push(...page.rows);
      } while (page.next !== undefined);
      return counts;
    },
    refetchInterval: refreshEvery(),
  });
