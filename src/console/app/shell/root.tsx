import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { live } from '../api/live';
import { session } from '../session/session';
import { SignIn } from '../session/sign-in';
import { useStore } from '../session/store';
import { whoQuery } from '../session/who';
import { Shell } from './shell';

/** The page behind the address, or the way to it: signing in. */
export function Root() {
  const { token } = useStore(session);
  return token === undefined ? <SignIn /> : <SignedIn key={token} />;
}

function SignedIn() {
  const { data } = useQuery(whoQuery);
  useEffect(() => live.start(), []);
  return <Shell who={data} />;
}
