import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import { isBearer } from './session';

/** The authorization code flow with PKCE (RFC 7636), for a client without a secret. */

export type Provider = NonNullable<Schemas['SignInView']['identity_provider']>;

export const signInQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: ({ signal }) => read(api.GET('/v1/user/sign-in', { signal })),
  staleTime: Infinity,
  // Also while nobody is signed in.
  networkMode: 'always',
});

const KEPT = 'control-plane-sign-in';
/** Between tabs of this origin: from the one to which the provider returned to the one that waits. */
const CHANNEL = 'control-plane-sign-in';
/** Another tab answers at once, or not at all. */
const HAND_OVER_MS = 2_000;
const RETURNS_TO = '/console/sign-in';
const HOME = '/console';
const RANDOM_BYTES = 32;

interface Started {
  readonly state: string;
  readonly verifier: string;
}

interface Left extends Started {
  /** Where the user wanted to go. */
  readonly wanted: string;
}

/** Between tabs: what the provider answered, and that it was taken. */
type Message = { readonly answer: string } | { readonly taken: string };

const encoded = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/(?<!=)=+$/, '');

const random = (): string => encoded(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));

const redirectAddress = (): string => window.location.origin + RETURNS_TO;

/** @throws Error whose message is for the user */
async function begin(provider: Provider): Promise<{ started: Started; address: URL }> {
  // Browsers have it at secure addresses only.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined)
    throw new Error(
      'Signing in with an identity provider needs https: open the console at such an address, or use a token.',
    );
  const started: Started = { state: random(), verifier: random() };
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(started.verifier));
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
  return { started, address };
}

/** Leaves the page for the provider's. @throws Error whose message is for the user */
export async function leaveForProvider(provider: Provider): Promise<void> {
  const { pathname, search } = window.location;
  const { started, address } = await begin(provider);
  const left: Left = { ...started, wanted: pathname === RETURNS_TO ? HOME : pathname + search };
  sessionStorage.setItem(KEPT, JSON.stringify(left));
  window.location.assign(address);
}

export const isReturning = (): boolean => window.location.pathname === RETURNS_TO;

/**
 * Opens the provider's page in another tab, because leaving this one would lose what is not finished. That
 * tab gets the code, and this one exchanges it. @throws Error whose message is for the user
 */
export async function signInBeside(provider: Provider, signal: AbortSignal): Promise<string> {
  const { started, address } = await begin(provider);
  const channel = new BroadcastChannel(CHANNEL);
  signal.addEventListener('abort', () => channel.close());
  const answered = new Promise<URLSearchParams>((resolve) => {
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      const answer = new URLSearchParams('answer' in data ? data.answer : '');
      if (answer.get('state') !== started.state) return;
      channel.postMessage({ taken: started.state } satisfies Message);
      resolve(answer);
    });
  });
  if (window.open(address) === null)
    throw new Error('The browser opened no tab for the identity provider. Allow it for this page, and try again.');
  return tokenFor(provider, await answered, started);
}

/**
 * Exchanges the code in the address for a token, and removes it there at once.
 * @returns undefined if another tab has begun this sign-in, and took the code
 * @throws Error whose message is for the user
 */
export async function takeToken(provider: Provider): Promise<{ token: string; wanted: string } | undefined> {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const answer = new URLSearchParams(window.location.search);
  const left = kept === null ? undefined : (JSON.parse(kept) as Left);
  const isOwn = left !== undefined && answer.get('state') === left.state;
  window.history.replaceState(window.history.state, '', isOwn ? left.wanted : HOME);
  if (isOwn) return { token: await tokenFor(provider, answer, left), wanted: left.wanted };
  if (await handOver(answer)) return undefined;
  throw new Error('This sign-in was not begun in this tab. Begin it again.');
}

/** Gives what the provider answered to the tab that waits for it. @returns whether one does */
async function handOver(answer: URLSearchParams): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL);
  const isTaken = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), HAND_OVER_MS);
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if ('taken' in data && data.taken === answer.get('state')) resolve(true);
    });
  });
  channel.postMessage({ answer: answer.toString() } satisfies Message);
  return isTaken.finally(() => channel.close());
}

/** @param answer with the state that this tab has begun: only then, its words are the provider's */
async function tokenFor(provider: Provider, answer: URLSearchParams, { verifier }: Started): Promise<string> {
  const refused = answer.get('error_description') ?? answer.get('error');
  if (refused !== null) throw new Error(`The identity provider refused: ${refused}`);
  const code = answer.get('code');
  if (code === null) throw new Error('The identity provider sent no code. Begin again, or ask its administrator.');
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
