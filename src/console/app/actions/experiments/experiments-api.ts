import { api, read, type Schemas } from '../../api/client';
import type { Experiment } from '../../api/experiments';
import { queryClient } from '../../api/query-client';
import { once } from '../actions-api';

/** The lists are read again: the event takes a moment. */
async function changed(change: Promise<Experiment>): Promise<Experiment> {
  const experiment = await change;
  void queryClient.invalidateQueries({ queryKey: ['experiments'] });
  return experiment;
}

export const startExperiment = (body: Schemas['CreateExperimentBody']): Promise<Experiment> =>
  changed(read(api.POST('/v1/inference/experiments', { body, params: { header: once() } })));

export const endExperiment = (id: string, status: 'completed' | 'cancelled'): Promise<Experiment> =>
  changed(
    read(
      api.POST('/v1/inference/experiments/{id}/complete', {
        params: { path: { id }, header: once() },
        body: { status },
      }),
    ),
  );
