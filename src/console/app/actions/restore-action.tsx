import { ActionDialog, Plan } from './action-dialog';
import { showOutcome } from './outcome';
import { askRestore } from './actions-api';

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
      <Plan outcome={showOutcome} act={(once) => askRestore(once, isSlurm ? 'slurm' : 'kubernetes', actionId)}>
        <p>
          The controller of the cluster is asked to start a new {isSlurm ? 'job' : 'pod'} from this checkpoint. It goes
          on where the checkpoint was taken; what happened afterwards is lost to it.
        </p>
        <p>
          The original is not touched. If it still runs, both will run: end the original first if they would write the
          same files.
        </p>
      </Plan>
    </ActionDialog>
  );
}
