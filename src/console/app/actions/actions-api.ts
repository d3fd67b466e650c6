import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import type { Once } from './once';

/** What the console asks the service to do, in the words of the API. */

/** @returns the id of the action */
export const askCheckpoint = (once: Once, body: Schemas['CheckpointPodBody']): Promise<string> =>
  read(api.POST('/v1/checkpoint/pod', { body, params: { header: once(body) }, parseAs: 'text' }));

/** @returns the id of the action */
export const askSlurmCheckpoint = (once: Once, body: Schemas['CheckpointSlurmJobBody']): Promise<string> =>
  read(api.POST('/v1/slurm/checkpoint/job', { body, params: { header: once(body) }, parseAs: 'text' }));

/** @returns the id of the action */
export function askSlurmRestore(once: Once, actionId: string): Promise<string> {
  const body = { action_id: actionId, reason: 'manual' as const };
  return read(api.POST('/v1/slurm/restore/job', { body, params: { header: once(body) }, parseAs: 'text' }));
}

/** @param isBeside the owner of the pod does not replace it. @returns the id of the action */
export function askPodRestore(once: Once, actionId: string, isBeside: boolean): Promise<string> {
  const overrides = isBeside ? { overrides: { standalone: true } } : {};
  const body = { action_id: actionId, reason: 'manual' as const, ...overrides };
  return read(api.POST('/v1/restore/pod', { body, params: { header: once(body) }, parseAs: 'text' }));
}

const OUTCOME_MS = 1_000;
/** The last status of an action. */
const ENDED = ['ready', 'error'];

export const hasEnded = (status: string): boolean => ENDED.includes(status);

export const actionQuery = (id: string) =>
  queryOptions({
    queryKey: ['actions', 'one', id],
    queryFn: ({ signal }) => read(api.GET('/v1/actions/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.status) ? false : OUTCOME_MS),
  });
