import { useMemo } from 'react';
import { api, read, type Schemas } from '../../../api/client';
import type { Cluster } from '../../../api/clusters';
import type { Column } from '../../../parts/table/data-table';
import { OpenLink } from '../../../parts/table/open-link';
import { oneOf } from '../../../parts/search';
import { Status } from '../../../parts/status';
import { podTone } from '../pod-status';
import { ResourceTab } from './resource-tab';
import { nameOfCluster, type TabProps } from '../tab';

type Pod = Schemas['PodView'];

const SORTS = ['name', 'namespace', 'status', 'age', 'node', 'ready', 'restarts'] as const;

export function PodsTab(tab: TabProps) {
  const { search, clusters, open } = tab;
  const columns = useMemo(() => columnsOf(clusters, open), [clusters, open]);
  return (
    <ResourceTab
      {...tab}
      what="Pods"
      one="pod"
      columns={columns}
      load={async (offset, limit, signal) => {
        const query = {
          offset,
          limit,
          pod_name: search.name,
          namespace: search.namespace,
          status: search.status,
          cluster_id: search.cluster,
          sort: oneOf(SORTS)(search.sort),
          ascending: search.order !== 'desc',
        };
        const page = await read(api.GET('/v1/pods/paginated', { params: { query }, signal }));
        return { rows: page.pods, total: page.total_count, filters: page.available_filters };
      }}
    />
  );
}

const columnsOf = (clusters: readonly Cluster[], open: TabProps['open']): readonly Column<Pod>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 2fr)',
    sort: 'name',
    cell: ({ id, name }) => (
      <OpenLink row={id} open={open}>
        {name}
      </OpenLink>
    ),
  },
  { id: 'namespace', header: 'Namespace', width: 'minmax(6rem, 1fr)', sort: 'namespace', cell: (pod) => pod.namespace },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(10.75rem, 1.2fr)',
    sort: 'status',
    cell: (pod) => <Status tone={podTone(pod)}>{pod.reason ?? pod.status}</Status>,
  },
  { id: 'ready', header: 'Ready', width: '4.5rem', sort: 'ready', cell: ({ ready }) => ready },
  { id: 'restarts', header: 'Restarts', width: '5rem', sort: 'restarts', align: 'end', cell: (pod) => pod.restarts },
  { id: 'node', header: 'Node', width: 'minmax(6rem, 1fr)', sort: 'node', cell: ({ node }) => node || '–' },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(6rem, 1fr)',
    cell: (pod) => nameOfCluster(clusters, pod.cluster_id),
  },
  { id: 'age', header: 'Age', width: '5rem', sort: 'age', align: 'end', cell: ({ age }) => age },
];
