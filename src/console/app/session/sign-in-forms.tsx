import { Alert, Anchor, Button, Code, Divider, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { problemFrom } from '../api/problem';
import { Loaded } from '../parts/states';
import {
  isReturning,
  leaveForProvider,
  signInBeside,
  signInQuery,
  takeToken,
  type Provider,
} from './identity-provider';
import { isBearer, type SessionState } from './session';

const ENDED = {
  rejected: 'The service no longer accepts your token: it was revoked or has expired. Sign in again.',
  'signed out': 'You are signed out.',
};

export const Ended = ({ why }: { why: SessionState['ended'] }) =>
  why && (
    <Alert color={why === 'rejected' ? 'red' : 'gray'} role="status">
      {ENDED[why]}
    </Alert>
  );

interface SignInFormsProps {
  /** @throws ProblemError if the token is not accepted */
  readonly take: (token: string) => void | Promise<void>;
  /** Leaving this page would lose what is open. */
  readonly isInPlace?: boolean;
}

/** The ways to sign in. */
export function SignInForms({ take, isInPlace = false }: SignInFormsProps) {
  const ways = useQuery(signInQuery);
  return (
    <>
      <Loaded query={ways} lines={1}>
        {({ identity_provider: provider }) =>
          provider && (
            <>
              {isInPlace ? (
                <ProviderBeside provider={provider} take={take} />
              ) : (
                <ProviderForm provider={provider} take={take} />
              )}
              <Divider label="or" />
            </>
          )
        }
      </Loaded>
      <TokenForm take={take} />
    </>
  );
}

function TokenForm({ take }: Pick<SignInFormsProps, 'take'>) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const [isPending, setPending] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = text.trim();
    if (!isBearer(token)) return setFault('A token has letters, digits and . _ ~ + / = - only.');
    setPending(true);
    try {
      await take(token);
    } catch (error) {
      setFault(problemFrom(error).message);
      setPending(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <PasswordInput
          label="Access token"
          description="It stays in this tab, and is forgotten when you close it."
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setFault(undefined);
          }}
          error={fault}
          autoComplete="off"
          autoFocus
          data-autofocus
          required
        />
        <Button type="submit" loading={isPending}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          You have no token? On the machine of the service, this prints one:{' '}
          <Code>npm run token -- --role operator --name console</Code>.{' '}
          <Anchor href="/docs" target="_blank" size="sm" underline="always">
            API description
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}

interface ProviderProps extends Pick<SignInFormsProps, 'take'> {
  readonly provider: Provider;
}

/** Leaves the page for the provider's, and finishes what a return from there has begun. */
function ProviderForm({ provider, take }: ProviderProps) {
  const [fault, setFault] = useState<string>();
  const [isBeside, setBeside] = useState(false);
  const began = useRef(false);
  const fail = (error: unknown) => setFault(problemFrom(error).message);
  useEffect(() => {
    if (!isReturning() || began.current) return;
    // A code works only once.
    began.current = true;
    takeToken(provider)
      .then(async (taken) => {
        if (taken === undefined) return setBeside(true);
        await take(taken.token);
        window.dispatchEvent(new PopStateEvent('popstate'));
      })
      .catch((error: unknown) => setFault(problemFrom(error).message));
  }, [provider, take]);
  if (isBeside)
    return (
      <Alert color="gray" role="status">
        You are signed in, in the tab from which you came. Close this one.
      </Alert>
    );
  return <ProviderButton provider={provider} fault={fault} open={() => void leaveForProvider(provider).catch(fail)} />;
}

/** Signs in with the provider in another tab. */
function ProviderBeside({ provider, take }: ProviderProps) {
  const [fault, setFault] = useState<string>();
  const waiting = useRef<AbortController>(undefined);
  useEffect(() => () => waiting.current?.abort(), []);
  const open = () => {
    waiting.current?.abort();
    const { signal } = (waiting.current = new AbortController());
    setFault(undefined);
    signInBeside(provider, signal)
      .then(take)
      .catch((error: unknown) => setFault(problemFrom(error).message));
  };
  return (
    <ProviderButton provider={provider} fault={fault} open={open} note="In another tab: this one stays as it is." />
  );
}

interface ProviderButtonProps {
  readonly provider: Provider;
  readonly fault: string | undefined;
  readonly note?: string;
  readonly open: () => void;
}

const ProviderButton = ({ provider, fault, note, open }: ProviderButtonProps) => (
  <Stack gap="sm">
    {fault !== undefined && (
      <Alert color="red" role="alert">
        {fault}
      </Alert>
    )}
    <Button onClick={open}>Sign in with {new URL(provider.issuer).host}</Button>
    {note !== undefined && (
      <Text size="sm" c="dimmed">
        {note}
      </Text>
    )}
  </Stack>
);
