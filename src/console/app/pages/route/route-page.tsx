import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { routesQuery, routeStatusesQuery, type ModelRoute, type RouteStatus } from '../../api/model-routes';
import { activationsQuery, intentsQuery, profilesQuery } from '../../api/serving';
import { Facts, Page, Section } from '../../parts/page';
import { staffingText } from '../../parts/models/profile-facts';
import { ROUTE_STATES, RouteState } from '../../parts/models/routes';
import { Loaded, NothingYet, Problem } from '../../parts/states';
import { Status } from '../../parts/status';
import type { Column } from '../../parts/table/data-table';
import { SmallTable } from '../../parts/table/small-table';
import { count, duration, plural } from '../../parts/units';
import { ladderOf, RUNG_TONES, type Rung } from './ladder';
import { TryIt } from './try-it';
import styles from './route.module.css';

const page = getRouteApi('/routes/$model');

export function RoutePage() {
  const { model } = page.useParams();
  const routes = useQuery(routesQuery);
  const statuses = useQuery(routeStatusesQuery);
  const [profiles, activations, intents] = [
    useQuery(profilesQuery),
    useQuery(activationsQuery),
    useQuery(intentsQuery),
  ];
  const isOf = ({ logical_model: one }: { logical_model: string }) => one === model;
  const status = statuses.data?.rows.find(isOf);
  const failed = [statuses, profiles, activations, intents].find(({ isError }) => isError);
  return (
    <Page title={model} beside={status && <RouteState of={status} />}>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      <Loaded query={routes}>
        {({ rows, next }) => {
          const route = rows.find(isOf);
          if (route === undefined) return <NoRoute model={model} goesOn={next !== undefined} />;
          const ladder = ladderOf(route, {
            profiles: profiles.data?.rows ?? [],
            activations: activations.data?.rows ?? [],
            intents: intents.data?.rows ?? [],
          });
          return (
            <>
              <Ladder ladder={ladder} status={status} />
              <TryIt key={model} model={model} ladder={ladder} profiles={profiles.data?.rows ?? []} />
              <About route={route} status={status} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

const NoRoute = ({ model, goesOn }: { model: string; goesOn: boolean }) => (
  <NothingYet
    title={goesOn ? 'This model is not among the first 1,000 routes' : 'This model has no route'}
    command={`curl -X POST ${window.location.origin}/v1/inference/routes \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ logical_model: model, targets: [{ profile_id: '<id of a profile>', tier: 'large', priority: 1 }] })}'`}
  >
    <Link to="/routes">All routes</Link>
  </NothingYet>
);

/** The targets in the order in which they are tried, and what a request would find at each. */
function Ladder({ ladder, status }: { ladder: readonly Rung[]; status: RouteStatus | undefined }) {
  const ready = ladder.filter(({ state }) => state === 'ready').length;
  return (
    <Section
      title="Targets"
      summary={`${ready} of ${plural(ladder.length, 'target')} ready, tried from top to bottom. ${
        status ? (ROUTE_STATES[status.state]?.[1] ?? '') : ''
      }`}
    >
      {ladder.length === 0 ? (
        <NothingYet title="The route has no target">Requests for this model are refused.</NothingYet>
      ) : (
        <SmallTable label="Targets" columns={COLUMNS} rows={ladder} keyOf={({ profileId }) => profileId} />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Rung>[] = [
  {
    id: 'profile',
    header: 'Profile',
    width: 'minmax(10rem, 1.2fr)',
    cell: ({ profileId: id, tier }) => (
      <div>
        <Link to="/profiles/$id" params={{ id }}>
          {id}
        </Link>
        <div className={styles.quiet}>{tier}</div>
      </div>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(12rem, 2fr)',
    cell: ({ state, because }) => (
      <div>
        <Status tone={RUNG_TONES[state]}>{state}</Status>
        <div className={styles.quiet}>{because}</div>
      </div>
    ),
  },
  {
    id: 'workers',
    header: 'Ready of wanted',
    width: '7rem',
    align: 'end',
    cell: ({ staffing }) => staffingText(staffing),
  },
  {
    id: 'places',
    header: 'Requests at a time',
    width: 'minmax(8rem, 1fr)',
    align: 'end',
    cell: ({ places, concurrency }) => (
      <div>
        {places === undefined ? 'not known' : count(places)}
        {concurrency !== undefined && <div className={styles.quiet}>{count(concurrency)} a worker</div>}
      </div>
    ),
  },
  { id: 'priority', header: 'Priority', width: '4.5rem', align: 'end', cell: ({ priority }) => priority },
];

const About = ({ route, status }: { route: ModelRoute; status: RouteStatus | undefined }) => (
  <Section title="Route" summary={`generation ${route.generation}`}>
    <Facts
      of={[
        ['Mode', route.mode],
        ['Waits at most', route.queue_timeout_ms === 0 ? 'not at all' : duration(route.queue_timeout_ms * 1e6)],
        ['Serves now', status?.endpoint],
        [
          'Classifier',
          route.classifier_profile_id && (
            <Link key="classifier" to="/profiles/$id" params={{ id: route.classifier_profile_id }}>
              {route.classifier_profile_id}
            </Link>
          ),
        ],
        ['Started from', status?.restore_checkpoint_path],
        ['Never chosen', status?.unchosen_targets.map(({ profile_id: id, reason }) => `${id}: ${reason}`).join(', ')],
      ]}
    />
  </Section>
);
