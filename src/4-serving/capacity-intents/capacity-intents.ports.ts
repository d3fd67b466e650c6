import type { Tx } from '../../1-platform/database/transactions/tx';

/** So many replicas of a profile that are to be active, at least one. */
export interface Activation {
  readonly profileId: string;
  readonly replicas: number;
}

/** What activations may cost. */
export abstract class ActivationBudgets {
  /** Before an activation is asked for; the profile is locked. @throws a conflict if a budget forbids it */
  abstract check(tx: Tx, activation: Activation): Promise<void>;
}
