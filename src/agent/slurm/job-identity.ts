import { AgentFailure } from '../failures';
import type { Manifest } from '../store/manifest';
import { sinceIn } from './job-since';

/** What the processes of a job learn about it from Slurm. */
export interface JobEnvironment {
  /** Slurm's number of the job; each task of an array has one of its own. */
  readonly jobId: number;
  readonly cluster: string;
  /** How often the job was requeued. */
  readonly restarts: number;
}

const MAX_LABEL = 63;
const PREFIX = 'slurm-';
const NAME = 'job-';

/** The job in which this process runs; undefined outside of jobs. */
export function jobOfThisProcess(env: NodeJS.ProcessEnv = process.env): JobEnvironment | undefined {
  const { SLURM_JOB_ID, SLURM_CLUSTER_NAME = '', SLURM_RESTART_COUNT = '0' } = env;
  const jobId = Number(SLURM_JOB_ID);
  if (!Number.isSafeInteger(jobId) || jobId < 1) return undefined;
  return { jobId, cluster: SLURM_CLUSTER_NAME, restarts: Number(SLURM_RESTART_COUNT) || 0 };
}

/**
 * Under which namespace and name a job's workload is supervised: the controller finds it by them, and a store
 * may be shared by several clusters, whose numbers of jobs repeat.
 */
export function workloadOfJob({ cluster, jobId }: Pick<JobEnvironment, 'cluster' | 'jobId'>): {
  readonly namespace: string;
  readonly name: string;
} {
  const label = `${PREFIX}${cluster.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return { namespace: label.slice(0, MAX_LABEL).replace(/(?<!-)-+$/, ''), name: `${NAME}${jobId}` };
}

/** The number of the job that has this name. @returns undefined for other names */
export function jobIdOf(name: string): number | undefined {
  const jobId = name.startsWith(NAME) ? Number(name.slice(NAME.length)) : NaN;
  return Number.isSafeInteger(jobId) && jobId > 0 && `${NAME}${jobId}` === name ? jobId : undefined;
}

/**
 * Clusters number their jobs from 1, and Slurm shows the tasks of an array together: a checkpoint of another
 * job must not take the place of this one.
 * @param job with its Comment, if that is known
 * @throws AgentFailure `incompatible` if the checkpoint is not of this job
 */
export function requireOfJob(
  { workload, reference }: Pick<Manifest, 'workload' | 'reference'>,
  job: Pick<JobEnvironment, 'cluster' | 'jobId'> & { readonly comment?: string },
): void {
  const { namespace, name } = workloadOfJob(job);
  const since = sinceIn(job.comment ?? '');
  const isOther = workload.namespace !== namespace || workload.name !== name;
  const isEarlier = since !== undefined && workload.jobSince !== undefined && workload.jobSince !== since;
  if (!isOther && !isEarlier) return;
  const found = `${workload.namespace}/${workload.name}`;
  throw new AgentFailure({
    cause: 'incompatible',
    message: isOther
      ? `The checkpoint is of ${found}, and the job is ${namespace}/${name}.`
      : `The checkpoint is of an earlier job ${found}, which had the same number.`,
    remedy: `Submit a new job, with \`ccp-agent run --restore ${reference}\` in its script.`,
  });
}
