import { api, read, type Schemas } from '../../api/client';
import type { Experiment } from '../../api/experiments';
import { once } from '../actions-api';

export const startExperiment = (body: Schemas['CreateExperimentBody']): Promise<Experiment> =>
  read(api.POST('/v1/inference/experiments', { body, params: { header: once() } }));

export const endExperiment = (id: string, status: 'completed' | 'cancelled'): Promise<Experiment> =>
  read(
    api.POST('/v1/inference/experiments/{id}/complete', {
      params: { path: { id }, header: once() },
      body: { status },
    }),
  );
