import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from './client';
import { refreshEvery } from './live';

export type ModelRoute = Schemas['RouteView'];
export type RouteStatus = Schemas['RouteStatusView'];

/** More than that are never in one answer. */
const query = { limit: 1_000 };

/** First word of the query keys. */
export const ROUTES = 'routes';

/** The targets of each logical model. */
export const routesQuery = queryOptions({
  queryKey: [ROUTES, 'list'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/routes', { params: { query }, signal })),
  refetchInterval: refreshEvery(),
});

const STATE_MS = 2_000;

/** What a request for a model would find now. Requests in flight have no events. */
export const routeStateQuery = (model: string) =>
  queryOptions({
    queryKey: [ROUTES, 'state', model],
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
  queryKey: [ROUTES, 'statuses'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/routes/status', { params: { query }, signal })),
  refetchInterval: refreshEvery(STATUS_MS),
});

export const deleteRoute = (model: string) =>
  read(api.DELETE('/v1/inference/routes/{logical_model}', { params: { path: { logical_model: model } } }));
