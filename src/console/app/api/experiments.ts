import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from './client';
import { continued, PAGE } from './continued';
import { refreshEvery } from './live';

export type Experiment = Schemas['ExperimentView'];
export type ListedExperiment = Schemas['ExperimentListItemView'];
export type ExperimentStatus = 'running' | 'completed' | 'cancelled';

export interface ExperimentFilter {
  readonly status?: ExperimentStatus | undefined;
  readonly profile?: string | undefined;
  readonly name?: string | undefined;
}

/** Newest first. */
export const experimentsQuery = ({ status, profile, name }: ExperimentFilter) =>
  continued(['experiments', 'list', status, profile, name], (offset, signal) =>
    readRows(
      api.GET('/v1/inference/experiments', {
        params: { query: { status, profile_id: profile, name, limit: PAGE, offset } },
        signal,
      }),
    ),
  );

export const experimentQuery = (id: string) =>
  queryOptions({
    queryKey: ['experiments', 'one', id],
    queryFn: ({ signal }) => read(api.GET('/v1/inference/experiments/{id}', { params: { path: { id } }, signal })),
    refetchInterval: refreshEvery(),
  });
