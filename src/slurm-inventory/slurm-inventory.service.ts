import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import type { Page, Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';
import { failedCall, tellsOfFailure } from '../slurm/slurm-errors';
import { syncText } from '../slurm/slurm-record';
import type { SlurmSyncBody } from '../slurm/slurm-sync.dto';
import { readSet, type NamedRow, type WholeSetStore } from '../slurm/whole-set';
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
  type SlurmNodeRow,
  type SlurmPartitionRow,
} from './slurm-inventory.queries';

/** How one kind of thing is kept. */
interface Kind<Row extends NamedRow> {
  readonly noun: string;
  readonly read: (record: unknown) => Row;
  readonly store: WholeSetStore<Row>;
}

@Injectable()
export class SlurmInventoryService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  syncClusters(context: OrgContext, body: SyncSlurmClustersBody): Promise<string> {
    return this.sync(context, body, body.clusters, {
      noun: 'clusters',
      read: readSlurmCluster,
      store: slurmClusterStore,
    });
  }
  syncNodes(context: OrgContext, body: SyncSlurmNodesBody): Promise<string> {
    return this.sync(context, body, body.nodes, { noun: 'nodes', read: readSlurmNode, store: slurmNodeStore });
  }
  syncPartitions(context: OrgContext, body: SyncSlurmPartitionsBody): Promise<string> {
    return this.sync(context, body, body.partitions, {
      noun: 'partitions',
      read: readSlurmPartition,
      store: slurmPartitionStore,
    });
  }

  listClusters(context: OrgContext, slice: Slice): Promise<Page<SlurmClusterRow>> {
    return this.list(context, slice, listSlurmClusters);
  }
  listNodes(context: OrgContext, slice: Slice): Promise<Page<SlurmNodeRow>> {
    return this.list(context, slice, listSlurmNodes);
  }
  listPartitions(context: OrgContext, slice: Slice): Promise<Page<SlurmPartitionRow>> {
    return this.list(context, slice, listSlurmPartitions);
  }

  /** Stores the whole set of a cluster: what it does not tell becomes stale. @returns the answer's text */
  private async sync<Row extends NamedRow>(
    context: OrgContext,
    { cluster_id: id, errors }: SlurmSyncBody,
    records: readonly unknown[],
    { noun, read, store }: Kind<Row>,
  ): Promise<string> {
    if (tellsOfFailure(errors)) throw failedCall(errors);
    const told = readSet(records, read);
    await this.audit.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, id);
      await store.apply(tx, clusterId, told);
      await this.clusters.heardOf(tx, clusterId, undefined);
      const details = { synced: told.rows.length, failed: told.failures.length };
      await record({ resourceType: 'cluster', resourceId: clusterId, details });
    });
    return syncText(noun, told.rows.length, told.failures);
  }

  private list<Row>(
    context: OrgContext,
    slice: Slice,
    find: (tx: Tx, slice: Slice) => Promise<Page<Row>>,
  ): Promise<Page<Row>> {
    return this.unitOfWork.read(context, (tx) => find(tx, slice));
  }
}
