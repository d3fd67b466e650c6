import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedWork } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import { clusterNotFound } from '../clusters/clusters.errors';
import { invariant } from '../../1-platform/common/invariant';
import type { JsonObject } from '../../1-platform/common/json/json';
import { Prepared } from '../../1-platform/common/answers/prepared';
import { invalidField, notFound } from '../../1-platform/common/answers/problem';
import { mapInSlices, nextSlice, sliceIsOver } from '../../1-platform/common/work/slices';
import { brokenConstraint } from '../../1-platform/database/connections/database-errors';
import type { Stored } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { readEngineResource, type EngineColumns } from '../engines/engine-resource';
import { engineKey, EnginesService } from '../engines/engines.service';
import { readJob, type JobColumns } from '../jobs/job-resource';
import { JobsService } from '../jobs/jobs.service';
import { readNode, type NodeColumns } from '../nodes/node-resource';
import { NodesService } from '../nodes/nodes.service';
import { readPod, type PodColumns } from '../pods/pod-resource';
import { PodsService } from '../pods/pods.service';
import type {
  ResourceType,
  SyncClusterBatchBody,
  SyncClusterBatchView,
  SyncClusterBody,
  SyncFailureView,
} from './cluster-sync.dto';
import { resourceFault, textFault, typeOf } from './resource-faults';

const nodeNotFound = (name: string) => notFound('node_not_found', `The cluster has not reported the node ${name} yet.`);

/** A resource of a batch with its index. */
interface Indexed<Row> {
  readonly index: number;
  readonly row: Row;
}

/** The resources of a batch as column values, by type. */
interface BatchRows {
  /** Indexes of the heartbeats. */
  readonly heartbeats: readonly number[];
  readonly nodes: Indexed<NodeColumns>[];
  readonly pods: Indexed<PodColumns>[];
  readonly jobs: Indexed<JobColumns>[];
  readonly graphDeployments: Indexed<EngineColumns>[];
  readonly services: Indexed<EngineColumns>[];
}

/** In slices, so before the transaction. */
async function rowsOf(resources: readonly Indexed<JsonObject>[]): Promise<BatchRows> {
  const byType = Map.groupBy(resources, ({ row }) => typeOf(row));
  const of = <Row>(type: ResourceType, read: (resource: JsonObject) => Row): Promise<Indexed<Row>[]> =>
    mapInSlices(byType.get(type) ?? [], ({ index, row }) => ({ index, row: read(row) }));
  return {
    heartbeats: (byType.get('None') ?? []).map(({ index }) => index),
    nodes: await of('Node', readNode),
    pods: await of('Pod', readPod),
    jobs: await of('Job', readJob),
    graphDeployments: await of('EngineGraphDeployment', readEngineResource),
    services: await of('EngineService', readEngineResource),
  };
}

@Injectable()
export class ClusterSyncService {
  constructor(
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
    private readonly nodes: NodesService,
    private readonly pods: PodsService,
    private readonly jobs: JobsService,
    private readonly engines: EnginesService,
  ) {}

