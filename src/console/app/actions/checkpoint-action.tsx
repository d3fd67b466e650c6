import { Switch } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, Plan } from './action-dialog';
import { askCheckpoint, askSlurmCheckpoint } from './actions-api';
import type { Once } from './once';
import { showOutcome } from './outcome';

export type CheckpointTarget =
  | { readonly kind: 'kubernetes'; readonly podId: string; readonly name: string }
  | { readonly kind: 'slurm'; readonly clusterId: string; readonly jobId: number; readonly name: string };

export function CheckpointAction({ target }: { target: CheckpointTarget }) {
  const isSlurm = target.kind === 'slurm';
  return (
    <ActionDialog
      operation={isSlurm ? 'checkpoint_slurm_job' : 'checkpoint_pod'}
      verb="Checkpoint"
      title={`Checkpoint ${target.name}`}
    >
      <CheckpointForm target={target} />
    </ActionDialog>
  );
}

const RELEASED = {
  kubernetes:
    'It is released after the dump, as for a move to another node. Without an owner, it runs again once it is restored. An owner, such as a Deployment, starts it again.',
  slurm: 'It is released after the dump, as for a move to another node. It does not run again until it is restored.',
} as const;

function CheckpointForm({ target }: { target: CheckpointTarget }) {
  const [goesOn, setGoesOn] = useState(true);
  return (
    <Plan outcome={showOutcome} act={(once) => ask(once, target, goesOn)}>
      <p>
        The agent of its node stops the processes for a moment, saves their memory, and uploads the images. Open files
        and connections are saved too, where the agent can save them; if it cannot, nothing is changed and the reason is
        shown here.
      </p>
      <Switch
        label="The workload goes on afterwards"
        description={goesOn ? 'It stands still while its memory is saved.' : RELEASED[target.kind]}
        checked={goesOn}
        onChange={(event) => setGoesOn(event.currentTarget.checked)}
      />
    </Plan>
  );
}

const ask = (once: Once, target: CheckpointTarget, goesOn: boolean): Promise<string> =>
  target.kind === 'slurm'
    ? askSlurmCheckpoint(once, {
        cluster_id: target.clusterId,
        job_id: String(target.jobId),
        reason: 'manual',
        leave_running: goesOn,
      })
    : askCheckpoint(once, { pod_id: target.podId, reason: 'manual', leave_running: goesOn });
