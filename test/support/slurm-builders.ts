import type { Answer, Caller, Organisation } from './service';

/** A Slurm cluster. @returns its id */
export const slurmCluster = async (org: Organisation, name = 'hpc'): Promise<string> =>
  (await org.operator.post('/v1/cluster', { cluster_name: name, kind: 'slurm' })).text;

/** A running job as slurmrestd 24.11 prints it, reduced to the members that the service reads. */
export const slurmJob = (job_id: number, members: object = {}): object => ({
  job_id,
  name: `job-${job_id}`,
  job_state: ['RUNNING'],
  nodes: 'n1',
  partition: 'gpu',
  priority: { set: true, infinite: false, number: 1 },
  submit_time: { set: true, infinite: false, number: 1_000 },
  start_time: { set: true, infinite: false, number: 1_010 },
  end_time: { set: true, infinite: false, number: 90_000 },
  ...members,
});

export const syncJobs = (caller: Caller, clusterId: string, jobs: unknown[], more: object = {}): Promise<Answer> =>
  caller.post('/v1/slurm/jobs/sync', { cluster_id: clusterId, jobs, ...more });
