import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clustersQuery, type Cluster } from '../../api/clusters';
import { Section } from '../../parts/page';
import { WINDOWS, type Window } from '../../parts/search';
import { SlurmJobStatus, slurmKey } from '../../parts/slurm';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters, Pick } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { plural } from '../../parts/units';
import { ClusterFilter } from './cluster-filter';
import { eventsQuery, type SlurmEvent } from './slurm-queries';
import { isFiltered, NO_FILTERS, type TabProps } from './slurm-search';
import styles from './slurm.module.css';

const STATUSES = [
  'FAILED',
  'OOM',
  'TIMEOUT',
  'NODE_FAIL',
  'PREEMPTED',
  'CANCELLED',
  'COMPLETED',
  'BOOT_FAIL',
  'DEADLINE',
];

/** Jobs that have ended, and how. */
export function EndedTab({ search, change }: TabProps) {
  const clusters = useQuery(clustersQuery).data;
  const query = useInfiniteQuery(eventsQuery(search));
  const source = useContinued(query);
  const loaded = query.data?.pages.flatMap(({ rows }) => rows).length;
  return (
    <Section
      title="Ended jobs"
      summary={loaded !== undefined && `${plural(loaded, 'job')}${source.hasAll ? '' : ' and more'}, newest first`}
    >
      <Filters label="Filter ended jobs">
        <Choice
          label="Time"
          all="Any time"
          words={Object.keys(WINDOWS) as Window[]}
          value={search.window}
          change={(window) => change({ window })}
        />
        <Pick label="Status" data={STATUSES} value={search.status} change={(status) => change({ status })} />
        <ClusterFilter search={search} change={change} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={10} />}
      {source.count > 0 && (
        <DataTable
          label="Ended jobs"
          columns={columnsOf(clusters)}
          source={source}
          keyOf={(event) => `${slurmKey(event)}:${event.timestamp}`}
        />
      )}
      {loaded === 0 &&
        (isFiltered(search) || search.window !== undefined ? (
          <NothingMatches what="ended jobs" clear={() => change({ ...NO_FILTERS, window: undefined })} />
        ) : (
          <NothingYet
            title="No Slurm job has ended yet"
            command={`squeue --json --states=all | curl -X POST \\
  "${window.location.origin}/v1/slurm/jobs/sync?cluster_id=$CLUSTER" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" --data-binary @-`}
          >
            The agent of a Slurm cluster reports its jobs until they end. By hand:
          </NothingYet>
        ))}
    </Section>
  );
}

const columnsOf = (clusters: readonly Cluster[] | undefined): readonly Column<SlurmEvent>[] => [
  {
    id: 'name',
    header: 'Job',
    width: 'minmax(9rem, 1.6fr)',
    cell: (event) => (
      <span>
        <Link to="/workloads" search={{ tab: 'slurm', open: slurmKey(event) }}>
          {event.name || `job ${event.job_id}`}
        </Link>{' '}
        <span className={styles.quiet}>{event.job_id}</span>
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(8rem, 1fr)',
    cell: ({ status }) => <SlurmJobStatus status={status} />,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(9rem, 1.8fr)',
    cell: ({ reason, failed_node: node }) =>
      reason === null && node === null ? (
        '–'
      ) : (
        <span className={styles.reason}>
          {[reason, node !== null && `on ${node}`].filter((part) => part).join(' ')}
        </span>
      ),
  },
  { id: 'exit', header: 'Exit code', width: '5.5rem', cell: ({ exit_code: code }) => code ?? '–' },
  { id: 'partition', header: 'Partition', width: 'minmax(6rem, 1fr)', cell: ({ partition }) => partition ?? '–' },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(6rem, 1fr)',
    cell: ({ cluster_id: id }) => clusters?.find((cluster) => cluster.id === id)?.name ?? '–',
  },
  {
    id: 'ended',
    header: 'Ended',
    width: '7rem',
    cell: ({ timestamp }) => (timestamp === 0 ? 'not reported' : <Moment at={timestamp * 1_000} />),
  },
];
