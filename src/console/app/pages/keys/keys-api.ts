import { queryOptions } from '@tanstack/react-query';
import type { Once } from '../../actions/once';
import { api, read, readRows, type Schemas } from '../../api/client';
import { continued, PAGE } from '../../api/continued';
import { refreshEvery } from '../../api/live';

export type InferenceKey = Schemas['InferenceKeyView'];
export type AccessToken = Schemas['ListedTokenView'];
export type TokenStatus = AccessToken['status'];

/** First words of the query keys. */
export const KEYS = 'inference-keys';
export const TOKENS = 'access-tokens';

/** The most that the service sends at once. The list of keys has no filter: it is read whole up to here. */
const MOST = 1_000;

export const keysQuery = queryOptions({
  queryKey: [KEYS],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/keys', { params: { query: { limit: MOST } }, signal })),
  refetchInterval: refreshEvery(),
});

interface TokenFilter {
  readonly status?: TokenStatus | undefined;
  /** A part of it. */
  readonly name?: string | undefined;
}

/** Newest first. */
export const tokensQuery = ({ status, name }: TokenFilter) =>
  continued([TOKENS, status, name], (offset, signal) =>
    readRows(api.GET('/v1/tokens', { params: { query: { status, name, limit: PAGE, offset } }, signal })),
  );

export const createKey = (once: Once, body: Schemas['CreateInferenceKeyBody']) =>
  read(api.POST('/v1/inference/keys', { body, params: { header: once(body) } }));

export const changeKey = (once: Once, id: string, body: Schemas['UpdateInferenceKeyBody']) =>
  read(api.PATCH('/v1/inference/keys/{key_id}', { body, params: { path: { key_id: id }, header: once(body) } }));

export const revokeKey = (id: string) =>
  read(api.DELETE('/v1/inference/keys/{key_id}', { params: { path: { key_id: id } } }));

export const createToken = (once: Once, body: Schemas['CreateTokenBody']) =>
  read(api.POST('/v1/tokens', { body, params: { header: once(body) } }));

export const revokeToken = (id: string) =>
  read(api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: id } } }));
