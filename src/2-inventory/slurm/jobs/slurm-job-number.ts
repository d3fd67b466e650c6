/** Slurm's number of a job, given as text; undefined when it is none. */
export function slurmJobNumber(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

/** What a number of a job must be, for who gave something else. */
export const NOT_A_JOB_NUMBER = "must be Slurm's number of a job, such as 4711";
