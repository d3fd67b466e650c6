import type { Tone } from '../../parts/status';

/** A pod with a reason does not work, whatever its phase says. */
export function podTone({ status, reason, ready }: { status: string; reason: string | null; ready: string }): Tone {
  if (status === 'Failed' || (reason !== null && status !== 'Succeeded')) return 'bad';
  const [done, wanted] = ready.split('/');
  if (status === 'Running') return done === wanted ? 'good' : 'busy';
  if (status === 'Pending') return 'busy';
  return 'quiet';
}

const JOB_TONES: Readonly<Record<string, Tone>> = {
  Running: 'busy',
  Complete: 'good',
  Failed: 'bad',
  Suspended: 'warn',
};

/** As kubectl names the state of a job. */
export const jobTone = (status: string): Tone => JOB_TONES[status] ?? 'quiet';

const SLURM_TONES: Readonly<Record<string, Tone>> = {
  RUNNING: 'good',
  PENDING: 'busy',
  CONFIGURING: 'busy',
  COMPLETING: 'busy',
  SUSPENDED: 'warn',
  PREEMPTED: 'warn',
  FAILED: 'bad',
  NODE_FAIL: 'bad',
  OUT_OF_MEMORY: 'bad',
  TIMEOUT: 'bad',
  BOOT_FAIL: 'bad',
  DEADLINE: 'bad',
};

export const slurmTone = (status: string): Tone => SLURM_TONES[status] ?? 'quiet';
