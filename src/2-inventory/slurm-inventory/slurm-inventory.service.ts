import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import type { Prepared } from '../../1-platform/common/answers/prepared';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { FullSync } from '../slurm/sync/full-sync';
import { readSlurmCluster, readSlurmNode, readSlurmPartition } from './slurm-inventory-records';
import type { SyncSlurmClustersBody, SyncSlurmNodesBody, SyncSlurmPartitionsBody } from './slurm-inventory.dto';
import {
  listSlurmClusters,
  listSlurmNodes,
  listSlurmPartitions,
  slurmClusterStore,
  slurmNodeStore,
  slurmPartitionStore,
  type SlurmClusterRow,
  type SlurmInventoryFilter,
  type SlurmNodeFilter,
  type SlurmNodeRow,
  type SlurmPartitionRow,
} from './slurm-inventory.queries';

@Injectable()
export class SlurmInventoryService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly fullSyncs: FullSync,
  ) {}

  syncClusters(context: OrgContext, body: SyncSlurmClustersBody): Promise<Prepared<string>> {
    return this.fullSyncs.run(context, body, ({ clusters }) => clusters, {
      noun: 'clusters',
      read: readSlurmCluster,
      store: slurmClusterStore,
    });
  }
  syncNodes(context: OrgContext, body: SyncSlurmNodesBody): Promise<Prepared<string>> {
    return this.fullSyncs.run(context, body, ({ nodes }) => nodes, {
      noun: 'nodes',
      read: readSlurmNode,
      store: slurmNodeStore,
    });
  }
  syncPartitions(context: OrgContext, body: SyncSlurmPartitionsBody): Promise<Prepared<string>> {
    return this.fullSyncs.run(context, body, ({ partitions }) => partitions, {
      noun: 'partitions',
      read: readSlurmPartition,
      store: slurmPartitionStore,
    });
  }

  listClusters(context: OrgContext, slice: Slice): Promise<Page<SlurmClusterRow>> {
    return this.unitOfWork.read(context, (tx) => listSlurmClusters(tx, {}, slice));
  }
  listNodes(context: OrgContext, filter: SlurmNodeFilter, slice: Slice): Promise<Page<SlurmNodeRow>> {
    return this.unitOfWork.read(context, (tx) => listSlurmNodes(tx, filter, slice));
  }
  listPartitions(context: OrgContext, filter: SlurmInventoryFilter, slice: Slice): Promise<Page<SlurmPartitionRow>> {
    return this.unitOfWork.read(context, (tx) => listSlurmPartitions(tx, filter, slice));
  }
}
