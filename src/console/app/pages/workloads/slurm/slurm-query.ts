import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from '../../../api/client';
import { continued, PAGE } from '../../../api/continued';
import { refreshEvery } from '../../../api/live';

export type SlurmJob = Schemas['SlurmJobView'];

export const slurmJobsQuery = (cluster: string | undefined) =>
  continued(['slurm-jobs', 'list', cluster], (offset, signal) => {
    const query = { cluster_id: cluster, limit: PAGE, offset };
    return readRows(api.GET('/v1/slurm/jobs', { params: { query }, signal }));
  });

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
