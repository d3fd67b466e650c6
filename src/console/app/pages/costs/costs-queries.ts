import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows } from '../../api/client';
import { refreshEvery } from '../../api/live';

/** Figures of another window never stand in for those that are asked for. */

/** Sums over days change slowly, and cost the service more than lists do. */
const REFRESH_MS = 60_000;
/** Profiles that the service lists at once. */
const MOST = 1_000;

export const reportQuery = (hours: number) =>
  queryOptions({
    queryKey: ['costs', 'report', hours],
    queryFn: ({ signal }) => read(api.GET('/v1/inference/costs/report', { params: { query: { hours } }, signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const breakdownQuery = (hours: number, isShown: boolean) =>
  queryOptions({
    enabled: isShown,
    queryKey: ['costs', 'breakdown', hours],
    queryFn: ({ signal }) =>
      readRows(api.GET('/v1/inference/costs/breakdown', { params: { query: { hours, limit: MOST } }, signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const dailyQuery = (days: number, isShown: boolean) =>
  queryOptions({
    enabled: isShown,
    queryKey: ['costs', 'daily', days],
    queryFn: ({ signal }) => read(api.GET('/v1/inference/costs/daily', { params: { query: { days } }, signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const startsQuery = (hours: number) =>
  queryOptions({
    queryKey: ['costs', 'starts', hours],
    queryFn: ({ signal }) => read(api.GET('/v1/inference/analytics', { params: { query: { hours } }, signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const protectedQuery = queryOptions({
  queryKey: ['costs', 'protected'],
  queryFn: ({ signal }) => read(api.GET('/v1/metrics/checkpoint-savings/summary', { signal })),
  refetchInterval: refreshEvery(REFRESH_MS),
});
