import createClient from 'openapi-fetch';
import { session } from '../session/session';
import { problemOf, unreachable } from './problem';
import type { components, paths } from './schema';

/** The only file that knows the library of the client. */

export type Schemas = components['schemas'];

/** Typed by the description of the API: `npm run openapi` writes `schema.d.ts`. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  headers: { accept: 'application/json' },
});

api.use({
  onRequest({ request }) {
    const { token } = session.current;
    // A request may carry the token that it is about.
    if (token !== undefined && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  onResponse({ request, response }) {
    const { token } = session.current;
    const used = request.headers.get('authorization')?.replace('Bearer ', '');
    // A late answer to a former token says nothing about the present one.
    if (response.status === 401 && token !== undefined && used === token) session.reject();
  },
});

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

async function answerOf<T>(request: Promise<Answer<T>>): Promise<Answer<T>> {
  let answer: Answer<T>;
  try {
    answer = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable();
  }
  if (!answer.response.ok) throw problemOf(answer.response, answer.error);
  return answer;
}

/** @throws ProblemError */
export async function read<T>(request: Promise<Answer<T>>): Promise<T> {
  // An operation without a body answers undefined.
  return (await answerOf(request)).data as T;
}

export interface Rows<T> {
  readonly rows: T;
  /** Parameters of the next page; undefined on the last one. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/** A page of a list, and where the next one begins. @throws ProblemError */
export async function readRows<T>(request: Promise<Answer<T>>): Promise<Rows<T>> {
  const { data, response } = await answerOf(request);
  const address = /<([^<>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  const next =
    address === undefined ? undefined : Object.fromEntries(new URL(address, window.location.origin).searchParams);
  return { rows: data as T, next };
}

/** A page of a list together with a header. @throws ProblemError */
export async function readWithHeader<T>(
  request: Promise<Answer<T>>,
  name: string,
): Promise<{ data: T; header: string | null }> {
  const { data, response } = await answerOf(request);
  return { data: data as T, header: response.headers.get(name) };
}

export interface Opened {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly headers: Headers;
}

/** An answer that is read while it arrives: ask for it with `parseAs: 'stream'`. @throws ProblemError */
export async function open(request: Promise<Answer<unknown>>): Promise<Opened> {
  const { response, data } = await answerOf(request);
  return { body: data as Opened['body'], headers: response.headers };
}

/** Puts a file at an address that the service has signed: it needs no token. @throws ProblemError */
export async function putBytes(url: string, bytes: Blob): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, { method: 'PUT', body: bytes });
  } catch {
    throw unreachable();
  }
  if (!response.ok) throw problemOf(response, await response.json().catch(() => undefined));
}