  /** @returns the id of the row; of the cluster, for a heartbeat */
  async sync(context: OrgContext, body: SyncClusterBody): Promise<string> {
    const fault = resourceFault(body.resource);
    if (fault) throw invalidField(fault.field ? `resource.${fault.field}` : 'resource', fault.message);
    const rows = await rowsOf([{ index: 0, row: body.resource }]);
    return this.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      const { ids, failed } = await this.store(tx, clusterId, rows);
      if (failed[0]) throw nodeNotFound(readPod(body.resource).node_name);
      const id = ids.get(0);
      invariant(id, 'a resource that did not fail is stored');
      await this.clusters.noteReport(tx, clusterId, body.metadata);
      await record({ resourceType: 'cluster', resourceId: clusterId, details: { type: typeOf(body.resource), id } });
      return id;
    });
  }

  /**
   * Syncs each resource as in a single sync, all in one transaction. Failed resources are named, the others
   * stored.
   * @param suspectText whether texts must be checked for what PostgreSQL cannot store
   */
  async syncBatch(
    context: OrgContext,
    body: SyncClusterBatchBody,
    suspectText: boolean,
  ): Promise<Prepared<SyncClusterBatchView>> {
    const sound: Indexed<JsonObject>[] = [];
    const faulty: SyncFailureView[] = [];
    for (const [index, row] of body.resources.entries()) {
      if (sliceIsOver()) await nextSlice();
      const fault = resourceFault(row) ?? (suspectText ? await textFault(row) : undefined);
      if (fault) faulty.push({ index, message: `${fault.field} ${fault.message}`.trim() });
      else sound.push({ index, row: row as JsonObject });
    }
    const rows = await rowsOf(sound);
    return new Prepared(() => this.storeBatch(context, body.cluster_id, rows, faulty));
  }

  private storeBatch(
    context: OrgContext,
    cluster: string,
    rows: BatchRows,
    faulty: readonly SyncFailureView[],
  ): Promise<SyncClusterBatchView> {
    return this.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, cluster);
      const { ids, failed } = await this.store(tx, clusterId, rows);
      await this.clusters.noteReport(tx, clusterId, undefined);
      const result = { synced: ids.size, failed: [...faulty, ...failed].sort((a, b) => a.index - b.index) };
      await record({
        resourceType: 'cluster',
        resourceId: clusterId,
        details: { synced: result.synced, failed: result.failed.length },
      });
      return result;
    });
  }

  private async change<T>(context: OrgContext, work: AuditedWork<T>): Promise<T> {
    try {
      return await this.audit.change(context, work);
    } catch (error) {
      // The cluster was deleted during this sync.
      if (brokenConstraint(error)?.endsWith('_cluster_fkey')) throw clusterNotFound();
      throw error;
    }
  }

  private async store(
    tx: Tx,
    clusterId: string,
    { heartbeats, nodes, pods, jobs, graphDeployments, services }: BatchRows,
  ): Promise<{ ids: Map<number, string>; failed: SyncFailureView[] }> {
    const ids = new Map<number, string>();
    const keep = async <Row>(
      rows: Indexed<Row>[],
      key: (row: Row) => string,
      sync: (rows: Row[]) => Promise<Map<string, Stored>>,
    ) => {
      if (rows.length === 0) return;
      const stored = await sync(rows.map(({ row }) => row));
      for (const { index, row } of rows) {
        const found = stored.get(key(row));
        invariant(found, 'a synced resource is stored');
        ids.set(index, found.id);
      }
    };

    for (const index of heartbeats) ids.set(index, clusterId);
    // Nodes first, because a pod of the same batch may run on one of them.
    await keep(
      nodes,
      ({ name }) => name,
      (rows) => this.nodes.sync(tx, clusterId, rows),
    );
    const { placed, failed } = await this.onKnownNodes(tx, clusterId, pods);
    await keep(
      placed,
      ({ uid }) => uid,
      (rows) => this.pods.sync(tx, clusterId, rows),
    );
    await keep(
      jobs,
      ({ uid }) => uid,
      (rows) => this.jobs.sync(tx, clusterId, rows),
    );
    await keep(graphDeployments, engineKey, (rows) => this.engines.syncGraphDeployments(tx, clusterId, rows));
    await keep(services, engineKey, (rows) => this.engines.syncServices(tx, clusterId, rows));
    return { ids, failed };
  }

  private async onKnownNodes(
    tx: Tx,
    clusterId: string,
    pods: Indexed<PodColumns>[],
  ): Promise<{ placed: Indexed<PodColumns>[]; failed: SyncFailureView[] }> {
    const names = [...new Set(pods.map(({ row }) => row.node_name).filter((name) => name !== ''))];
    const known = await this.nodes.known(tx, clusterId, names);
    const onKnown = ({ row }: Indexed<PodColumns>) => row.node_name === '' || known.has(row.node_name);
    const failed = pods
      .filter((pod) => !onKnown(pod))
      .map(({ index, row }) => ({ index, message: nodeNotFound(row.node_name).message }));
    return { placed: pods.filter(onKnown), failed };
  }
}
