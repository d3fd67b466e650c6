import { Injectable } from '@nestjs/common';
import type { TransactionObserver } from '../../../1-platform/database/transactions/observers';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { EndedAction } from '../../checkpoints/actions/actions.ports';
import { noteReady } from './policy-beats.queries';

/** Disables a policy whose work is done when one of its actions becomes ready. */
@Injectable()
export class PolicyCompletion implements TransactionObserver<EndedAction> {
  async observe(tx: Tx, { action: { policy_id: policyId }, status }: EndedAction): Promise<void> {
    if (policyId !== null && status === 'ready') await noteReady(tx, policyId);
  }
}
