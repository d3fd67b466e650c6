import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { live } from '../api/live';
import { session } from '../session/session';
import { SignIn } from '../session/sign-in';
import { Offered, SignInAgain } from '../session/sign-in-again';
import { useStore } from '../session/store';
import { whoQuery } from '../session/who';
import { Shell } from './shell';

/** The page behind the address, or the way to it: signing in. */
export function Root() {
  const { visit, token, offered } = useStore(session);
  if (visit === undefined) return <SignIn />;
  return (
    <>
      <SignedIn key={visit} token={token} />
      {offered !== undefined ? <Offered token={offered} /> : token === undefined && <SignInAgain />}
    </>
  );
}

function SignedIn({ token }: { token: string | undefined }) {
  const { data } = useQuery(whoQuery);
  useEffect(() => (token === undefined ? undefined : live.start()), [token]);
  return <Shell who={data} />;
}
