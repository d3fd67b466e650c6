import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { clustersQuery, type Cluster } from '../../../api/clusters';
import { Section } from '../../../parts/page';
import { Loading, NothingMatches, NothingYet, Problem } from '../../../parts/states';
import { Status, type Tone } from '../../../parts/status';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { Choice, Filters, Pick } from '../../../parts/table/filters';
import { useContinued } from '../../../parts/table/row-source';
import { useNow } from '../../../parts/time/clock';
import { Moment } from '../../../parts/time/moment';
import { duration, plural } from '../../../parts/units';
import { ClusterFilter } from '../cluster-filter';
import {
  slurmPoliciesQuery,
  WINDOW_STATUSES,
  windowsQuery,
  type MaintenanceWindow,
  type Policy,
} from '../slurm-queries';
import { isFiltered, NO_FILTERS, type TabProps } from '../slurm-search';
import { overlapsOf, type Overlap } from './overlaps';
import { PolicyLink } from './policy-link';
import { ChangeWindow, CreateWindow, DeleteWindow, titleOf } from './window-actions';
import styles from '../slurm.module.css';

const HOW = `scontrol show reservations --json | curl -X POST \\
  "${window.location.origin}/v1/slurm/maintenance_window/sync?cluster_id=$CLUSTER" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" --data-binary @-`;

/** Reservations of Slurm, and windows that people entered. */
export function WindowsTab({ search, change }: TabProps) {
  const clusters = useQuery(clustersQuery).data;
  const query = useInfiniteQuery(windowsQuery(search));
  const source = useContinued(query);
  const loaded = query.data?.pages.flatMap(({ rows }) => rows).length;
  const policies = useQuery(slurmPoliciesQuery);
  return (
    <Section
      title="Maintenance windows"
      summary={loaded !== undefined && summaryOf(loaded, source.hasAll, search.when === 'all')}
      aside={<CreateWindow />}
    >
      <Filters label="Filter maintenance windows">
        <Choice
          label="Which windows"
          all="Now and coming"
          words={{ all: 'Past ones too' }}
          value={search.when}
          change={(when) => change({ when })}
        />
        <Pick
          label="Status"
          data={WINDOW_STATUSES.map((status) => ({ value: status, label: STATUSES[status][1] }))}
          value={search.status}
          change={(status) => change({ status })}
        />
        <ClusterFilter search={search} change={change} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {policies.isError && <Problem error={policies.error} retry={() => void policies.refetch()} />}
      {query.isPending && <Loading lines={8} />}
      {source.count > 0 && (
        <DataTable
          label="Maintenance windows"
          columns={columnsOf(clusters, policies.data)}
          source={source}
          keyOf={({ id }) => id ?? ''}
        />
      )}
      {loaded === 0 &&
        (isFiltered(search) ? (
          <NothingMatches what="maintenance windows" clear={() => change(NO_FILTERS)} />
        ) : (
          <NothingYet
            title={
              search.when === 'all' ? 'There is no maintenance window yet' : 'No maintenance window is open or coming'
            }
            command={HOW}
          >
            The agent of a Slurm cluster reports its reservations. Create a window above, or report reservations by
            hand:
          </NothingYet>
        ))}
    </Section>
  );
}

const summaryOf = (loaded: number, hasAll: boolean, isAll: boolean): string =>
  `${plural(loaded, 'window')}${hasAll ? '' : ' and more'}, ${isAll ? 'the latest start first' : 'the earliest start first'}`;

const STATUSES: Readonly<Record<NonNullable<MaintenanceWindow['status']>, readonly [tone: Tone, word: string]>> = {
  scheduled: ['quiet', 'Scheduled'],
  active: ['busy', 'Active'],
  completed: ['quiet', 'Over'],
  cancelled: ['warn', 'Cancelled'],
  ended: ['quiet', 'Ended'],
};

