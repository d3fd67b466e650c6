import type { Cluster } from '../../api/clusters';
import type { Sorting } from '../../parts/table/data-table';
import type { WorkloadsSearch } from './workloads-search';

/** What each tab gets. */
export interface TabProps {
  readonly search: WorkloadsSearch;
  readonly change: (part: Partial<WorkloadsSearch>) => void;
  /** Opens the drawer of a workload. It stays the same function. */
  readonly open: (row: string) => void;
  readonly clusters: readonly Cluster[];
}

export const sortingOf = ({ search, change }: TabProps): Sorting => ({
  by: search.sort ?? 'name',
  isAscending: search.order !== 'desc',
  change: (sort, isAscending) => change({ sort, order: isAscending ? undefined : 'desc' }),
});

export const isFiltered = ({ name, namespace, status, cluster }: WorkloadsSearch): boolean =>
  [name, namespace, status, cluster].some((value) => value !== undefined);

export const NO_FILTERS = { name: undefined, namespace: undefined, status: undefined, cluster: undefined };

export const nameOfCluster = (clusters: readonly Cluster[], id: string): string =>
  clusters.find((cluster) => cluster.id === id)?.name ?? '–';
