import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from '../../../api/client';
import { refreshEvery } from '../../../api/live';

export type SlurmJob = Schemas['SlurmJobView'];

const PAGE = 100;
const FRESH_PAGES = 2;

export const slurmJobsQuery = (cluster: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['slurm-jobs', 'list', cluster],
    queryFn: ({ pageParam: offset, signal }) =>
      readRows(api.GET('/v1/slurm/jobs', { params: { query: { cluster_id: cluster, limit: PAGE, offset } }, signal })),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next?.offset === undefined ? undefined : Number(next.offset)),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= FRESH_PAGES ? refreshEvery()() : false),
  });

/** A job's cluster and its number in that cluster, as the address names an open job. */
export const slurmKey = ({ cluster_id: cluster, job_id: id }: Pick<SlurmJob, 'cluster_id' | 'job_id'>): string =>
  `${cluster}:${id}`;

export const slurmJobQuery = (key: string | undefined) => {
  const [cluster = '', number = ''] = key?.split(':') ?? [];
  return queryOptions({
    queryKey: ['slurm-jobs', 'one', key],
    queryFn: async ({ signal }) => {
      const query = { cluster_id: cluster, job_ids: number };
      const jobs = await read(api.GET('/v1/slurm/jobs', { params: { query }, signal }));
      return jobs[0] ?? null;
    },
    enabled: key !== undefined,
    refetchInterval: refreshEvery(),
  });
};
