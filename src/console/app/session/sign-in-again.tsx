import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/query-client';
import { useEscape } from '../parts/layers/escape';
import { Loaded } from '../parts/states';
import { session } from './session';
import { Ended, SignInForms } from './sign-in-forms';
import { ownsWhatIsOpen, whoOfQuery, whoQuery, type Who } from './who';

/** Above every other dialog, and what they have opened. */
const ABOVE_ALL = 400;

const signOut = (): void => session.end('signed out');

/** Above what is open, which stays: it may hold what nobody can enter or see again. */
export function SignInAgain() {
  const { ended } = session.current;
  const { data: before } = useQuery({ ...whoQuery, enabled: false });
  const [other, setOther] = useState<Bearer>();
  useEscape(true, stay);
  const take = async (token: string) => {
    const who = await queryClient.fetchQuery(whoOfQuery(token));
    if (ownsWhatIsOpen(who)) session.renew(token);
    else setOther({ token, who });
  };
  return (
    <Modal
      opened
      onClose={stay}
      title="Sign in again"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={ABOVE_ALL}
    >
      <Stack gap="md">
        <Ended why={ended} />
        <Text size="sm">
          If you sign in as {before?.name} again, you go on with what is open; a new token of the same name and role
          does too. Anybody else begins anew, and what is not finished here is lost.
        </Text>
        {other ? (
          <>
            <Question {...other} />
            <Button variant="default" onClick={() => setOther(undefined)} autoFocus>
              Keep what is open
            </Button>
          </>
        ) : (
          <SignInForms take={take} isInPlace />
        )}
        <Button variant="default" onClick={signOut}>
          Sign out, and lose what is not finished
        </Button>
      </Stack>
    </Modal>
  );
}

/** Only a button ends it. */
const stay = (): void => undefined;

/** A link brought another token. Whoever made it may want to see what this user does under another name. */
export function Offered({ token }: { token: string }) {
  const offered = useQuery(whoOfQuery(token));
  const { data: held } = useQuery({ ...whoQuery, enabled: false });
  const decline = () => session.decline();
  useEscape(true, decline);
  return (
    <Modal
      opened
      onClose={decline}
      title="A link wants to sign you in"
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={ABOVE_ALL}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Loaded query={offered} lines={2}>
          {(who) => <Question token={token} who={who} isByLink />}
        </Loaded>
        <Button variant="default" onClick={decline} data-autofocus>
          Stay signed in{held && ` as ${held.name}`}
        </Button>
      </Stack>
    </Modal>
  );
}

interface Bearer {
  readonly token: string;
  readonly who: Who;
}

function Question({ token, who, isByLink = false }: Bearer & { isByLink?: boolean }) {
  const isOwner = ownsWhatIsOpen(who);
  return (
    <>
      <Text size="sm">
        Sign in as <strong>{who.name}</strong> ({who.role}
        {who.scope === 'platform' && ' of the platform'}, organisation {who.organisation_id})?
        {!isOwner && ' What is not finished here is lost.'}
        {isByLink && ' Do so only if you trust the link.'}
      </Text>
      <Button onClick={() => (isOwner ? session.renew(token) : session.begin(token))}>Sign in as {who.name}</Button>
    </>
  );
}
