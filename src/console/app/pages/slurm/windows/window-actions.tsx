import { useState } from 'react';
import { ActionDialog } from '../../../actions/action-dialog';
import { Done } from '../../../actions/done';
import { changeWindow, createWindow, deleteWindow, WINDOWS } from '../slurm-changes';
import type { MaintenanceWindow } from '../slurm-queries';
import { changesOf, createBody, draftOf, missingIn, NEW_WINDOW, type WindowDraft } from './window-draft';
import { WindowForm } from './window-form';

export const titleOf = ({ name, reason, id }: MaintenanceWindow): string => name ?? reason ?? id ?? '';

export function CreateWindow() {
  const [draft, setDraft] = useState<WindowDraft>(NEW_WINDOW);
  return (
    <ActionDialog
      operation="create_maintenance_window"
      verb="Create window"
      changes={WINDOWS}
      title="Create a maintenance window"
      missing={missingIn(draft)}
      act={() => createWindow(createBody(draft))}
      outcome={(_, close) => (
        <Done
          word="Created"
          close={() => {
            setDraft(NEW_WINDOW);
            close();
          }}
        >
          <p>It is in the list now.</p>
        </Done>
      )}
    >
      <p>
        Everybody of your organisation sees the window here. It reserves nothing in Slurm, and requests no checkpoints:
        a policy with a maintenance trigger does that.
      </p>
      <WindowForm draft={draft} change={(part) => setDraft((before) => ({ ...before, ...part }))} mayCancel={false} />
    </ActionDialog>
  );
}

export function ChangeWindow({ of }: { of: MaintenanceWindow }) {
  const [draft, setDraft] = useState<WindowDraft>();
  const shown = draft ?? draftOf(of);
  const changes = changesOf(of, shown);
  const nothing = Object.keys(changes).length === 0 ? 'Nothing is changed yet.' : undefined;
  return (
    <ActionDialog
      operation="update_maintenance_window"
      verb="Change"
      changes={WINDOWS}
      title={`Change ${titleOf(of)}`}
      missing={missingIn(shown) ?? nothing}
      act={() => changeWindow(of.id ?? '', changes)}
      outcome={(_, close) => (
        <Done
          word="Changed"
          close={() => {
            setDraft(undefined);
            close();
          }}
        />
      )}
    >
      {of.cluster_id === null ? (
        <p>Only what you change here is sent. Slurm does not learn of it.</p>
      ) : (
        <p>
          Its cluster reports this window. The next sync restores what Slurm says, but a cancelled window stays
          cancelled while Slurm reports the same one. The reservation in Slurm stays as it is.
        </p>
      )}
      <WindowForm draft={shown} change={(part) => setDraft({ ...shown, ...part })} mayCancel />
    </ActionDialog>
  );
}

export const DeleteWindow = ({ of }: { of: MaintenanceWindow }) => (
  <ActionDialog
    operation="delete_maintenance_window"
    verb="Delete"
    changes={WINDOWS}
    title={`Delete ${titleOf(of)}`}
    act={() => deleteWindow(of.id ?? '')}
    outcome={(_, close) => <Done word="Deleted" close={close} />}
  >
    <p>The window leaves the list, and nobody can undo it.</p>
    {of.cluster_id !== null && (
      <p>Its cluster reports it, so it comes back with the next sync. Delete the reservation in Slurm, or cancel it.</p>
    )}
  </ActionDialog>
);
