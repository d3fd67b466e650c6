import type { Call } from '../history';
import type { Model } from '../search';

/** The newest request of a profile. */
export interface Restart {
  /** Undefined: nobody has seen it, because the one who opened it got no answer. */
  readonly id?: string | undefined;
  readonly status: string;
}

export interface RestartAnswer extends Partial<Restart> {
  readonly refused?: boolean;
}

/** A report may be lost, so steps may be left out; none leads back, and what has ended stays so. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  pending: ['pending', 'running', 'succeeded', 'failed'],
  running: ['running', 'succeeded', 'failed'],
  succeeded: ['succeeded'],
  failed: ['failed'],
};
const OPEN = ['pending', 'running'];

/** The same request, whose id is known from now on. Empty if it is another one. */
const seen = (state: Restart, answer: RestartAnswer): Restart[] =>
  answer.status === state.status && (state.id ?? answer.id) === answer.id ? [{ ...state, id: answer.id }] : [];

/** A profile has at most one open request: opening another one finds it. */
export const RESTART: Model<Restart> = {
  initial: { status: 'none' },
  reads: ['read'],
  next(state, { operation, input, output }: Call) {
    const answer = output as RestartAnswer | undefined;
    if (operation === 'read') return answer ? seen(state, { status: 'none', ...answer }) : [state];
    if (operation === 'open') {
      if (OPEN.includes(state.status)) return answer ? seen(state, answer) : [state];
      if (!answer) return [{ status: 'pending' }];
      return answer.status === 'pending' && answer.id !== state.id ? [{ id: answer.id, status: 'pending' }] : [];
    }
    return reported(state, input as { id: string; status: string }, answer);
  },
};

function reported(state: Restart, { id, status }: { id: string; status: string }, answer?: RestartAnswer): Restart[] {
  // Nobody has seen this request, so the report may be about it or about an earlier one.
  const isIt = state.status !== 'none' && (state.id === undefined || state.id === id);
  const isAnother = state.id !== id;
  const moves = isIt && (MOVES[state.status] ?? []).includes(status);
  const after: Restart[] = moves && !answer?.refused ? [{ id, status }] : [];
  const refused = answer === undefined || answer.refused === true;
  const same: Restart[] = refused && (isAnother || !moves) ? [state] : [];
  const fits = after.filter((next) => !answer || answer.status === next.status);
  return [...fits, ...same];
}
