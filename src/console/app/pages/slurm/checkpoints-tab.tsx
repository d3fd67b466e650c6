import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { clustersQuery, type Cluster } from '../../api/clusters';
import { Section } from '../../parts/page';
import { SlurmCheckpointStatus, slurmKey, wordOfCheckpoint } from '../../parts/slurm';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Filters, NameFilter, Pick } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { plural } from '../../parts/units';
import { ClusterFilter } from './cluster-filter';
import { CHECKPOINT_STATUSES, checkpointsQuery, type SlurmCheckpoint } from './slurm-queries';
import { CHECKPOINTS, deprecate } from './slurm-changes';
import { isFiltered, NO_FILTERS, type TabProps } from './slurm-search';
import styles from './slurm.module.css';

const HOW = `curl -X POST ${window.location.origin}/v1/slurm/checkpoint/job \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"cluster_id": "$CLUSTER", "job_id": "4711", "reason": "manual"}'`;

/** Checkpoints of Slurm jobs, newest first. */
export function CheckpointsTab({ search, change }: TabProps) {
  const clusters = useQuery(clustersQuery).data;
  const query = useInfiniteQuery(checkpointsQuery(search));
  const source = useContinued(query);
  const loaded = query.data?.pages.flatMap(({ rows }) => rows).length;
  return (
    <Section
      title="Checkpoints of Slurm jobs"
      summary={
        loaded !== undefined && `${plural(loaded, 'checkpoint')}${source.hasAll ? '' : ' and more'}, newest first`
      }
    >
      <Filters label="Filter checkpoints">
        <NameFilter label="Name" value={search.name} change={(name) => change({ name })} />
        <Pick
          label="Status"
          data={CHECKPOINT_STATUSES.map((status) => ({ value: status, label: wordOfCheckpoint(status) }))}
          value={search.status}
          change={(status) => change({ status })}
        />
        <ClusterFilter search={search} change={change} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={10} />}
      {source.count > 0 && (
        <DataTable
          label="Checkpoints of Slurm jobs"
          columns={columnsOf(clusters)}
          source={source}
          keyOf={({ id }) => id}
        />
      )}
      {loaded === 0 &&
        (isFiltered(search) ? (
          <NothingMatches what="checkpoints" clear={() => change(NO_FILTERS)} />
        ) : (
          <NothingYet title="No Slurm job was checkpointed yet" command={HOW}>
            Choose a running job under{' '}
            <Link to="/workloads" search={{ tab: 'slurm' }}>
              Slurm jobs
            </Link>
            , or request a checkpoint by hand:
          </NothingYet>
        ))}
    </Section>
  );
}

const nameOf = ({ name, job_id: job, id }: SlurmCheckpoint): string => name ?? (job === null ? id : `job ${job}`);

const columnsOf = (clusters: readonly Cluster[] | undefined): readonly Column<SlurmCheckpoint>[] => [
  {
    id: 'name',
    header: 'Checkpoint',
    width: 'minmax(10rem, 1.8fr)',
    cell: (checkpoint) => (
      <Link to="/operations/$id" params={{ id: checkpoint.id }}>
        {nameOf(checkpoint)}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(9rem, 1fr)',
    cell: ({ status }) => <SlurmCheckpointStatus status={status} />,
  },
  {
    id: 'job',
    header: 'Job',
    width: '6rem',
    cell: ({ job_id: job, cluster_id: cluster }) =>
      job === null || cluster === null ? (
        'none'
      ) : (
        <Link to="/workloads" search={{ tab: 'slurm', open: slurmKey({ job_id: job, cluster_id: cluster }) }}>
          {job}
        </Link>
      ),
  },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(6rem, 1fr)',
    cell: ({ cluster_id: id }) => clusters?.find((cluster) => cluster.id === id)?.name ?? '–',
  },
  { id: 'gpu', header: 'GPU', width: 'minmax(5rem, 1fr)', cell: ({ gpu }) => gpu || '–' },
  { id: 'created', header: 'Requested', width: '7rem', cell: ({ created_at: at }) => <Moment at={at} /> },
  { id: 'deprecate', header: 'Action', width: '8.5rem', cell: (checkpoint) => <Deprecate of={checkpoint} /> },
];

const Gone = ({ of: { bytes_removed_at: at } }: { of: SlurmCheckpoint }) => (
  <span className={styles.quiet}>
    {/* An older replica does not say it. */}
    {at ? (
      <>
        removed <Moment at={at} />
      </>
    ) : (
      'deprecated'
    )}
  </span>
);

const Deprecate = ({ of }: { of: SlurmCheckpoint }) => (
  <ActionDialog
    operation="deprecate_slurm_checkpoint"
    verb="Deprecate"
    changes={CHECKPOINTS}
    title={`Deprecate ${nameOf(of)}`}
    instead={of.status === 'deprecated' && <Gone of={of} />}
  >
    <Plan
      act={() => deprecate(of.id)}
      outcome={(_, close) => (
        <Done word="Deprecated" close={close}>
          <p>No job is restored from it any more. It stays in lists and reports.</p>
        </Done>
      )}
    >
      <p>
        From then on, no job is restored from this checkpoint, and nobody can undo it. It stays in lists and reports.
      </p>
      {of.status !== 'ready' && of.status !== 'deprecated' && (
        <p>It is not ready yet, so the attempt counts as failed, and what its node still reports of it is refused.</p>
      )}
    </Plan>
  </ActionDialog>
);
