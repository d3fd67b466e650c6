import { Button } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, read, type Schemas } from '../api/client';
import { intentsQuery, type Intent } from '../api/serving';
import { PhaseStatus } from '../parts/models/profiles';
import { Loaded } from '../parts/states';
import { Status, type Tone } from '../parts/status';
import styles from './action-dialog.module.css';

/** What becomes of a request of a profile, as it happens. */

type Request = Schemas['CheckpointRequestView'];

const OUTCOME_MS = 1_000;

type Meaning = readonly [tone: Tone, word: string, text: string];

const INTENTS: Readonly<Record<string, Meaning>> = {
  Pending: ['busy', 'Asked', 'Its controller has not done it yet.'],
  Fulfilled: ['good', 'Done', 'It is as you asked.'],
  Superseded: ['warn', 'Superseded', 'Somebody, or a policy, asked for something else meanwhile.'],
  Expired: ['bad', 'Expired', 'Its controller did not do it in time.'],
  Failed: ['bad', 'Failed', 'Its controller reported a failure. The profile shows the reason.'],
};

export const showIntent = (asked: Intent, close: () => void): ReactNode => (
  <IntentOutcome asked={asked} close={close} />
);

function IntentOutcome({ asked, close }: { asked: Intent; close: () => void }) {
  const intents = useQuery({ ...intentsQuery(asked.profile_id), refetchInterval: OUTCOME_MS });
  const progress = useQuery({
    queryKey: ['profiles', 'progress', asked.profile_id],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/inference/profiles/{profile_id}/progress', {
          params: { path: { profile_id: asked.profile_id } },
          signal,
        }),
      ),
    refetchInterval: OUTCOME_MS,
  });
  const latest = intents.data?.rows[0];
  // The list has the latest intent of each profile. As long as it is the one of before, nothing is known yet.
  const isKnown = latest !== undefined && latest.generation >= asked.generation;
  // Another one has taken the place of this one.
  const status = !isKnown ? asked.status : latest.id === asked.id ? latest.status : 'Superseded';
  return (
    <Box meaning={INTENTS[status] ?? ['quiet', status, '']} goesOn={status === 'Pending'} close={close}>
      {progress.data && (
        <p>
          Its worker: <PhaseStatus phase={progress.data.phase} />
        </p>
      )}
    </Box>
  );
}

const REQUESTS: Readonly<Record<string, Meaning>> = {
  pending: ['busy', 'Asked', 'The request is stored. It waits for the controller.'],
  running: ['busy', 'Running', 'The controller has taken it up.'],
  succeeded: ['good', 'Done', 'It succeeded.'],
  failed: ['bad', 'Failed', ''],
};

const requestQuery = ({ profile_id: id }: Request) =>
  queryOptions({
    queryKey: ['profiles', 'checkpoint', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/inference/profiles/{profile_id}/checkpoint', { params: { path: { profile_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.completed_at != null ? false : OUTCOME_MS),
    // What an earlier dialog saw is about another request.
    staleTime: 0,
  });

export const showRequest = (asked: Request, close: () => void): ReactNode => (
  <RequestOutcome asked={asked} close={close} />
);

function RequestOutcome({ asked, close }: { asked: Request; close: () => void }) {
  const request = useQuery(requestQuery(asked));
  return (
    <Loaded query={request} lines={2}>
      {(latest) => {
        const shown = latest.request_id === asked.request_id ? latest : asked;
        const [tone, word, text] = REQUESTS[shown.status] ?? ['quiet', shown.status, ''];
        return (
          <Box meaning={[tone, word, shown.error ?? text]} goesOn={shown.completed_at === null} close={close}>
            {shown.artifact_id !== null && (
              <Link to="/artifacts/$id" params={{ id: shown.artifact_id }} onClick={close}>
                Show the artifact
              </Link>
            )}
          </Box>
        );
      }}
    </Loaded>
  );
}

const Box = ({
  meaning: [tone, word, text],
  goesOn,
  close,
  children,
}: {
  meaning: Meaning;
  goesOn: boolean;
  close: () => void;
  children?: ReactNode;
}) => (
  <div className={styles.outcome} aria-live="polite">
    <div>
      <Status tone={tone}>{word}</Status>
    </div>
    <p>{text}</p>
    {children}
    {goesOn && <p className={styles.quiet}>You may close this. It goes on, and this page shows it.</p>}
    <Button variant="default" onClick={close}>
      Close
    </Button>
  </div>
);
