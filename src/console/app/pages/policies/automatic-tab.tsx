import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../parts/page';
import { Loaded, NothingMatches, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters } from '../../parts/table/filters';
import { sourceOf } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { plural } from '../../parts/units';
import { automaticQuery, type Automatic } from './policies-queries';
import type { PoliciesSearch } from './policies-search';
import { STATUS_TONES } from './policy-words';
import styles from './policies.module.css';

/** The most that the service lists. */
const MOST = 1_000;

interface AutomaticTabProps {
  readonly search: PoliciesSearch;
  readonly change: (part: Partial<PoliciesSearch>) => void;
}

/** Pods and jobs that name the checkpoint from which they want to be restored. */
export function AutomaticTab({ search, change }: AutomaticTabProps) {
  const automatic = useQuery(automaticQuery(search));
  const isFiltered = search.status !== undefined || search.resource !== undefined;
  return (
    <Section
      title="Automatic restores"
      summary={
        automatic.data &&
        `${automatic.data.length === MOST ? 'the newest ' : ''}${plural(automatic.data.length, 'pod or job', 'pods and jobs')} that name a checkpoint in SVC_CHECKPOINT`
      }
    >
      <Filters label="Filter automatic restores">
        <Choice
          label="Status"
          all="All"
          words={{ active: 'Active', completed: 'Completed', disabled: 'Failed or removed' }}
          value={search.status === 'paused' ? undefined : search.status}
          change={(status) => change({ status })}
        />
        <Choice
          label="Kind"
          all="Pods and jobs"
          words={{ pods: 'Pods', jobs: 'Jobs' }}
          value={search.resource === 'pods' || search.resource === 'jobs' ? search.resource : undefined}
          change={(resource) => change({ resource })}
        />
      </Filters>
      <Loaded query={automatic} lines={6}>
        {(rows) =>
          rows.length > 0 ? (
            <DataTable label="Automatic restores" columns={COLUMNS} source={sourceOf(rows)} keyOf={({ id }) => id} />
          ) : isFiltered ? (
            <NothingMatches
              what="automatic restores"
              clear={() => change({ status: undefined, resource: undefined })}
            />
          ) : (
            <NothingYet title="No pod or job asks to be restored" command={HOW}>
              The variable SVC_CHECKPOINT of a container names a checkpoint: the workload starts from the newest one of
              this name. Add it to a deployment:
            </NothingYet>
          )
        }
      </Loaded>
    </Section>
  );
}

const HOW = 'kubectl set env deployment/<name> SVC_CHECKPOINT=<name of the checkpoint>';

/** The id of the pod or job is the end of the id. */
const rowOf = (id: string): string => id.slice(id.length - 36);

const COLUMNS: readonly Column<Automatic>[] = [
  {
    id: 'name',
    header: 'Workload',
    width: 'minmax(10rem, 2fr)',
    cell: ({ id, name, resource_type: type }) => (
      <Link to="/workloads" search={type === 'pod' ? { open: rowOf(id) } : { tab: 'jobs', name }}>
        {name}
      </Link>
    ),
  },
  { id: 'kind', header: 'Kind', width: '4rem', cell: ({ resource_type: type }) => type },
  { id: 'namespace', header: 'Namespace', width: 'minmax(6rem, 1fr)', cell: ({ namespace }) => namespace },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(8rem, 1.2fr)',
    cell: ({ policy_status: status, status: reported }) => (
      <div>
        <Status tone={STATUS_TONES[status] ?? 'quiet'}>{status}</Status>
        <div className={styles.quiet}>reported: {reported}</div>
      </div>
    ),
  },
  { id: 'checkpoint', header: 'Checkpoint', width: 'minmax(8rem, 1.4fr)', cell: ({ checkpoint_id: name }) => name },
  { id: 'pods', header: 'Pods', width: '4rem', align: 'end', cell: ({ pod_count: pods }) => pods },
  {
    id: 'created',
    header: 'Created',
    width: '7rem',
    cell: ({ created_at: at }) => (at === null ? '–' : <Moment at={at} />),
  },
];
