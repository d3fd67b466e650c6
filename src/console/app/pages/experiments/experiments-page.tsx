import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { StartExperiment } from '../../actions/experiments/start-experiment';
import { experimentsQuery, type ListedExperiment } from '../../api/experiments';
import { profilesQuery } from '../../api/serving';
import { ExperimentState } from '../../parts/models/experiments';
import { Page, Section } from '../../parts/page';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter, Pick } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { useNow } from '../../parts/time/clock';
import { Moment } from '../../parts/time/moment';
import { count, duration, plural } from '../../parts/units';
import { STATUSES, type ExperimentsSearch } from './experiments-search';
import styles from './experiments.module.css';

const route = getRouteApi('/experiments');

const HOW = `curl -X POST ${window.location.origin}/v1/inference/experiments \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "evening peak", "scenario": "50 clients, 2,000 tokens each", "profile_id": "llama-8b"}'`;

export function ExperimentsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<ExperimentsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const clear = () => void navigate({ search: {} });
  const query = useInfiniteQuery(experimentsQuery(search));
  const source = useContinued(query);
  const profiles = useQuery(profilesQuery).data?.rows ?? [];
  const rows = query.data?.pages.flatMap((page) => page.rows);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page title="Experiments" actions={<StartExperiment profile={search.profile} />}>
      <Section title="Load tests" summary={rows && summaryOf(rows, source.hasAll)}>
        <Filters label="Filter experiments">
          <Choice
            label="State"
            all="All"
            words={STATUSES}
            value={search.status}
            change={(status) => change({ status })}
          />
          <Pick
            label="Profile"
            data={profiles.map(({ profile_id: id }) => id)}
            value={search.profile}
            change={(profile) => change({ profile })}
          />
          <NameFilter label="Name" value={search.name} change={(name) => change({ name })} />
        </Filters>
        {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {rows === undefined ? (
          !query.isError && <Loading lines={6} />
        ) : rows.length > 0 ? (
          <DataTable label="Experiments" columns={COLUMNS} source={source} keyOf={({ id }) => id} />
        ) : isFiltered ? (
          <NothingMatches what="experiments" clear={clear} />
        ) : (
          <NothingYet title="No experiment was started yet" command={HOW}>
            An experiment marks the requests of a load test, so that reports can show their costs and times alone. Start
            one above, or:
          </NothingYet>
        )}
      </Section>
    </Page>
  );
}

function summaryOf(rows: readonly ListedExperiment[], hasAll: boolean): string {
  const running = rows.filter(({ status }) => status === 'running').length;
  return `${hasAll ? '' : 'more than '}${plural(rows.length, 'experiment')}, ${running} running, newest first`;
}

/** From its start to its end, or until now. */
function Ran({ of }: { of: ListedExperiment }) {
  const now = useNow();
  const until = of.completed_at === null ? now : Date.parse(of.completed_at);
  return <>{duration(Math.max(0, until - Date.parse(of.started_at)) * 1e6)}</>;
}

const COLUMNS: readonly Column<ListedExperiment>[] = [
  {
    id: 'name',
    header: 'Experiment',
    width: 'minmax(12rem, 2fr)',
    cell: ({ id, name, scenario }) => (
      <div>
        <Link to="/experiments/$id" params={{ id }} className={styles.name}>
          {name}
        </Link>
        <div className={styles.quiet}>{scenario}</div>
      </div>
    ),
  },
  { id: 'state', header: 'State', width: '8rem', cell: ({ status }) => <ExperimentState status={status} /> },
  {
    id: 'profile',
    header: 'Profile',
    width: 'minmax(9rem, 1fr)',
    cell: ({ profile_id: profile }) =>
      profile === null ? (
        <span className={styles.quiet}>named requests only</span>
      ) : (
        <Link to="/profiles/$id" params={{ id: profile }}>
          {profile}
        </Link>
      ),
  },
  {
    id: 'observations',
    header: 'Observations',
    width: '7rem',
    align: 'end',
    cell: ({ id, observations }) => (
      <Link to="/experiments/$id" params={{ id }} search={{ tab: 'linked' }}>
        {count(observations)}
      </Link>
    ),
  },
  { id: 'started', header: 'Started', width: '7rem', cell: ({ started_at: at }) => <Moment at={at} /> },
  { id: 'ran', header: 'Ran for', width: '8rem', align: 'end', cell: (experiment) => <Ran of={experiment} /> },
];
