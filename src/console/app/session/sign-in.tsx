import { Paper, Stack, Title } from '@mantine/core';
import { useEffect } from 'react';
import { Wordmark } from '../parts/icons';
import { session } from './session';
import { Ended, SignInForms } from './sign-in-forms';
import styles from './sign-in.module.css';
import { useStore } from './store';

const begin = (token: string): void => session.begin(token);

/** Shown at any address while nobody is signed in, so that the address is still there afterwards. */
export function SignIn() {
  const { ended } = useStore(session);
  useEffect(() => {
    document.title = 'Sign in · Control plane';
  }, []);
  return (
    <main className={styles.page}>
      <Paper className={styles.card} withBorder>
        <Stack gap="md">
          <Wordmark />
          <Title order={1}>Sign in</Title>
          <Ended why={ended} />
          <SignInForms take={begin} />
        </Stack>
      </Paper>
    </main>
  );
}
