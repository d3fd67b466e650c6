import { NumberInput, Switch } from '@mantine/core';
import { useState } from 'react';
import type { Intent, Profile, Starts } from '../api/serving';
import { FEWEST } from '../charts/distribution';
import { duration } from '../parts/units';
import { ActionDialog, Plan } from './action-dialog';
import { askProfileCheckpoint, askRestart, askState } from './serving-api';
import { showIntent, showRequest } from './profile-outcome';

interface ProfileActionsProps {
  readonly profile: Profile;
  readonly intent: Intent | undefined;
  readonly starts: Starts | undefined;
  /** Whether a worker takes requests; undefined: not known. */
  readonly isReady: boolean | undefined;
  /** Artifacts that a start could use now; undefined: not known. */
  readonly restorable: number | undefined;
}

export const ProfileActions = (props: ProfileActionsProps) => (
  <>
    <Wake {...props} />
    <Suspend {...props} />
    <Checkpoint {...props} />
    <Restart {...props} />
  </>
);

function Wake({ profile, starts, restorable }: ProfileActionsProps) {
  return (
    <ActionDialog operation="set_profile_state" verb="Wake" title={`Wake ${profile.profile_id}`}>
      <WakeForm profile={profile} starts={starts} restorable={restorable} />
    </ActionDialog>
  );
}

function WakeForm({ profile, starts, restorable }: Pick<ProfileActionsProps, 'profile' | 'starts' | 'restorable'>) {
  const [replicas, setReplicas] = useState(Math.max(1, profile.min_replicas));
  const { profile_id: id, max_replicas: most } = profile;
  return (
    <Plan
      outcome={showIntent}
      act={(once) => askState(once, id, { desired_state: 'Active', desired_replicas: replicas })}
    >
      <p>
        Its controller is asked for {replicas === 1 ? 'one worker' : `${replicas} workers`}.{' '}
        {restorable === undefined
          ? 'Whether one of its checkpoints can be restored is not known here. '
          : restorable > 0
            ? `${restorable} of its newest checkpoints can be restored now, so the start should be a restore. `
            : 'None of its checkpoints can be restored now, so the start should be cold. '}
        {expectation(starts, restorable)}
      </p>
      {profile.autoscale === true && (
        <p>The service scales this profile: without requests, it goes down to {profile.min_replicas} again.</p>
      )}
      {most > 1 && (
        <NumberInput
          label="Workers"
          min={1}
          max={most}
          allowDecimal={false}
          clampBehavior="strict"
          value={replicas}
          onChange={(value) => setReplicas(Math.max(1, Number(value) || 1))}
        />
      )}
    </Plan>
  );
}

/** How long it should take, if enough starts of the kind were measured. */
function expectation(starts: Starts | undefined, restorable: number | undefined): string {
  if (restorable === undefined) return '';
  const [sample, what] = restorable > 0 ? [starts?.restored, 'restores'] : [starts?.cold, 'cold starts'];
  if (!sample || sample.samples < FEWEST) return '';
  return `The median of ${sample.samples} ${what} is ${duration(sample.p50_ms * 1e6)}.`;
}

function Suspend({ profile: { profile_id: id, hosting_mode: hosting }, intent }: ProfileActionsProps) {
  return (
    <ActionDialog
      operation="set_profile_state"
      verb="Suspend"
      title={`Suspend ${id}`}
      impossible={
        intent?.desired_state === 'Suspended' && intent.status === 'Fulfilled' ? 'It is suspended already.' : undefined
      }
    >
      <Plan outcome={showIntent} act={(once) => askState(once, id, { desired_state: 'Suspended' })}>
        <p>
          Its controller ends all workers and frees their nodes. Requests in flight are drained first.
          {hosting === 'checkpointed' && ' A checkpointed profile is usually saved before, as its controller decides.'}
        </p>
        <p>Requests for its model wake it again, unless another target of the route serves them.</p>
      </Plan>
    </ActionDialog>
  );
}

/** Why nothing can be saved; undefined: a worker is ready. */
function unsavedReason(isReady: boolean | undefined): string | undefined {
  if (isReady === undefined) return 'Whether a worker is ready is not known.';
  return isReady ? undefined : 'No worker is ready, so there is nothing to save.';
}

function Checkpoint({ profile: { profile_id: id }, isReady }: ProfileActionsProps) {
  return (
    <ActionDialog
      operation="request_profile_checkpoint"
      verb="Checkpoint"
      title={`Checkpoint ${id}`}
      impossible={unsavedReason(isReady)}
    >
      <CheckpointForm id={id} />
    </ActionDialog>
  );
}

function CheckpointForm({ id }: { id: string }) {
  const [replaces, setReplaces] = useState(false);
  return (
    <Plan
      outcome={showRequest}
      act={(once) => askProfileCheckpoint(once, id, { reason: 'manual', replace_existing: replaces })}
    >
      <p>
        Its worker stands still while it is saved, then takes requests again. The new artifact appears on this page. If
        a checkpoint or restart is already requested, that one is shown instead.
      </p>
      <Switch
        label="Replace the previous checkpoint"
        description={
          replaces ? 'The one before is deleted once the new one is stored.' : 'The one before stays, until retention.'
        }
        checked={replaces}
        onChange={(event) => setReplaces(event.currentTarget.checked)}
      />
    </Plan>
  );
}

const Restart = ({ profile: { profile_id: id }, restorable }: ProfileActionsProps) => (
  <ActionDialog
    operation="restart_profile"
    verb="Restart"
    title={`Restart ${id}`}
    impossible={restorable === 0 ? 'None of its checkpoints can be restored now.' : undefined}
  >
    <Plan outcome={showRequest} act={(once) => askRestart(once, id)}>
      <p>
        Its worker is replaced by one that is restored from its last checkpoint. What the worker computed since that
        checkpoint is lost: for a model, its caches. Requests in flight are drained first.
      </p>
    </Plan>
  </ActionDialog>
);
