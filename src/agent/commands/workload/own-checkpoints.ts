import { failureOf } from '../../failures';
import type { JobEnvironment } from '../../slurm/job-identity';
import { JobNumber } from '../../slurm/job-number';
import type { Manifest } from '../../store/manifest';

/** What each new checkpoint of a job says of it. What is not known, or could not be noted, is absent. */
export type OfJob = Pick<Manifest['workload'], 'jobSince' | 'jobRun'>;

type Inform = (sentence: string) => void;

/**
 * Leaves out the checkpoint of an earlier job that had the number of this one, and notes since when this one
 * has it. Throws if there is a checkpoint and Slurm does not show the job: nobody knows then whose it is.
 * @param newest of the checkpoints of jobs with this number
 */
export async function newestOfJob(
  job: JobEnvironment,
  newest: Manifest | undefined,
  inform: Inform,
): Promise<{ readonly manifest?: Manifest | undefined; readonly ofJob: OfJob }> {
  const number = await JobNumber.of(job).catch((error: unknown) => {
    if (newest) throw error;
    return unnoted(error, inform);
  });
  if (!number) return { ofJob: {} };
  const manifest = newest && number.has(newest) ? newest : undefined;
  if (newest && !manifest)
    inform(`The checkpoint ${newest.reference} is of an earlier job with this number. It is passed over.`);
  return { manifest, ofJob: await note(number, manifest, inform) };
}

/** Of a job that goes on from a checkpoint that it was given. Throws if that is of an earlier job. */
export async function ofInstructedJob(job: JobEnvironment, given: Manifest, inform: Inform): Promise<OfJob> {
  const number = await JobNumber.of(job).catch((error: unknown) => unnoted(error, inform));
  number?.requireOwn(given);
  return number ? note(number, given, inform) : {};
}

async function note(number: JobNumber, newest: Manifest | undefined, inform: Inform): Promise<OfJob> {
  const jobSince = await number.note(newest).catch((error: unknown) => unnoted(error, inform));
  const { run } = number;
  return { ...(jobSince !== undefined && { jobSince }), ...(run !== undefined && { jobRun: run }) };
}

/** The job goes on: only one that gets its number later may not know whose checkpoints these are. */
function unnoted(error: unknown, inform: Inform): undefined {
  inform(`Since when the job has its number is not noted in its Comment: ${failureOf(error).message}`);
}
