import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { isUuid, newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import type { ClusterKind } from './cluster.entity';
import type { ListClustersQuery, SaveClusterBody } from './clusters.dto';
import { clusterNotFound, clusterNotNamed } from './clusters.errors';
import { ClusterDeleting } from './clusters.ports';
import {
  clusterKind,
  countClusters,
  closeCluster,
  deleteCluster,
  holdCluster,
  listClusters,
  noteReport,
  onlyCluster,
  registeredCluster,
  saveCluster,
  tryHoldCluster,
  type ClusterRow,
} from './clusters.queries';

@Injectable()
export class ClustersService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly deleting: ClusterDeleting,
  ) {}

  list(context: OrgContext, query: ListClustersQuery): Promise<Page<ClusterRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listClusters(tx, query.kind, slice));
  }

  count(context: OrgContext, status: string | undefined): Promise<number> {
    return this.unitOfWork.read(context, (tx) => countClusters(tx, status));
  }

  /**
   * Agents register their cluster at every start: for an existing cluster this costs one read, and leaves no
   * audit entry.
   */
  async save(context: OrgContext, body: SaveClusterBody): Promise<string> {
    const known = await this.unitOfWork.read(context, (tx) =>
      registeredCluster(tx, body.cluster_name, body.kind ?? null),
    );
    if (known !== undefined) return known;
    return this.audit.change(context, async (tx, record) => {
      const id = await saveCluster(tx, newId(), body.cluster_name, body.kind ?? null);
      await record({ resourceType: 'cluster', resourceId: id, details: { name: body.cluster_name, kind: body.kind } });
      return id;
    });
  }

  /** All or nothing, whatever the cluster holds. */
  async delete(context: OrgContext, id: string): Promise<void> {
    if (!isUuid(id)) throw clusterNotFound();
    await this.audit.change(context, async (tx, record) => {
      if (!(await closeCluster(tx, id))) throw clusterNotFound();
      const last: (() => Promise<void>)[] = [];
      await this.deleting.notify(tx, { clusterId: id.toLowerCase(), onceGone: (work) => last.push(work) });
      const name = await deleteCluster(tx, id);
      // Last, because other transactions wait for these locks, and nothing slow follows.
      for (const work of last) await work();
      if (name === undefined) throw clusterNotFound();
      await record({ resourceType: 'cluster', resourceId: id, details: { name } });
    });
  }

  /**
   * The cluster that a request writes to, by default the organisation's only one. It is not deleted
   * meanwhile.
   */
  async resolve(tx: Tx, id: string | null | undefined): Promise<string> {
    if (id == null) {
      const only = await onlyCluster(tx);
      if (only === undefined) throw clusterNotNamed();
      if (!(await holdCluster(tx, only))) throw clusterNotFound();
      return only;
    }
    if (!isUuid(id) || !(await holdCluster(tx, id))) throw clusterNotFound();
    return id.toLowerCase();
  }

  /**
   * Keeps a cluster from being deleted until the transaction ends.
   * @returns false if it does not exist or is being deleted
   */
  tryHold(tx: Tx, id: string): Promise<boolean> {
    return tryHoldCluster(tx, id);
  }

  /** The id of a cluster of this organisation; undefined if there is none. */
  async find(tx: Tx, id: string): Promise<string | undefined> {
    return isUuid(id) && (await clusterKind(tx, id)) !== undefined ? id.toLowerCase() : undefined;
  }

  /** The kind of a cluster; undefined if there is none. */
  async kindOf(tx: Tx, id: string): Promise<ClusterKind | undefined> {
    return isUuid(id) ? clusterKind(tx, id) : undefined;
  }

  /** Records a report of the cluster. @param metadata undefined keeps the stored metadata */
  async noteReport(tx: Tx, id: string, metadata: unknown): Promise<void> {
    if (!(await noteReport(tx, id, metadata))) throw clusterNotFound();
  }
}
