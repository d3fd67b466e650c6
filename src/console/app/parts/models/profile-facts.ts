import type { Activation, Intent } from '../../api/serving';
import type { Tone } from '../status';

/** What lists of the serving part together say of a profile. */

const PHASE_TONES: Readonly<Record<string, Tone>> = { Ready: 'good', Failed: 'bad', Suspended: 'quiet' };

/** A phase without a tone of its own is one of a worker that comes up, or goes. */
export const phaseTone = (phase: string): Tone => PHASE_TONES[phase] ?? 'busy';

/** Workers of a profile: how many are wanted, and how many take requests. */
export interface Staffing {
  readonly wanted: number;
  /** Undefined: one address stands for all of them, and nobody knows how many are behind it. */
  readonly ready: number | undefined;
}

export function staffingOf(activation: Activation | undefined, intent: Intent | undefined): Staffing {
  const wanted = intent?.desired_replicas ?? 0;
  if (activation?.workers) return { wanted, ready: activation.workers.filter(({ ready }) => ready).length };
  if (activation?.ready !== true) return { wanted, ready: 0 };
  return { wanted, ready: wanted <= 1 ? 1 : undefined };
}

export const staffingText = ({ wanted, ready }: Staffing): string =>
  ready === undefined ? `ready, of ${wanted}` : `${ready} of ${wanted}`;

/** Why a profile does not work; undefined if it does, or if nobody wants it to. */
export function troubleOf(activation: Activation | undefined, intent: Intent | undefined): string | undefined {
  if (activation?.phase === 'Failed') return activation.message ?? 'The start failed. Its controller gave no reason.';
  const wanted = intent?.desired_state === 'Active';
  if (intent?.status === 'Failed' && activation?.ready !== true)
    return `${wanted ? 'The wake' : 'The suspension'} failed${activation?.message ? `: ${activation.message}` : '.'}`;
  if (intent?.status === 'Expired' && wanted && activation?.ready !== true)
    return 'Nobody woke it in time: the request expired.';
  return undefined;
}

export const startWord = (restored: boolean): string => (restored ? 'restored' : 'cold');
