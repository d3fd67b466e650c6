/** States in which a job has ended. In all others it waits, runs, or will run again. */
const ENDED: ReadonlySet<string> = new Set([
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMEOUT',
  'PREEMPTED',
  'NODE_FAIL',
  'BOOT_FAIL',
  'DEADLINE',
  'OUT_OF_MEMORY',
  'LAUNCH_FAILED',
  'REVOKED',
]);

const NOT_STARTED: ReadonlySet<string> = new Set(['PENDING', 'REQUEUE_HOLD', 'RESV_DEL_HOLD', 'SPECIAL_EXIT']);

export const hasEnded = (status: string): boolean => ENDED.has(status);
export const hasNotStarted = (status: string): boolean => NOT_STARTED.has(status);

/** The phase of a run: it waits, runs or has ended. No run goes back. */
export type Phase = 0 | 1 | 2;
export const phaseOf = (status: string): Phase => (hasEnded(status) ? 2 : hasNotStarted(status) ? 0 : 1);

/** Ended successfully, which its exit code says too. */
export const hasSucceeded = (status: string): boolean => status === 'COMPLETED';

const OUT_OF_MEMORY = { state: 'OUT_OF_MEMORY', event: 'OOM' };

/** A state as lists of jobs show it, from either spelling. */
export const statusOf = (word: string): string => (word === OUT_OF_MEMORY.event ? OUT_OF_MEMORY.state : word);

/** A state as events show it. */
export const eventStatus = (status: string): string => (status === OUT_OF_MEMORY.state ? OUT_OF_MEMORY.event : status);

/** The time at which the end of a job is listed, as precisely as known. Null until it has ended. */
export const eventTime = (job: {
  status: string;
  end_time: number | null;
  start_time: number;
  submit_time: number;
}): number | null => (hasEnded(job.status) ? job.end_time || job.start_time || job.submit_time : null);
