import type { Call } from '../history';
import type { Model } from '../search';

/** The money of a key, in thousandths of a dollar, and whether it is revoked. */
export interface Money {
  readonly phase: 'valid' | 'revoking' | 'revoked';
  readonly reserved: number;
}

/** `reserved` of a read; a status of an admission. */
export type KeyAnswer = { readonly status: number } | { readonly reserved: number };

/**
 * Which answers an admission may have. Replicas learn of a revocation within a second, so in between both
 * answers are right: the end of that second is a call of its own.
 */
const ADMITTED: Readonly<Record<Money['phase'], { readonly valid: boolean; readonly refused: boolean }>> = {
  valid: { valid: true, refused: false },
  revoking: { valid: true, refused: true },
  revoked: { valid: false, refused: true },
};
const PHASES: Readonly<Record<string, Money['phase']>> = { revoke: 'revoking', 'revocation known': 'revoked' };

/** Admits what its budget covers, and nothing else. */
export const keyWith = (budget: number): Model<Money> => ({
  initial: { phase: 'valid', reserved: 0 },
  reads: ['read'],
  next(state, { operation, input, output }: Call) {
    const answer = output as KeyAnswer | undefined;
    const phase = PHASES[operation];
    if (phase) return [{ ...state, phase: state.phase === 'revoked' ? 'revoked' : phase }];
    if (operation === 'read')
      return answer && 'reserved' in answer && answer.reserved === state.reserved ? [state] : [];
    const { valid, refused } = ADMITTED[state.phase];
    const reserved = state.reserved + Number(input);
    const covered = reserved <= budget;
    const status = answer && 'status' in answer ? answer.status : undefined;
    const after: Money[] = [];
    if (valid && covered && (status ?? 200) === 200) after.push({ ...state, reserved });
    if (valid && !covered && (status ?? 402) === 402) after.push(state);
    if (refused && (status ?? 401) === 401) after.push(state);
    return after;
  },
});
