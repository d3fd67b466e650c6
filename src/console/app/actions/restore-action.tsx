import { Switch } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, Plan } from './action-dialog';
import { showOutcome } from './outcome';
import { askPodRestore, askSlurmRestore } from './actions-api';

interface RestoreActionProps {
  /** The checkpoint action. */
  readonly actionId: string;
  /** `kubernetes` or `slurm`, as operations say it. */
  readonly kind: string;
  readonly name: string;
}

export function RestoreAction({ actionId, kind, name }: RestoreActionProps) {
  const isSlurm = kind === 'slurm';
  return (
    <ActionDialog operation={isSlurm ? 'restore_slurm_job' : 'restore_pod'} verb="Restore" title={`Restore ${name}`}>
      {isSlurm ? <OfJob actionId={actionId} /> : <OfPod actionId={actionId} />}
    </ActionDialog>
  );
}

type OfAction = Pick<RestoreActionProps, 'actionId'>;

const OfJob = ({ actionId }: OfAction) => (
  <Plan outcome={showOutcome} act={(once) => askSlurmRestore(once, actionId)}>
    <p>The controller of the cluster is asked to requeue this job. Its next run goes on from this checkpoint.</p>
    <p>If the job runs, it is stopped, and its work since the checkpoint is lost.</p>
  </Plan>
);

function OfPod({ actionId }: OfAction) {
  const [isBeside, setIsBeside] = useState(false);
  return (
    <Plan outcome={showOutcome} act={(once) => askPodRestore(once, actionId, isBeside)}>
      <p>The controller of the cluster is asked for a pod that goes on from this checkpoint.</p>
      <p>
        Without an owner, a new pod or process is made, and the original is not touched: if it still runs, both run. End
        the original first if they would write the same files.
      </p>
      <p>
        Under a StatefulSet, Deployment or Job, the running pod is deleted and its owner replaces it: its work since the
        checkpoint is lost. Only the newest checkpoint can be restored that way.
      </p>
      <Switch
        label="Beside its owner"
        description={
          isBeside
            ? 'A new pod is made in any case, and the owner and its pods are not touched: both run.'
            : 'An owner, if there is one, replaces its pod.'
        }
        checked={isBeside}
        onChange={(event) => setIsBeside(event.currentTarget.checked)}
      />
    </Plan>
  );
}