const NS_PER_MS = 1e6;
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;
/** From here on, hours are not counted. */
const DAYS_FROM_HOURS = 48;

interface PolicyPage {
  readonly policies: readonly Policy[];
  readonly total_count: number;
}

const columnsOf = (
  clusters: readonly Cluster[] | undefined,
  policies: PolicyPage | undefined,
): readonly Column<MaintenanceWindow>[] => [
  {
    id: 'reason',
    header: 'Window',
    width: 'minmax(9rem, 1.5fr)',
    cell: (window) => (
      <div className={styles.stack}>
        <span>{titleOf(window)}</span>
        {window.name !== null && window.reason !== null && <span className={styles.quiet}>{window.reason}</span>}
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '7.5rem',
    cell: ({ status }) => status && <Status tone={STATUSES[status][0]}>{STATUSES[status][1]}</Status>,
  },
  {
    id: 'start',
    header: 'Begins',
    width: 'minmax(8rem, 1fr)',
    cell: ({ start_time: start, end_time: end }) =>
      start === null ? (
        '–'
      ) : (
        <div className={styles.stack}>
          <Moment at={start} />
          <span className={styles.quiet}>
            <Distance to={Date.parse(start)} />
            {end !== null && `for ${duration((Date.parse(end) - Date.parse(start)) * NS_PER_MS)}`}
          </span>
        </div>
      ),
  },
  {
    id: 'where',
    header: 'Where',
    width: 'minmax(8rem, 1.2fr)',
    cell: (window) => (
      <div className={styles.stack}>
        <span>{placesOf(window)}</span>
        <span className={styles.quiet}>
          {window.cluster_id === null
            ? 'entered by hand'
            : (clusters?.find(({ id }) => id === window.cluster_id)?.name ?? '–')}
        </span>
      </div>
    ),
  },
  {
    id: 'policies',
    header: 'Policies',
    width: 'minmax(9rem, 1.5fr)',
    cell: (window) => policies && <Overlaps of={overlapsOf(window, policies.policies)} all={policies} />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '12.5rem',
    cell: (window) => (
      <div className={styles.actions}>
        <ChangeWindow of={window} />
        <DeleteWindow of={window} />
      </div>
    ),
  },
];

/** A coming time, as its distance from now. */
function Distance({ to }: { to: number }) {
  const minutes = Math.ceil((to - useNow()) / MS_PER_MINUTE);
  if (minutes <= 0) return null;
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  if (hours < DAYS_FROM_HOURS) return `in ${hours > 0 ? `${hours} h ` : ''}${minutes % MINUTES_PER_HOUR} min, `;
  return `in ${Math.floor(hours / HOURS_PER_DAY)} days, `;
}

/** More names are only counted. */
const NAMED = 3;

const named = (names: readonly string[], one: string): string =>
  names.length <= NAMED ? names.join(', ') : plural(names.length, one);

function placesOf({ nodes, partitions }: MaintenanceWindow): string {
  const places = [
    partitions && partitions.length > 0 && `partition ${named(partitions, 'partition')}`,
    nodes && nodes.length > 0 && named(nodes, 'node'),
  ].filter((part) => part);
  return places.length === 0 ? 'no particular nodes' : places.join(', ');
}

function Overlaps({ of, all }: { of: readonly Overlap[]; all: PolicyPage }) {
  const unread = all.total_count - all.policies.length;
  return (
    <div className={styles.stack}>
      {of.length === 0 && <span className={styles.quiet}>none</span>}
      {of.slice(0, NAMED).map(({ id, name, does, isLate }) => (
        <span key={id}>
          <PolicyLink id={id} name={name} /> <span className={isLate ? styles.gap : styles.quiet}>{does}</span>
        </span>
      ))}
      {of.length > NAMED && <span className={styles.quiet}>and {of.length - NAMED} more</span>}
      {unread > 0 && <span className={styles.quiet}>{plural(unread, 'policy', 'policies')} not compared</span>}
    </div>
  );
}
