import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Activation, Artifact, Intent } from '../../api/serving';
import { ArtifactStatus, isRestorable, Residency } from '../../parts/models/artifacts';
import { Facts, Section } from '../../parts/page';
import { startWord } from '../../parts/models/profile-facts';
import { IntentStatus } from '../../parts/models/profiles';
import { Loaded, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import type { Column } from '../../parts/table/data-table';
import { SmallTable } from '../../parts/table/small-table';
import { Moment } from '../../parts/time/moment';
import { bytes, plural } from '../../parts/units';
import { artifactsQuery } from './profile-queries';
import styles from './profile.module.css';

type Worker = NonNullable<Activation['workers']>[number];

export function Workers({ activation }: { activation: Activation | undefined }) {
  const workers = activation?.workers;
  return (
    <Section
      title="Workers"
      summary={workers && `${workers.filter(({ ready }) => ready).length} of ${plural(workers.length, 'worker')} ready`}
    >
      {workers !== undefined && workers.length > 0 ? (
        <SmallTable label="Workers" columns={WORKERS} rows={workers} keyOf={({ workload_uid: uid }) => uid} />
      ) : activation?.endpoint ? (
        <p className={styles.legend}>
          Its controller reports one address for all workers: <code>{activation.endpoint}</code>
        </p>
      ) : (
        <NothingYet title="No worker is reported" />
      )}
    </Section>
  );
}

const WORKERS: readonly Column<Worker>[] = [
  {
    id: 'endpoint',
    header: 'Endpoint',
    width: 'minmax(12rem, 2fr)',
    cell: ({ endpoint }) => <code>{endpoint}</code>,
  },
  {
    id: 'ready',
    header: 'State',
    width: '8rem',
    cell: ({ ready }) => <Status tone={ready ? 'good' : 'busy'}>{ready ? 'Ready' : 'Not ready'}</Status>,
  },
  {
    id: 'start',
    header: 'Start',
    width: 'minmax(8rem, 1fr)',
    cell: ({ start_kind: kind, artifact_id: artifact }) =>
      kind == null ? (
        '–'
      ) : artifact == null ? (
        startWord(kind === 'restore')
      ) : (
        <>
          {startWord(kind === 'restore')} from{' '}
          <Link to="/artifacts/$id" params={{ id: artifact }}>
            {artifact}
          </Link>
        </>
      ),
  },
  { id: 'message', header: 'Message', width: 'minmax(8rem, 1.5fr)', cell: ({ message }) => message ?? '–' },
  { id: 'uid', header: 'Workload', width: 'minmax(8rem, 1fr)', cell: ({ workload_uid: uid }) => uid },
];

/** What is wanted of it, and why. */
export const Wanted = ({ intent }: { intent: Intent | undefined }) => (
  <Section title="Wanted" summary="The latest intent. Each request replaces the one before.">
    {intent === undefined ? (
      <NothingYet title="No capacity was requested yet">
        The profile sleeps until a request for its model, or a person, wakes it.
      </NothingYet>
    ) : (
      <Facts
        of={[
          ['State', `${intent.desired_state}, ${plural(intent.desired_replicas, 'worker')}`],
          ['Status', <IntentStatus key="status" status={intent.status} />],
          ['Asked', <Moment key="asked" at={intent.requested_at} />],
          ['Deadline', intent.deadline === null ? undefined : <Moment key="deadline" at={intent.deadline} />],
          ['Reason', intent.reason ?? 'none given'],
          ['Generation', intent.generation],
        ]}
      />
    )}
  </Section>
);

/** Its checkpoints, and which of them a start could use now. */
export function Artifacts({ profileId }: { profileId: string }) {
  const artifacts = useQuery(artifactsQuery(profileId));
  const { rows = [], next } = artifacts.data ?? {};
  return (
    <Section
      title="Artifacts"
      summary={
        artifacts.data &&
        `${rows.filter(isRestorable).length} of ${next ? 'the newest ' : ''}${plural(rows.length, 'artifact')} can be restored now`
      }
    >
      <Loaded query={artifacts}>
        {() =>
          rows.length === 0 ? (
            <NothingYet title="No artifact yet">
              A checkpoint of a ready worker makes one: use “Checkpoint …” above.
            </NothingYet>
          ) : (
            <SmallTable label="Artifacts" columns={ARTIFACTS} rows={rows} keyOf={({ artifact_id: id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

const ARTIFACTS: readonly Column<Artifact>[] = [
  {
    id: 'id',
    header: 'Artifact',
    width: 'minmax(11rem, 2fr)',
    cell: ({ artifact_id: id }) => (
      <Link to="/artifacts/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { id: 'residency', header: 'Restorable?', width: '10rem', cell: (artifact) => <Residency of={artifact} /> },
  { id: 'status', header: 'Status', width: '7.5rem', cell: ({ status }) => <ArtifactStatus status={status} /> },
  { id: 'mode', header: 'Mode', width: '7rem', cell: ({ checkpoint_mode: mode }) => mode },
  { id: 'tier', header: 'Tier', width: '5rem', cell: ({ storage_tier: tier }) => tier },
  {
    id: 'size',
    header: 'Bytes',
    width: '6rem',
    align: 'end',
    cell: ({ physical_bytes: size }) => (size === null ? '–' : bytes(size)),
  },
  {
    id: 'restores',
    header: 'Restores',
    width: '5rem',
    align: 'end',
    cell: ({ observed_restores: done, observed_restore_attempts: tried }) => `${done ?? 0} of ${tried ?? 0}`,
  },
  { id: 'created', header: 'Taken', width: '7rem', cell: ({ created_at: at }) => <Moment at={at} /> },
];
