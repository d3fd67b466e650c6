import { Alert, Anchor, Button, Code, Divider, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { problemFrom } from '../api/problem';
import { Wordmark } from '../parts/icons';
import { isReturning, leaveForProvider, signInQuery, takeToken, type Provider } from './identity-provider';
import { isBearer, session } from './session';
import styles from './sign-in.module.css';
import { useStore } from './store';

const ENDED = {
  rejected: 'The service no longer accepts your token: it was revoked or has expired. Sign in again.',
  'signed out': 'You are signed out.',
};

/** Shown at any address while there is no token, so that the address is still there afterwards. */
export function SignIn() {
  const { ended } = useStore(session);
  const { data } = useQuery(signInQuery);
  const provider = data?.identity_provider ?? undefined;
  useEffect(() => {
    document.title = 'Sign in · Control plane';
  }, []);
  return (
    <main className={styles.page}>
      <Paper className={styles.card} withBorder>
        <Stack gap="md">
          <Wordmark />
          <Title order={1}>Sign in</Title>
          {ended && (
            <Alert color={ended === 'rejected' ? 'red' : 'gray'} role="status">
              {ENDED[ended]}
            </Alert>
          )}
          {provider && <ProviderForm provider={provider} />}
          {provider && <Divider label="or" />}
          <TokenForm />
        </Stack>
      </Paper>
    </main>
  );
}

function TokenForm() {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const token = text.trim();
    if (!isBearer(token)) return setFault('A token has letters, digits and . _ ~ + / = - only.');
    session.begin(token);
  };
  return (
    <form onSubmit={submit}>
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
          required
        />
        <Button type="submit">Sign in</Button>
        <Text size="sm" c="dimmed">
          You have no token? On the machine of the service, this prints one:{' '}
          <Code>npm run token -- --role operator --name console</Code>.{' '}
          <Anchor href="/docs" size="sm" underline="always">
            API description
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}

function ProviderForm({ provider }: { provider: Provider }) {
  const [fault, setFault] = useState<string>();
  const began = useRef(false);
  useEffect(() => {
    if (!isReturning() || began.current) return;
    // A code works only once.
    began.current = true;
    takeToken(provider).then(
      ({ token, wanted }) => {
        window.history.replaceState(null, '', wanted);
        session.begin(token);
        window.dispatchEvent(new PopStateEvent('popstate'));
      },
      (error: unknown) => setFault(problemFrom(error).message),
    );
  }, [provider]);
  return (
    <Stack gap="sm">
      {fault !== undefined && (
        <Alert color="red" role="alert">
          {fault}
        </Alert>
      )}
      <Button onClick={() => void leaveForProvider(provider)}>Sign in with {new URL(provider.issuer).host}</Button>
    </Stack>
  );
}
