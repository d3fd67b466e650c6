import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import { refreshEvery } from '../api/live';

/** What the console asks the service to do, in the words of the API. */

export type WorkloadKind = 'kubernetes' | 'slurm';

/** Something asked for twice by a nervous click is done once. */
export const once = () => ({ 'Idempotency-Key': crypto.randomUUID() });

/** @returns the id of the action */
export const askCheckpoint = (body: Schemas['CheckpointPodBody']): Promise<string> =>
  read(api.POST('/v1/checkpoint/pod', { body, params: { header: once() }, parseAs: 'text' }));

/** @returns the id of the action */
export const askSlurmCheckpoint = (body: Schemas['CheckpointSlurmJobBody']): Promise<string> =>
  read(api.POST('/v1/slurm/checkpoint/job', { body, params: { header: once() }, parseAs: 'text' }));

/** @returns the id of the action */
export const askRestore = (kind: WorkloadKind, actionId: string): Promise<string> =>
  kind === 'slurm'
    ? read(
        api.POST('/v1/slurm/restore/job', {
          body: { action_id: actionId, reason: 'manual' },
          params: { header: once() },
          parseAs: 'text',
        }),
      )
    : read(
        api.POST('/v1/restore/pod', {
          body: { action_id: actionId, reason: 'manual' },
          params: { header: once() },
          parseAs: 'text',
        }),
      );

const OUTCOME_MS = 1_000;
/** The last status of an action. */
const ENDED = ['ready', 'error'];

export const hasEnded = (status: string): boolean => ENDED.includes(status);

export const actionQuery = (id: string) =>
  queryOptions({
    queryKey: ['actions', 'one', id],
    queryFn: ({ signal }) => read(api.GET('/v1/actions/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.status) ? false : refreshEvery(OUTCOME_MS)()),
  });
