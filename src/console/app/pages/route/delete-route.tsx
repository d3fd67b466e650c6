import { Fragment } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { deleteRoute, ROUTES } from '../../api/model-routes';

/** @param isMissing there is no such route: its dialog stays until the user closes it */
export const DeleteRoute = ({ model, isMissing }: { model: string; isMissing: boolean }) => (
  <ActionDialog
    operation="delete_route"
    verb="Delete route"
    changes={ROUTES}
    title={`Delete the route of ${model}`}
    instead={isMissing && <Fragment />}
  >
    <Plan
      act={() => deleteRoute(model)}
      outcome={(_, close) => (
        <Done word="Deleted" close={close}>
          <p>Requests for the model are refused from now on.</p>
        </Done>
      )}
    >
      <p>
        From then on, every replica refuses requests for the model, also those that wait. Requests that a worker answers
        are finished. The profiles and their workers stay, and other routes may use them.
      </p>
    </Plan>
  </ActionDialog>
);
