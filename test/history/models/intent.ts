import type { Call } from '../history';
import type { Model } from '../search';

/** What is wanted of a profile, and how often that has changed. */
export interface Intent {
  /** `Active 2`; empty before the first request. */
  readonly wanted: string;
  readonly generation: number;
}

/** A request for what is wanted already changes nothing; any other one begins a generation. */
export const INTENT: Model<Intent> = {
  initial: { wanted: '', generation: 0 },
  reads: ['read'],
  next(state, { operation, input, output }: Call) {
    const shown = output as Intent | undefined;
    const wanted = String(input);
    const after =
      operation === 'read' || wanted === state.wanted ? state : { wanted, generation: state.generation + 1 };
    const fits = !shown || (shown.wanted === after.wanted && shown.generation === after.generation);
    return fits ? [after] : [];
  },
};
