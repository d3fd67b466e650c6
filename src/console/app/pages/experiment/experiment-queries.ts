import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows } from '../../api/client';
import type { Experiment } from '../../api/experiments';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';

/** Reports cost the service more than lists do, and an ended experiment hardly changes. */
const REFRESH_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Reports reach no further back. */
export const MOST_HOURS = 2_160;

/** How far a report must reach back to have the whole experiment. */
export const hoursOf = ({ started_at: at }: Pick<Experiment, 'started_at'>): number =>
  Math.max(1, Math.ceil((now() - Date.parse(at)) / HOUR_MS));

const reportOf = (experiment: Experiment) => ({
  query: { experiment_id: experiment.id, hours: Math.min(hoursOf(experiment), MOST_HOURS) },
});

export const costQuery = (experiment: Experiment) =>
  queryOptions({
    queryKey: ['experiments', 'costs', experiment.id, experiment.status],
    queryFn: ({ signal }) => read(api.GET('/v1/inference/costs/report', { params: reportOf(experiment), signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const analyticsQuery = (experiment: Experiment) =>
  queryOptions({
    queryKey: ['experiments', 'analytics', experiment.id, experiment.status],
    queryFn: ({ signal }) => read(api.GET('/v1/inference/analytics', { params: reportOf(experiment), signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const startsQuery = ({ id, status }: Experiment) =>
  queryOptions({
    queryKey: ['experiments', 'starts', id, status],
    queryFn: ({ signal }) =>
      readRows(api.GET('/v1/inference/startup-comparison', { params: { query: { experiment_id: id } }, signal })),
    refetchInterval: refreshEvery(REFRESH_MS),
  });

export const linkedQuery = ({ id, status }: Experiment) =>
  queryOptions({
    queryKey: ['experiments', 'linked', id, status],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/inference/correlation', { params: { query: { experiment_id: id } }, signal })),
    refetchInterval: refreshEvery(),
  });

const NEWEST = 20;

/** The newest measurements that name it. */
export const observationsQuery = ({ id, status }: Experiment) =>
  queryOptions({
    queryKey: ['experiments', 'observations', id, status],
    queryFn: ({ signal }) =>
      readRows(
        api.GET('/v1/inference/observations', { params: { query: { experiment_id: id, limit: NEWEST } }, signal }),
      ),
    refetchInterval: refreshEvery(),
  });
