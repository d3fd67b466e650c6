import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import { isBearer } from './session';

/** The authorization code flow with PKCE (RFC 7636), for a client without a secret. */

export type Provider = NonNullable<Schemas['SignInView']['identity_provider']>;

export const signInQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: ({ signal }) => read(api.GET('/v1/user/sign-in', { signal })),
  staleTime: Infinity,
});

const KEPT = 'control-plane-sign-in';
const RETURNS_TO = '/console/sign-in';
const RANDOM_BYTES = 32;

interface Started {
  readonly state: string;
  readonly verifier: string;
  /** Where the user wanted to go. */
  readonly wanted: string;
}

const encoded = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/(?<!=)=+$/, '');

const random = (): string => encoded(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));

const redirectAddress = (): string => window.location.origin + RETURNS_TO;

/** Leaves the page for the provider's. */
export async function leaveForProvider(provider: Provider): Promise<void> {
  const { pathname, search } = window.location;
  const wanted = pathname === RETURNS_TO ? '/console' : pathname + search;
  const started: Started = { state: random(), verifier: random(), wanted };
  sessionStorage.setItem(KEPT, JSON.stringify(started));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(started.verifier));
  const address = new URL(provider.authorization_url);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: redirectAddress(),
    scope: provider.scope,
    state: started.state,
    code_challenge: encoded(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  }))
    address.searchParams.set(name, value);
  window.location.assign(address);
}

export const isReturning = (): boolean => window.location.pathname === RETURNS_TO;

/** Exchanges the code in the address for a token. @throws Error whose message is for the user */
export async function takeToken(provider: Provider): Promise<{ token: string; wanted: string }> {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const answer = new URLSearchParams(window.location.search);
  const refused = answer.get('error_description') ?? answer.get('error');
  if (refused !== null) throw new Error(`The identity provider refused: ${refused}`);
  const started = kept === null ? undefined : (JSON.parse(kept) as Started);
  const code = answer.get('code');
  if (code === null || started === undefined || answer.get('state') !== started.state)
    throw new Error('This sign-in was not begun in this tab. Begin it again.');
  const token = await exchange(provider, code, started.verifier);
  return { token, wanted: started.wanted };
}

async function exchange(provider: Provider, code: string, verifier: string): Promise<string> {
  const response = await fetch(provider.token_url, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: provider.client_id,
      redirect_uri: redirectAddress(),
      code,
      code_verifier: verifier,
    }),
  }).catch(() => undefined);
  const body: unknown = await response?.json().catch(() => undefined);
  const token =
    typeof body === 'object' && body !== null && 'access_token' in body ? String(body.access_token) : undefined;
  if (!response?.ok || token === undefined || !isBearer(token))
    throw new Error('The identity provider gave no token. Begin again, or ask its administrator.');
  return token;
}
