import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schemas } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { ProblemError } from '../../api/problem';
import type { OperationFact } from '../../parts/operations';

const RUNNING_MS = 1_500;
/** An id may be nobody's, so this is asked less often than what runs. */
const UNREPORTED_MS = 5_000;
const WEEK_S = 7 * 86_400;
const ATTEMPTS = 20;

const unreported = (error: unknown): ProblemError => {
  if (error instanceof ProblemError && error.code === 'operation_not_found') return error;
  throw error;
};

/**
 * While it runs, it is read more often: its stages arrive one by one. What a node has not reported yet is no
 * failure: many links lead to what was only requested. The answer is then the problem that says so.
 */
export const operationQuery = (id: string) =>
  queryOptions({
    queryKey: ['operations', 'one', id],
    queryFn: ({ signal }): Promise<Schemas['OperationFactDetailView'] | ProblemError> =>
      read(api.GET('/v1/operations/{id}', { params: { path: { id } }, signal })).catch(unreported),
    refetchInterval: ({ state: { data } }) => {
      if (data instanceof ProblemError) return refreshEvery(UNREPORTED_MS)();
      return refreshEvery(data?.result === 'running' ? RUNNING_MS : undefined)();
    },
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
