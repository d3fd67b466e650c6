import { invalidField, notFound } from '../../1-platform/common/answers/problem';
import { NOT_A_JOB_NUMBER } from '../../2-inventory/slurm/jobs/slurm-job-number';

export const jobNotNamed = () => invalidField('job_id', 'is required, or job_name');
export const jobIdNotNumeric = () => invalidField('job_id', NOT_A_JOB_NUMBER);
/** Also of a job that was not told of yet: its sender asks again after the next sync. */
export const slurmJobNotRunning = () => notFound('nothing_to_checkpoint', 'No running job matches.');
/** Its controller restores pods. */
export const notASlurmCluster = () => invalidField('cluster_id', 'must be of a Slurm cluster');
