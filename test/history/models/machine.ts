import type { Call } from '../history';
import type { Model } from '../search';

/**
 * A state machine as data: for each state, the operations that it accepts and the state after each. All
 * others are refused, and change nothing.
 */
export type Moves = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The answer to a move or a read: the state that it shows, or that the move was refused. */
export interface MachineAnswer {
  readonly state?: string;
  readonly refused?: boolean;
}

/** A model of an object that has one of a few states. Every answer shows the state after the call. */
export const machine = (initial: string, moves: Moves): Model<string> => ({
  initial,
  reads: ['read'],
  next(state, { operation, input, output }: Call) {
    const answer = output as MachineAnswer | undefined;
    if (operation === 'read') return answer?.state === state ? [state] : [];
    const after = moves[state]?.[String(input)];
    if (after === undefined) return answer === undefined || answer.refused ? [state] : [];
    return answer === undefined || answer.state === after ? [after] : [];
  },
});
