import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedWork } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import { clusterNotFound } from '../clusters/clusters.errors';
import { invariant } from '../common/invariant';
import type { JsonObject } from '../common/json';
import { invalidField, notFound } from '../common/problem';
import { mapInSlices, nextSlice, sliceIsOver } from '../common/slices';
import { brokenConstraint } from '../database/database-errors';
import type { Stored } from '../database/resource-upsert';
import type { Tx } from '../database/tx';
import { readEngineResource } from '../engines/engine-resource';
import { engineKey, EnginesService } from '../engines/engines.service';
import { readJob } from '../jobs/job-resource';
import { JobsService } from '../jobs/jobs.service';
import { readNode } from '../nodes/node-resource';
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

const nodeNotFound = (name: string) => notFound('node_not_found', `The cluster has not told of the node ${name} yet.`);

/** A resource of a batch with its place in it. */
interface Told<Row> {
  readonly index: number;
  readonly row: Row;
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
    return this.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      const { ids, failed } = await this.store(tx, clusterId, [{ index: 0, row: body.resource }]);
      if (failed[0]) throw nodeNotFound(readPod(body.resource).node_name);
      const id = ids.get(0);
      invariant(id, 'a resource that did not fail is stored');
      await this.clusters.heardOf(tx, clusterId, body.metadata);
      await record({ resourceType: 'cluster', resourceId: clusterId, details: { type: typeOf(body.resource), id } });
      return id;
    });
  }

  /**
   * Each resource as in a single sync, all in one transaction; those that fail are named and the others stored.
   * @param suspectText whether texts must be looked at that PostgreSQL may not be able to keep
   */
  async syncBatch(
    context: OrgContext,
    body: SyncClusterBatchBody,
    suspectText: boolean,
  ): Promise<SyncClusterBatchView> {
    const sound: Told<JsonObject>[] = [];
    const faulty: SyncFailureView[] = [];
    for (const [index, row] of body.resources.entries()) {
      if (sliceIsOver()) await nextSlice();
      const fault = resourceFault(row) ?? (suspectText ? await textFault(row) : undefined);
      if (fault) faulty.push({ index, message: `${fault.field} ${fault.message}`.trim() });
      else sound.push({ index, row: row as JsonObject });
    }
    return this.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      const { ids, failed } = await this.store(tx, clusterId, sound);
      await this.clusters.heardOf(tx, clusterId, undefined);
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
      // The cluster was deleted while this sync was under way.
      if (brokenConstraint(error)?.endsWith('_cluster_fkey')) throw clusterNotFound();
      throw error;
    }
  }

  private async store(
    tx: Tx,
    clusterId: string,
    told: readonly Told<JsonObject>[],
  ): Promise<{ ids: Map<number, string>; failed: SyncFailureView[] }> {
    const ids = new Map<number, string>();
    const byType = Map.groupBy(told, ({ row }) => typeOf(row));
    const of = <Row>(type: ResourceType, read: (resource: JsonObject) => Row): Promise<Told<Row>[]> =>
      mapInSlices(byType.get(type) ?? [], ({ index, row }) => ({ index, row: read(row) }));
    const keep = async <Row>(
      rows: Told<Row>[],
      key: (row: Row) => string,
      sync: (rows: Row[]) => Promise<Map<string, Stored>>,
    ) => {
      if (rows.length === 0) return;
      const stored = await sync(rows.map(({ row }) => row));
      for (const { index, row } of rows) {
        const found = stored.get(key(row));
        invariant(found, 'what was told is stored');
        ids.set(index, found.id);
      }
    };

    for (const { index } of byType.get('None') ?? []) ids.set(index, clusterId);
    // Nodes first: a pod of the same batch may run on one of them.
    await keep(
      await of('Node', readNode),
      ({ name }) => name,
      (rows) => this.nodes.sync(tx, clusterId, rows),
    );
    const { placed, failed } = await this.onKnownNodes(tx, clusterId, await of('Pod', readPod));
    await keep(
      placed,
      ({ uid }) => uid,
      (rows) => this.pods.sync(tx, clusterId, rows),
    );
    await keep(
      await of('Job', readJob),
      ({ uid }) => uid,
      (rows) => this.jobs.sync(tx, clusterId, rows),
    );
    await keep(await of('EngineGraphDeployment', readEngineResource), engineKey, (rows) =>
      this.engines.syncGraphDeployments(tx, clusterId, rows),
    );
    await keep(await of('EngineService', readEngineResource), engineKey, (rows) =>
      this.engines.syncServices(tx, clusterId, rows),
    );
    return { ids, failed };
  }

  private async onKnownNodes(
    tx: Tx,
    clusterId: string,
    pods: Told<PodColumns>[],
  ): Promise<{ placed: Told<PodColumns>[]; failed: SyncFailureView[] }> {
    const names = [...new Set(pods.map(({ row }) => row.node_name).filter((name) => name !== ''))];
    const known = await this.nodes.known(tx, clusterId, names);
    const onKnown = ({ row }: Told<PodColumns>) => row.node_name === '' || known.has(row.node_name);
    const failed = pods
      .filter((pod) => !onKnown(pod))
      .map(({ index, row }) => ({ index, message: nodeNotFound(row.node_name).message }));
    return { placed: pods.filter(onKnown), failed };
  }
}
