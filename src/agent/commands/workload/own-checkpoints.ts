import { failureOf } from '../../failures';
import type { JobEnvironment } from '../../slurm/job-identity';
import { JobNumber } from '../../slurm/job-number';
import type { Manifest } from '../../store/manifest';

/** Of a job: its newest checkpoint, and since when the job has its number. */
export interface OfJob {
  readonly manifest?: Manifest | undefined;
  /** undefined: it could not be noted. */
  readonly since?: number | undefined;
}

type Inform = (sentence: string) => void;

/**
 * Leaves out the checkpoint of an earlier job that had the number of this one, and notes since when this one
 * has it. Throws if there is a checkpoint and Slurm does not show the job: nobody knows then whose it is.
 * @param newest of the checkpoints of jobs with this number
 */
export async function newestOfJob(job: JobEnvironment, newest: Manifest | undefined, inform: Inform): Promise<OfJob> {
  const number = await JobNumber.of(job).catch((error: unknown) => {
    if (newest) throw error;
    return unnoted(error, inform);
  });
  if (!number) return {};
  const manifest = newest && number.has(newest) ? newest : undefined;
  if (newest && !manifest)
    inform(`The checkpoint ${newest.reference} is of an earlier job with this number. It is passed over.`);
  return { manifest, since: await note(number, manifest, inform) };
}

/**
 * Since when a job has its number, which goes on from a checkpoint that it was given. Throws if that is of an
 * earlier job with this number.
 */
export async function sinceOfJob(job: JobEnvironment, given: Manifest, inform: Inform): Promise<number | undefined> {
  const number = await JobNumber.of(job).catch((error: unknown) => unnoted(error, inform));
  number?.requireOwn(given);
  return number && note(number, given, inform);
}

const note = (number: JobNumber, newest: Manifest | undefined, inform: Inform): Promise<number | undefined> =>
  number.note(newest).catch((error: unknown) => unnoted(error, inform));

/** The job goes on: only one that gets its number later may not know whose checkpoints these are. */
function unnoted(error: unknown, inform: Inform): undefined {
  inform(`Since when the job has its number is not noted in its Comment: ${failureOf(error).message}`);
}
