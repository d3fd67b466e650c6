import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import { refreshEvery } from '../../api/live';
import type { OperationFact } from '../../parts/operations';
import { readAgainAfter, RUNNING_MS, unreported, type Reported } from './reported';

const WEEK_S = 7 * 86_400;
const ATTEMPTS = 20;

export const operationQuery = (id: string) =>
  queryOptions({
    queryKey: ['operations', 'one', id],
    queryFn: ({ signal, client, queryKey }): Promise<Reported> =>
      read(api.GET('/v1/operations/{id}', { params: { path: { id } }, signal })).catch((error: unknown) =>
        unreported(error, client.getQueryData<Reported>(queryKey)),
      ),
    refetchInterval: ({ state }) => refreshEvery(readAgainAfter(state))(),
  });

/** What is usual for operations of this kind. */
export const usualQuery = ({ op_type: operation, workload_type }: OperationFact) => {
  const workload = workload_type === 'slurm' ? ('slurm' as const) : ('kubernetes' as const);
  return queryOptions({
    queryKey: ['operations', 'usual', operation, workload],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/metrics/operations/summary', { params: { query: { time: WEEK_S, workload, operation } }, signal }),
      ),
    staleTime: 60_000,
  });
};

/** All attempts of one action, once this one has ended: of each container, and those that were repeated. */
export const attemptsQuery = ({ action_id: actionId, result }: OperationFact) =>
  queryOptions({
    queryKey: ['operations', 'attempts', actionId],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/operations', { params: { query: { action_id: actionId, limit: ATTEMPTS } }, signal })),
    enabled: actionId !== '' && result !== 'running',
    refetchInterval: refreshEvery(),
  });

/** What the node says while it works. */
export const progressQuery = (actionId: string, isRunning: boolean) =>
  queryOptions({
    queryKey: ['actions', 'status', actionId],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/checkpoint/status/{action_id}', { params: { path: { action_id: actionId } }, signal })),
    enabled: isRunning && actionId !== '',
    refetchInterval: refreshEvery(RUNNING_MS),
  });
