import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { Loaded } from '../parts/states';
import { Status, type Tone } from '../parts/status';
import { actionQuery, hasEnded } from './actions-api';
import styles from './action-dialog.module.css';

type Action = Schemas['ActionDetailsView'];

/** What each status of an action means for a person. */
const MEANINGS: Readonly<Record<string, readonly [tone: Tone, word: string, text: string]>> = {
  initialized: ['busy', 'Asked', 'The request is stored. It waits for the agent of the node.'],
  processing: ['busy', 'Running', 'The node has taken it up.'],
  checkpoint_created: ['busy', 'Uploading', 'The workload is saved. Its images are on their way to the store.'],
  ready: ['good', 'Done', 'It succeeded.'],
  error: ['bad', 'Failed', ''],
};

/** What becomes of an action, as it happens. */
function Outcome({ actionId, close }: { actionId: string; close: () => void }) {
  const action = useQuery(actionQuery(actionId));
  return (
    <div aria-live="polite">
      <Loaded query={action} lines={2}>
        {(data) => <State action={data} close={close} />}
      </Loaded>
    </div>
  );
}

export const showOutcome = (actionId: string, close: () => void) => <Outcome actionId={actionId} close={close} />;

function State({ action, close }: { action: Action; close: () => void }) {
  const [tone, word, text] = MEANINGS[action.status] ?? ['quiet', action.status, ''];
  const operation = action.type === 'restore_pod' ? undefined : action.checkpoint_ids[0];
  return (
    <div className={styles.outcome}>
      <Status tone={tone}>{word}</Status>
      <p>{action.error ?? text}</p>
      {action.node_name && <p className={styles.quiet}>On {action.node_name}</p>}
      {operation !== undefined && (
        <Link to="/operations/$id" params={{ id: operation }} onClick={close}>
          Show its stages
        </Link>
      )}
      {!hasEnded(action.status) && (
        <p className={styles.quiet}>You may close this. It goes on, and appears under Operations.</p>
      )}
      <Button variant="default" onClick={close}>
        Close
      </Button>
    </div>
  );
}
