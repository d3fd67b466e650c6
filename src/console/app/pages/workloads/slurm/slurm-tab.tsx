import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Cluster } from '../../../api/clusters';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { OpenLink } from '../../../parts/table/open-link';
import { Moment } from '../../../parts/time/moment';
import { Section } from '../../../parts/page';
import { useContinued } from '../../../parts/table/row-source';
import { Loading, NothingMatches, NothingYet, Problem } from '../../../parts/states';
import { SlurmJobStatus, slurmKey } from '../../../parts/slurm';
import { plural } from '../../../parts/units';
import { slurmJobsQuery, type SlurmJob } from './slurm-query';
import { nameOfCluster, NO_FILTERS, type TabProps } from '../tab';
import { WorkloadFilters } from '../workload-filters';

export function SlurmTab(tab: TabProps) {
  const { search, change, clusters, open } = tab;
  const columns = useMemo(() => columnsOf(clusters, open), [clusters, open]);
  const query = useInfiniteQuery(slurmJobsQuery(search.cluster));
  const source = useContinued(query);
  const loaded = query.data?.pages.flatMap(({ rows }) => rows).length;
  return (
    <Section
      title="Slurm jobs"
      summary={loaded !== undefined && `${plural(loaded, 'job')}${source.hasAll ? '' : ' and more'}`}
    >
      <WorkloadFilters {...tab} what="Slurm jobs" kind="slurm" namespaces={[]} statuses={[]} />
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={10} />}
      {source.count > 0 && (
        <DataTable label="Slurm jobs" columns={columns} source={source} keyOf={slurmKey} current={search.open} />
      )}
      {loaded === 0 &&
        (search.cluster === undefined ? (
          <NothingYet title="No Slurm job was reported yet">
            The agent of a Slurm cluster reports its jobs. They appear with its next sync.
          </NothingYet>
        ) : (
          <NothingMatches what="Slurm jobs" clear={() => change(NO_FILTERS)} />
        ))}
    </Section>
  );
}

const columnsOf = (clusters: readonly Cluster[], open: TabProps['open']): readonly Column<SlurmJob>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 2fr)',
    cell: (job) => (
      <OpenLink row={slurmKey(job)} open={open}>
        {job.name || `job ${job.job_id}`}
      </OpenLink>
    ),
  },
  { id: 'number', header: 'Job', width: '5rem', cell: ({ job_id: id }) => id },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(8rem, 1.2fr)',
    cell: ({ status }) => <SlurmJobStatus status={status} />,
  },
  { id: 'partition', header: 'Partition', width: 'minmax(6rem, 1fr)', cell: ({ partition }) => partition ?? '–' },
  { id: 'nodes', header: 'Nodes', width: 'minmax(6rem, 1fr)', cell: ({ nodes }) => nodes || '–' },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(6rem, 1fr)',
    cell: (job) => nameOfCluster(clusters, job.cluster_id),
  },
  {
    id: 'started',
    header: 'Started',
    width: '7rem',
    cell: ({ start_time: at }) => (at > 0 ? <Moment at={at * 1_000} /> : 'waits'),
  },
];
