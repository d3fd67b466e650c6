/** Slurm's job number from a text; undefined if it is not one. */
export function slurmJobNumber(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

/** The requirement for a job number, as an error message. */
export const NOT_A_JOB_NUMBER = "must be Slurm's number of a job, such as 4711";
