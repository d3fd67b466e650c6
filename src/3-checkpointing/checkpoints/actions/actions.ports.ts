import { InTransaction } from '../../../1-platform/database/transactions/observers';
import type { LockedAction } from './actions.queries';

export interface EndedAction {
  readonly action: LockedAction;
  readonly status: 'ready' | 'error';
}

/** An action became ready, or failed. */
export class ActionEnded extends InTransaction<EndedAction> {}
