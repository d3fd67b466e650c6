import { useState } from 'react';
import { ActionDialog, Plan } from '../../../actions/action-dialog';
import { Done } from '../../../actions/done';
import { changeWindow, createWindow, deleteWindow, WINDOWS } from '../slurm-changes';
import type { MaintenanceWindow } from '../slurm-queries';
import { changesOf, createBody, draftOf, missingIn, NEW_WINDOW } from './window-draft';
import { WindowForm } from './window-form';

export const titleOf = ({ name, reason, id }: MaintenanceWindow): string => name ?? reason ?? id ?? '';

export function CreateWindow() {
  return (
    <ActionDialog
      operation="create_maintenance_window"
      verb="Create window"
      changes={WINDOWS}
      title="Create a maintenance window"
    >
      <NewWindow />
    </ActionDialog>
  );
}

function NewWindow() {
  const [draft, setDraft] = useState(NEW_WINDOW);
  return (
    <Plan
      missing={missingIn(draft)}
      act={(once) => createWindow(once, createBody(draft))}
      outcome={(_, close) => (
        <Done word="Created" close={close}>
          <p>It is in the list now.</p>
        </Done>
      )}
    >
      <p>
        Everybody of your organisation sees the window here. It reserves nothing in Slurm, and requests no checkpoints:
        a policy with a maintenance trigger does that.
      </p>
      <WindowForm draft={draft} change={(part) => setDraft((before) => ({ ...before, ...part }))} mayCancel={false} />
    </Plan>
  );
}

export function ChangeWindow({ of }: { of: MaintenanceWindow }) {
  return (
    <ActionDialog operation="update_maintenance_window" verb="Change" changes={WINDOWS} title={`Change ${titleOf(of)}`}>
      <ChangedWindow of={of} />
    </ActionDialog>
  );
}

function ChangedWindow({ of: latest }: { of: MaintenanceWindow }) {
  // As the user saw it: what others change meanwhile is not taken back.
  const [of] = useState(latest);
  const [draft, setDraft] = useState(() => draftOf(of));
  const changes = changesOf(of, draft);
  const nothing = Object.keys(changes).length === 0 ? 'Nothing is changed yet.' : undefined;
  return (
    <Plan
      missing={missingIn(draft) ?? nothing}
      act={() => changeWindow(of.id ?? '', changes)}
      outcome={(_, close) => <Done word="Changed" close={close} />}
    >
      {of.cluster_id === null ? (
        <p>Only what you change here is sent. Slurm does not learn of it.</p>
      ) : (
        <p>
          Its cluster reports this window. The next sync restores what Slurm says, but a cancelled window stays
          cancelled while Slurm reports the same one. The reservation in Slurm stays as it is.
        </p>
      )}
      <WindowForm draft={draft} change={(part) => setDraft((before) => ({ ...before, ...part }))} mayCancel />
    </Plan>
  );
}

export const DeleteWindow = ({ of }: { of: MaintenanceWindow }) => (
  <ActionDialog operation="delete_maintenance_window" verb="Delete" changes={WINDOWS} title={`Delete ${titleOf(of)}`}>
    <Plan act={() => deleteWindow(of.id ?? '')} outcome={(_, close) => <Done word="Deleted" close={close} />}>
      <p>The window leaves the list, and nobody can undo it.</p>
      {of.cluster_id !== null && (
        <p>
          Its cluster reports it, so it comes back with the next sync. Delete the reservation in Slurm, or cancel it.
        </p>
      )}
    </Plan>
  </ActionDialog>
);
