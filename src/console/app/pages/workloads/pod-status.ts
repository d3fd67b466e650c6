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
