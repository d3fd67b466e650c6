import { Injectable } from '@nestjs/common';
import type { TransactionObserver } from '../../1-platform/database/transactions/observers';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { ClusterDeletion } from '../../2-inventory/clusters/clusters.ports';
import { AT_ONCE, countCheckpoints } from './savings-count.queries';

/**
 * What the checkpoints of a deleted cluster saved stays: they are counted before they are gone. Nobody else
 * counts them meanwhile, because a refresh holds the cluster.
 */
@Injectable()
export class ClusterSavings implements TransactionObserver<ClusterDeletion> {
  async observe(tx: Tx, { clusterId }: ClusterDeletion): Promise<void> {
    while (await countCheckpoints(tx, clusterId, AT_ONCE));
  }
}
