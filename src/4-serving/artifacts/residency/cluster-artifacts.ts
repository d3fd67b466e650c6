import { Injectable } from '@nestjs/common';
import type { ClusterDeletion } from '../../../2-inventory/clusters/clusters.ports';
import type { TransactionObserver } from '../../../1-platform/database/transactions/observers';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { artifactsOnNodesOf, placeInCluster } from './cluster-artifacts.queries';

/**
 * An artifact may name its node and no cluster. When the only cluster with such a node is deleted, the
 * artifact gets that cluster: it is lost, and does not wait for a node that was never reported.
 */
@Injectable()
export class ClusterArtifacts implements TransactionObserver<ClusterDeletion> {
  async observe(tx: Tx, { clusterId, onceGone }: ClusterDeletion): Promise<void> {
    const artifactIds = await artifactsOnNodesOf(tx, clusterId);
    // Last, because events lock their pod before its artifact.
    if (artifactIds.length > 0) onceGone(() => placeInCluster(tx, artifactIds, clusterId));
  }
}
