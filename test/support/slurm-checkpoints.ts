import type { Answer, Organisation } from './service';
import { ok } from './workloads';

/** Slurm jobs as flat records. */
export const flatJob = (job_id: number, members: object = {}): object => ({
  job_id,
  name: `job-${job_id}`,
  status: 'RUNNING',
  nodes: 'n[1-2]',
  partition: 'gpu',
  submit_time: 1_000,
  start_time: 1_010,
  ...members,
});

/** Requests a checkpoint of a Slurm job. @returns the action's id */
export const askSlurmCheckpoint = async (
  { operator }: Organisation,
  clusterId: string,
  jobId: number,
  more: object = {},
): Promise<string> =>
  ok(await operator.post('/v1/slurm/checkpoint/job', { cluster_id: clusterId, job_id: String(jobId), ...more })).text;

/** @returns the checkpoint's id */
export const takeUpSlurm = async ({ controller }: Organisation, actionId: string, more: object = {}): Promise<string> =>
  ok(await controller.post('/v1/slurm/checkpoints', { action_id: actionId, ...more })).text;

export const putSlurmInfo = (
  { controller }: Organisation,
  id: string,
  info?: unknown,
  more: object = {},
): Promise<Answer> =>
  controller.put(`/v1/slurm/checkpoints/info/${id}`, { gpu: 'NVIDIA H100', platform: 'linux/amd64', info, ...more });

export const putSlurmUploaded = ({ controller }: Organisation, id: string, path?: string): Promise<Answer> =>
  controller.post(`/v1/slurm/checkpoints/uploaded/${id}`, path === undefined ? {} : { restore_path: path });

export const deprecateSlurm = ({ operator }: Organisation, id: string): Promise<Answer> =>
  operator.patch(`/v1/slurm/checkpoints/deprecate/${id}`);
