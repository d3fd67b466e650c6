import type { Call } from '../history';
import type { Model } from '../search';

/** What a report says of an activation; the newest report counts. */
export const ACTIVATION: Model<string> = {
  initial: '',
  reads: ['read'],
  next(state, { operation, input, output }: Call) {
    if (operation === 'read') return output === state ? [state] : [];
    return [String(input)];
  },
};
