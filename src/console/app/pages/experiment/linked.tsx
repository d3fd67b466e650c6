import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import type { Experiment } from '../../api/experiments';
import { ArtifactStatus } from '../../parts/models/artifacts';
import { Facts, Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import type { Column } from '../../parts/table/data-table';
import { SmallTable } from '../../parts/table/small-table';
import { Moment } from '../../parts/time/moment';
import { count, duration, plural } from '../../parts/units';
import { linkedQuery, observationsQuery } from './experiment-queries';

type Correlation = Schemas['CorrelationView'];
type Counted = Correlation['intents'][number];
type Observation = Schemas['ObservationListItemView'];

/** More artifacts than these make no sense as a table without filters. */
const SHOWN = 50;

/** Everything that names the experiment, or happened to its profile in its time. */
export function Linked({ of }: { of: Experiment }) {
  const linked = useQuery(linkedQuery(of));
  const observations = useQuery(observationsQuery(of));
  return (
    <>
      <Section title="Why requests went where they went" summary={linked.data && usageOf(linked.data)}>
        <Loaded query={linked} lines={3}>
          {(data) => (
            <Counts
              label="Decisions"
              what="Decided by"
              rows={data.policy_decisions}
              none="No request belongs to this experiment yet."
            />
          )}
        </Loaded>
      </Section>
      {linked.data && (
        <>
          <Section
            title="Capacity"
            summary="requests for workers and phases that were entered, by how often, while it ran"
          >
            <Facts
              of={[
                ...linked.data.intents.map(({ name, count: n }) => [`Asked: ${name}`, count(n)] as const),
                ...linked.data.activations.map(({ name, count: n }) => [`Entered: ${name}`, count(n)] as const),
              ]}
            />
            {linked.data.intents.length + linked.data.activations.length === 0 && (
              <NothingYet title="No capacity was requested, and no worker changed, while the experiment ran" />
            )}
          </Section>
          <Section title="Artifacts" summary={artifactsOf(linked.data)}>
            {linked.data.artifacts.length === 0 ? (
              <NothingYet title="No artifact was made or restored while the experiment ran" />
            ) : (
              <SmallTable
                label="Artifacts"
                columns={ARTIFACTS}
                rows={linked.data.artifacts.slice(0, SHOWN)}
                keyOf={({ artifact_id: id }) => id}
              />
            )}
          </Section>
        </>
      )}
      <Section
        title="Observations"
        summary={linked.data && observationsOf(linked.data, observations.data?.rows.length)}
      >
        <Loaded query={observations} lines={3}>
          {({ rows }) =>
            rows.length === 0 ? (
              <NothingYet title="No observation names this experiment">
                Controllers and load generators record them: POST /v1/inference/observations with its experiment_id.
              </NothingYet>
            ) : (
              <SmallTable label="Observations" columns={OBSERVATIONS} rows={rows} keyOf={({ id }) => id} />
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

function usageOf({ usage }: Correlation): string {
  const avoided = Number(usage.cold_start_avoided_ms);
  return (
    `${plural(usage.requests, 'request')}, ${count(usage.successful_requests)} successful, ` +
    `${plural(usage.fallbacks, 'fallback')}` +
    `${avoided > 0 ? `; restoring avoided ${duration(avoided * 1e6)} of cold starts` : ''}`
  );
}

const artifactsOf = ({ artifacts }: Correlation): string =>
  artifacts.length > SHOWN
    ? `the first ${SHOWN} of ${plural(artifacts.length, 'artifact')}, made or restored in its time`
    : `${plural(artifacts.length, 'artifact')}, made or restored in its time`;

function observationsOf({ observations }: Correlation, shown = 0): string {
  const all = observations.reduce((sum, { count: n }) => sum + n, 0);
  const kinds = observations.map(({ name, count: n }) => `${count(n)} ${name}`).join(', ');
  return all === 0 ? 'none' : `${kinds}; the newest ${Math.min(shown, all)} are listed`;
}

const Counts = ({ label, what, rows, none }: { label: string; what: string; rows: readonly Counted[]; none: string }) =>
  rows.length === 0 ? (
    <NothingYet title={none} />
  ) : (
    <SmallTable
      label={label}
      columns={[
        { id: 'name', header: what, width: 'minmax(10rem, 2fr)', cell: ({ name }: Counted) => name },
        { id: 'count', header: 'Requests', width: '8rem', align: 'end', cell: ({ count: n }: Counted) => count(n) },
      ]}
      rows={[...rows].sort((a, b) => b.count - a.count)}
      keyOf={({ name }) => name}
    />
  );

type Artifact = Correlation['artifacts'][number];

const ARTIFACTS: readonly Column<Artifact>[] = [
  {
    id: 'id',
    header: 'Artifact',
    width: 'minmax(12rem, 2fr)',
    cell: ({ artifact_id: id }) => (
      <Link to="/artifacts/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { id: 'mode', header: 'Mode', width: '9rem', cell: ({ checkpoint_mode: mode }) => mode },
  { id: 'status', header: 'Status', width: '9rem', cell: ({ status }) => <ArtifactStatus status={status} /> },
];

const OBSERVATIONS: readonly Column<Observation>[] = [
  { id: 'type', header: 'Observation', width: 'minmax(9rem, 1.2fr)', cell: ({ event_type: type }) => type },
  {
    id: 'took',
    header: 'Took',
    width: '7rem',
    align: 'end',
    cell: ({ duration_ms: ms }) => (ms === null ? 'not reported' : duration(ms * 1e6)),
  },
  { id: 'evidence', header: 'Evidence', width: '8rem', cell: ({ evidence }) => evidence },
  { id: 'source', header: 'Source', width: 'minmax(8rem, 1fr)', cell: ({ source }) => source },
  { id: 'at', header: 'Began', width: '7rem', cell: ({ started_at: at }) => <Moment at={at} /> },
];
