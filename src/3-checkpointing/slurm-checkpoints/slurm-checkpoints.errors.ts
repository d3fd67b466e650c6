import { invalidField, notFound } from '../../1-platform/common/answers/problem';
import { NOT_A_JOB_NUMBER } from '../../2-inventory/slurm/jobs/slurm-job-number';

export const jobNotNamed = () => invalidField('job_id', 'is required, or job_name');
export const jobIdNotNumeric = () => invalidField('job_id', NOT_A_JOB_NUMBER);
/** Also for a job that was not reported yet: its sender retries after the next sync. */
export const slurmJobNotRunning = () => notFound('nothing_to_checkpoint', 'No running job matches.');
/** Controllers of other clusters restore pods. */
export const notASlurmCluster = () => invalidField('cluster_id', 'must be the id of a Slurm cluster');
