import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { routeStateQuery } from '../../api/model-routes';
import { problemFrom } from '../../api/problem';
import { Facts, Page, Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { duration, plural } from '../../parts/units';
import { DeleteRoute } from './delete-route';
import { Ladder } from './ladder-table';
import { outlookText, type RouteState } from './ladder';
import { newRouteCommand } from './new-route';
import { TryIt } from './try-it';

const page = getRouteApi('/routes/$model');

export function RoutePage() {
  const { model } = page.useParams();
  const state = useQuery(routeStateQuery(model));
  const isMissing = state.isError && problemFrom(state.error).isMissing;
  return (
    <Page title={model} actions={<DeleteRoute key={model} model={model} isMissing={isMissing} />}>
      {isMissing ? (
        <NoRoute model={model} />
      ) : (
        <Loaded query={state}>
          {(data) => (
            <>
              <Targets state={data} />
              <TryIt key={model} model={model} ladder={data.targets} />
              <About state={data} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

const NoRoute = ({ model }: { model: string }) => (
  <NothingYet title="This model has no route" command={newRouteCommand(window.location.origin, model)}>
    <Link to="/routes">All routes</Link>
  </NothingYet>
);

/** The targets in the order in which they are tried, and what a request would find at each. */
function Targets({ state: { targets, outlook, workers_left_out: leftOut } }: { state: RouteState }) {
  const ready = targets.filter(({ state }) => state === 'ready' || state === 'full').length;
  return (
    <Section
      title="Targets"
      summary={`${ready} of ${plural(targets.length, 'target')} ready, tried from top to bottom. ${outlookText(outlook)}${
        leftOut ? ' Only the fullest workers are listed.' : ''
      }`}
    >
      {targets.length === 0 ? (
        <NothingYet title="The route has no target">Requests for this model are refused.</NothingYet>
      ) : (
        <Ladder targets={targets} />
      )}
    </Section>
  );
}

const About = ({ state: route }: { state: RouteState }) => (
  <Section title="Route" summary={`generation ${route.generation}`}>
    <Facts
      of={[
        ['Mode', route.mode],
        ['Waits at most', route.queue_timeout_ms === 0 ? 'not at all' : duration(route.queue_timeout_ms * 1e6)],
        [
          'Classifier',
          route.classifier_profile_id && (
            <Link key="classifier" to="/profiles/$id" params={{ id: route.classifier_profile_id }}>
              {route.classifier_profile_id}
            </Link>
          ),
        ],
      ]}
    />
  </Section>
);
