import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, read, type Schemas } from '../../../api/client';
import type { Cluster } from '../../../api/clusters';
import type { Column } from '../../../parts/table/data-table';
import { oneOf } from '../../../parts/search';
import { Status } from '../../../parts/status';
import { plural } from '../../../parts/units';
import { jobTone } from '../pod-status';
import { ResourceTab } from './resource-tab';
import { nameOfCluster, type TabProps } from '../tab';

type Job = Schemas['JobView'];

const SORTS = ['name', 'namespace', 'status', 'age', 'priority'] as const;

export function JobsTab(tab: TabProps) {
  const { search, clusters } = tab;
  const columns = useMemo(() => columnsOf(clusters), [clusters]);
  return (
    <ResourceTab
      {...tab}
      what="Jobs"
      one="job"
      columns={columns}
      load={async (offset, limit, signal) => {
        const query = {
          offset,
          limit,
          job_name: search.name,
          namespace: search.namespace,
          status: search.status,
          cluster_id: search.cluster,
          sort: oneOf(SORTS)(search.sort),
          ascending: search.order !== 'desc',
        };
        const page = await read(api.GET('/v1/jobs/paginated', { params: { query }, signal }));
        return { rows: page.jobs, total: page.total_count, filters: page.available_filters };
      }}
    />
  );
}

const columnsOf = (clusters: readonly Cluster[]): readonly Column<Job>[] => [
  { id: 'name', header: 'Name', width: 'minmax(9rem, 2fr)', sort: 'name', cell: ({ name }) => name },
  { id: 'namespace', header: 'Namespace', width: 'minmax(6rem, 1fr)', sort: 'namespace', cell: (job) => job.namespace },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(8rem, 1fr)',
    sort: 'status',
    cell: ({ status }) => <Status tone={jobTone(status)}>{status}</Status>,
  },
  { id: 'completions', header: 'Done', width: '5rem', cell: ({ completions }) => completions ?? '–' },
  {
    id: 'pods',
    header: 'Pods',
    width: '6rem',
    cell: (job) => (
      <Link to="/workloads" search={{ tab: 'pods', name: job.name, namespace: job.namespace, cluster: job.cluster_id }}>
        {plural(job.pod_count ?? job.pod_ids.length, 'pod')}
      </Link>
    ),
  },
  { id: 'duration', header: 'Duration', width: '6rem', align: 'end', cell: ({ duration }) => duration ?? '–' },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(6rem, 1fr)',
    cell: (job) => nameOfCluster(clusters, job.cluster_id),
  },
  { id: 'age', header: 'Age', width: '5rem', sort: 'age', align: 'end', cell: ({ age }) => age },
];
