import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { routesQuery, routeStatusesQuery, type ModelRoute, type RouteStatus } from '../../api/model-routes';
import { Page, Section } from '../../parts/page';
import { startWord } from '../../parts/models/profile-facts';
import { ROUTE_STATES, RouteState } from '../../parts/models/routes';
import { Loaded, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Filters, NameFilter, Pick } from '../../parts/table/filters';
import { sourceOf } from '../../parts/table/row-source';
import { count, duration, plural } from '../../parts/units';
import type { RoutesSearch } from './routes-search';
import styles from './routes.module.css';

const route = getRouteApi('/routes');

const HOW = `curl -X POST ${window.location.origin}/v1/inference/routes \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"logical_model": "llama-8b", "targets": [{"profile_id": "llama-8b", "tier": "large", "priority": 1}]}'`;

const STATES = Object.keys(ROUTE_STATES);

interface Row {
  readonly status: RouteStatus;
  /** Undefined while it is loaded. */
  readonly route: ModelRoute | undefined;
}

export function RoutesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<RoutesSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const statuses = useQuery(routeStatusesQuery);
  const routes = useQuery(routesQuery);
  return (
    <Page title="Routes">
      <Section
        title="What serves each model"
        summary={statuses.data && summaryOf(statuses.data.rows, statuses.data.next !== undefined)}
      >
        <Filters label="Filter routes">
          <NameFilter label="Model" value={search.name} change={(name) => change({ name })} />
          <Pick label="State" data={STATES} value={search.state} change={(state) => change({ state })} />
        </Filters>
        {routes.isError && <Problem error={routes.error} retry={() => void routes.refetch()} />}
        <Loaded query={statuses} lines={6}>
          {({ rows }) => {
            const found = rowsOf(rows, routes.data?.rows ?? [], search);
            if (rows.length === 0)
              return (
                <NothingYet title="No model has a route yet" command={HOW}>
                  A route names the profiles that serve a model, in the order in which they are tried.
                </NothingYet>
              );
            if (found.length === 0)
              return <NothingMatches what="routes" clear={() => void navigate({ search: {} as RoutesSearch })} />;
            return (
              <DataTable
                label="Routes"
                columns={COLUMNS}
                source={sourceOf(found)}
                keyOf={({ status }) => status.logical_model}
              />
            );
          }}
        </Loaded>
      </Section>
    </Page>
  );
}

function summaryOf(rows: readonly RouteStatus[], goesOn: boolean): string {
  const counts = STATES.map((state) => [rows.filter((row) => row.state === state).length, state] as const)
    .filter(([some]) => some > 0)
    .map(([some, state]) => `${count(some)} ${state}`);
  return `${goesOn ? 'the first ' : ''}${plural(rows.length, 'model')}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}`;
}

/** Those that deserve attention first; within a state, by name. */
function rowsOf(statuses: readonly RouteStatus[], routes: readonly ModelRoute[], { name, state }: RoutesSearch) {
  const byModel = new Map(routes.map((one) => [one.logical_model, one]));
  return statuses
    .filter((status) => state === undefined || status.state === state)
    .filter(({ logical_model: model }) => name === undefined || model.toLowerCase().includes(name.toLowerCase()))
    .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || (a.logical_model < b.logical_model ? -1 : 1))
    .map((status): Row => ({ status, route: byModel.get(status.logical_model) }));
}

/** A profile, by its id. */
const ProfileLink = ({ id }: { id: string | null }) =>
  id === null || id === '' ? (
    <>–</>
  ) : (
    <Link to="/profiles/$id" params={{ id }}>
      {id}
    </Link>
  );

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'model',
    header: 'Model',
    width: 'minmax(10rem, 1.2fr)',
    cell: ({ status: { logical_model: model } }) => (
      <Link to="/routes/$model" params={{ model }} className={styles.name}>
        {model}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(10rem, 1.6fr)',
    cell: ({ status }) => (
      <div>
        <RouteState of={status} />
        {status.state !== 'serving' && <div className={styles.quiet}>{ROUTE_STATES[status.state]?.[1]}</div>}
      </div>
    ),
  },
  {
    id: 'primary',
    header: 'Primary',
    width: 'minmax(9rem, 1fr)',
    cell: ({ status: { primary_profile_id: id, primary_phase: phase } }) => (
      <div>
        <ProfileLink id={id} />
        <div className={styles.quiet}>{phase ?? 'never reported'}</div>
      </div>
    ),
  },
  {
    id: 'fallback',
    header: 'Fallback',
    width: 'minmax(9rem, 1fr)',
    cell: ({ status: { fallback_profile_id: id, fallback_ready: ready } }) =>
      id === null || id === '' ? (
        '–'
      ) : (
        <div>
          <ProfileLink id={id} />
          <div className={styles.quiet}>{ready ? 'ready' : 'not ready'}</div>
        </div>
      ),
  },
  {
    id: 'start',
    header: 'Start',
    width: '6rem',
    cell: ({ status: { start_kind: kind } }) => (kind === null ? '–' : startWord(kind === 'restore')),
  },
  {
    id: 'targets',
    header: 'Targets',
    width: '5rem',
    align: 'end',
    cell: ({ route: found }) => (found === undefined ? '–' : count(found.targets.length)),
  },
  {
    id: 'wait',
    header: 'Waits at most',
    width: '6.5rem',
    align: 'end',
    cell: ({ status: { queue_timeout_ms: ms } }) => (ms === 0 ? 'not at all' : duration(ms * 1e6)),
  },
];
