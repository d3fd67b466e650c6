import { Injectable } from '@nestjs/common';
import type { TransactionObserver } from '../../1-platform/database/transactions/observers';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PodTimes } from '../../2-inventory/pods/pods.queries';
import { notePodTimes } from './restored-pods.queries';

/** Restores learn when their pods were scheduled and became ready. */
@Injectable()
export class RestoredPods implements TransactionObserver<readonly PodTimes[]> {
  observe(tx: Tx, pods: readonly PodTimes[]): Promise<void> {
    return notePodTimes(tx, pods);
  }
}
