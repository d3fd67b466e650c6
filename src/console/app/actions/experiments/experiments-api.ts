import { api, read, type Schemas } from '../../api/client';
import type { Experiment } from '../../api/experiments';
import type { Once } from '../once';

export const startExperiment = (once: Once, body: Schemas['CreateExperimentBody']): Promise<Experiment> =>
  read(api.POST('/v1/inference/experiments', { body, params: { header: once(body) } }));

export const endExperiment = (once: Once, id: string, status: 'completed' | 'cancelled'): Promise<Experiment> =>
  read(
    api.POST('/v1/inference/experiments/{id}/complete', {
      params: { path: { id }, header: once({ status }) },
      body: { status },
    }),
  );
