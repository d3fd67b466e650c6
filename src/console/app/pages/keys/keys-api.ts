import { queryOptions } from '@tanstack/react-query';
import { once } from '../../actions/actions-api';
import { api, read, readRows, type Schemas } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { queryClient } from '../../api/query-client';

export type InferenceKey = Schemas['InferenceKeyView'];
export type AccessToken = Schemas['TokenView'];

/** The most that the service sends at once. The lists have no filter, so they are read whole up to here. */
export const MOST = 1_000;

export const keysQuery = queryOptions({
  queryKey: ['inference-keys'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/keys', { params: { query: { limit: MOST } }, signal })),
  refetchInterval: refreshEvery(),
});

export const tokensQuery = (isAllowed: boolean) =>
  queryOptions({
    queryKey: ['access-tokens'],
    queryFn: ({ signal }) => readRows(api.GET('/v1/tokens', { params: { query: { limit: MOST } }, signal })),
    refetchInterval: refreshEvery(),
    enabled: isAllowed,
  });

/** A list is read again once it has changed. */
async function changed<T>(list: string, change: Promise<T>): Promise<T> {
  const answer = await change;
  void queryClient.invalidateQueries({ queryKey: [list] });
  return answer;
}

export const createKey = (body: Schemas['CreateInferenceKeyBody']) =>
  changed('inference-keys', read(api.POST('/v1/inference/keys', { body, params: { header: once() } })));

export const revokeKey = (id: string) =>
  changed('inference-keys', read(api.DELETE('/v1/inference/keys/{key_id}', { params: { path: { key_id: id } } })));

export const createToken = (body: Schemas['CreateTokenBody']) =>
  changed('access-tokens', read(api.POST('/v1/tokens', { body, params: { header: once() } })));

export const revokeToken = (id: string) =>
  changed('access-tokens', read(api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: id } } })));
