import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from './client';
import { refreshEvery } from './live';

export type ModelRoute = Schemas['RouteView'];
export type RouteStatus = Schemas['RouteStatusView'];

/** More than that are never in one answer. */
const query = { limit: 1_000 };

/** The targets of each logical model. */
export const routesQuery = queryOptions({
  queryKey: ['routes', 'list'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/routes', { params: { query }, signal })),
  refetchInterval: refreshEvery(),
});

const STATE_MS = 2_000;

/** What a request for a model would find now. Requests in flight have no events. */
export const routeStateQuery = (model: string) =>
  queryOptions({
    queryKey: ['routes', 'state', model],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/inference/routes/{logical_model}/state', { params: { path: { logical_model: model } }, signal }),
      ),
    // A model without a route has none for a while.
    refetchInterval: ({ state }) => refreshEvery(state.status === 'error' ? undefined : STATE_MS)(),
  });

const STATUS_MS = 5_000;

/** What serves each of them now. */
export const routeStatusesQuery = queryOptions({
  queryKey: ['routes', 'statuses'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/routes/status', { params: { query }, signal })),
  refetchInterval: refreshEvery(STATUS_MS),
});
