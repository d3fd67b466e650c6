import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { isUuid, newId } from '../common/ids';
import { isJsonObject } from '../common/json';
import { sliceOf, type Page } from '../common/paging';
import { invalidField } from '../common/problem';
import type { Tx } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';
import { appendEvent } from '../outbox/outbox';
import type { ClusterKind } from './cluster.entity';
import type { ListClustersQuery, QueueWorkloadBody, SaveClusterBody } from './clusters.dto';
import { clusterNotFound, clusterNotNamed, notOneWorkload } from './clusters.errors';
import { CLUSTER_EVENTS } from './clusters.events';
import {
  clusterKind,
  countClusters,
  closeCluster,
  deleteCluster,
  heardOf,
  holdCluster,
  listClusters,
  onlyCluster,
  saveCluster,
  tryHoldCluster,
  type ClusterRow,
} from './clusters.queries';

const WORKLOADS = { deployment: 'Deployment', job: 'Job', pod: 'Pod' } as const;
type Workload = keyof typeof WORKLOADS;

/** Looks while the cluster is still there. @returns what is to be done once it is gone */
export type DeletionObserver = (tx: Tx, clusterId: string) => Promise<() => Promise<void>>;

@Injectable()
export class ClustersService {
  private readonly deletionObservers: DeletionObserver[] = [];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(context: OrgContext, query: ListClustersQuery): Promise<Page<ClusterRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listClusters(tx, query.kind, slice));
  }

  count(context: OrgContext, status: string | undefined): Promise<number> {
    return this.unitOfWork.read(context, (tx) => countClusters(tx, status));
  }

  save(context: OrgContext, body: SaveClusterBody): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      const id = await saveCluster(tx, newId(), body.cluster_name, body.kind ?? null);
      await record({ resourceType: 'cluster', resourceId: id, details: { name: body.cluster_name, kind: body.kind } });
      return id;
    });
  }

  /** Told, in its transaction, of a cluster that is about to be deleted. For domains above this one, which it does not know. */
  observeDeletion(observer: DeletionObserver): void {
    this.deletionObservers.push(observer);
  }

  /** All or nothing, whatever the cluster holds. */
  async delete(context: OrgContext, id: string): Promise<void> {
    if (!isUuid(id)) throw clusterNotFound();
    await this.audit.change(context, async (tx, record) => {
      await closeCluster(tx, id);
      const after = [];
      for (const observe of this.deletionObservers) after.push(await observe(tx, id.toLowerCase()));
      const name = await deleteCluster(tx, id);
      // Last: what others wait for is locked when nothing that takes long is left to do.
      for (const follow of after) await follow();
      if (name === undefined) throw clusterNotFound();
      await record({ resourceType: 'cluster', resourceId: id, details: { name } });
    });
  }

  /** The workload becomes an event for the controller of the cluster, which creates it there. */
  async queueWorkload(context: OrgContext, body: QueueWorkloadBody): Promise<void> {
    const { kind, manifest } = theWorkload(body);
    await this.audit.change(context, async (tx, record) => {
      const clusterId = await this.resolve(tx, body.cluster_id);
      const workloadId = newId();
      await appendEvent(tx, {
        type: CLUSTER_EVENTS.workloadQueued,
        aggregateId: clusterId,
        clusterId,
        payload: { workload_id: workloadId, cluster_id: clusterId, kind, manifest },
      });
      await record({ resourceType: 'workload', resourceId: workloadId, details: { cluster_id: clusterId, kind } });
    });
  }

  /** The cluster that a request writes to, or the organisation's only one when it names none; not deleted meanwhile. */
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

  /** Keeps a cluster from being deleted until the transaction ends. @returns false when it is gone, or is being deleted now */
  tryHold(tx: Tx, id: string): Promise<boolean> {
    return tryHoldCluster(tx, id);
  }

  /** The id of a cluster of this organisation; undefined when there is none. */
  async find(tx: Tx, id: string): Promise<string | undefined> {
    return isUuid(id) && (await clusterKind(tx, id)) !== undefined ? id.toLowerCase() : undefined;
  }

  /** What kind of cluster it is; undefined when there is none. */
  async kindOf(tx: Tx, id: string): Promise<ClusterKind | undefined> {
    return isUuid(id) ? clusterKind(tx, id) : undefined;
  }

  /** Notes that the cluster was heard of. @param metadata undefined leaves what it told before */
  async heardOf(tx: Tx, id: string, metadata: unknown): Promise<void> {
    if (!(await heardOf(tx, id, metadata))) throw clusterNotFound();
  }
}

function theWorkload(body: QueueWorkloadBody): { kind: string; manifest: object } {
  const told = (Object.keys(WORKLOADS) as Workload[]).filter((name) => body[name] != null);
  const [name] = told;
  if (told.length !== 1 || name === undefined) throw notOneWorkload();
  const manifest = body[name];
  if (!isJsonObject(manifest)) throw invalidField(name, 'must be an object');
  const kind = WORKLOADS[name];
  if (manifest.kind !== undefined && manifest.kind !== kind) throw invalidField(`${name}.kind`, `must be ${kind}`);
  const metadata = isJsonObject(manifest.metadata) ? manifest.metadata : {};
  if (typeof metadata.name !== 'string' && typeof metadata.generateName !== 'string') {
    throw invalidField(`${name}.metadata.name`, 'is required');
  }
  return { kind, manifest };
}
