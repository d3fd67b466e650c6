import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const DAY_S = DAY_MS / 1_000;

/** Marks of the strip: more cannot be distinguished. */
const DRAWN = 500;
const FAILURES = 6;
const WEEK_MS = 7 * DAY_MS;

export const summaryQuery = queryOptions({
  queryKey: ['operations', 'summary', DAY_S],
  queryFn: ({ signal }) =>
    read(api.GET('/v1/metrics/operations/summary', { params: { query: { time: DAY_S } }, signal })),
  refetchInterval: refreshEvery(),
});

/** The operations of the strip, and the time at which it ends. */
export const stripQuery = queryOptions({
  queryKey: ['operations', 'strip'],
  queryFn: async ({ signal }) => {
    const until = now();
    const since = new Date(until - DAY_MS).toISOString();
    const page = await readRows(api.GET('/v1/operations', { params: { query: { since, limit: DRAWN } }, signal }));
    return { until, operations: page.rows, isWhole: page.next === undefined };
  },
  refetchInterval: refreshEvery(),
});

export const failuresQuery = queryOptions({
  queryKey: ['operations', 'failures'],
  queryFn: ({ signal }) => {
    const since = new Date(now() - WEEK_MS).toISOString();
    const query = { result: 'failed', since, limit: FAILURES } as const;
    return read(api.GET('/v1/operations', { params: { query }, signal }));
  },
  refetchInterval: refreshEvery(),
});
