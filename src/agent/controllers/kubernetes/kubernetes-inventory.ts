import { randomUUID } from 'node:crypto';
import { timestamp } from '../../clock';
import type { ClusterContext } from '../common/cluster-context';
import type { InventoryReport } from '../common/inventory';
import type { KubeObject, Pod } from './cluster/resources';
import type { Change, Watched } from './cluster/watched';
import {
  forgottenNode,
  forgottenResource,
  goneResource,
  isReporting,
  isTakenWithVersion,
  resourceOf,
  unversionedResource,
  type KnownResource,
  type ResourceType,
  type SyncedResource,
} from './inventory-resources';
import type { KubernetesCluster } from './kubernetes-cluster';

/** Changes of this time are one report. */
const LOOK_EVERY_MS = 300;
const HEARTBEAT_MS = 30_000;
/** The service leaves out nodes that were silent for 5 minutes, and kubelets say nothing new for as long. */
const NODE_AGAIN_MS = 120_000;
/** Below the service's limits for one batch, of 20,000 resources and 32 MiB. */
const RESOURCES_A_BATCH = 2_000;
const BYTES_A_BATCH = 8 * 1024 * 1024;
const ROWS = 1_000;
/** The service orders them within a batch; between batches, a pod must not come before its node. */
const ORDER: readonly ResourceType[] = ['Node', 'Job', 'Pod'];

interface Due {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly isGone: boolean;
}

/** A resource that is reported, and what it is the report of. */
interface Report {
  readonly key: string;
  readonly due: Due;
  readonly resource: SyncedResource;
  readonly isUnversioned: boolean;
}

/**
 * Nodes, jobs and pods as Kubernetes has them: each when it changes, and nodes now and then although they
 * have not. While Kubernetes does not answer, nothing is reported, so nothing looks gone, and the service
 * sees that nothing is known.
 */
export class KubernetesInventory implements InventoryReport {
  readonly everyMs = LOOK_EVERY_MS;
  readonly heartbeatMs: number;
  /** By type and uid. */
  private readonly due = new Map<string, Due>();
  /** The versions that the service has, by the same key. */
  private readonly sent = new Map<string, string>();
  /** Keys of what is reported once without its version: the service may know later ones of a lost state. */
  private readonly unversioned = new Set<string>();
  /** When each node was reported last. */
  private readonly nodesAt = new Map<string, number>();
  /** Pods whose node the service did not know. */
  private readonly waiting = new Map<string, Due>();
  private isNew = true;

  constructor(
    private readonly context: ClusterContext,
    private readonly cluster: KubernetesCluster,
  ) {
    this.heartbeatMs = context.heartbeatMs ?? HEARTBEAT_MS;
    const note =
      (type: ResourceType) =>
      ({ type: change, object, isEarlier }: Change<KubeObject>): void => {
        this.note({ type, object, isGone: change === 'gone' });
        if (isEarlier) this.unversioned.add(keyOf(type, object));
      };
    cluster.nodes.onChange(note('Node'));
    cluster.jobs.onChange(note('Job'));
    cluster.pods.onChange(note('Pod'));
  }

  forget(): void {
    this.sent.clear();
    this.nodesAt.clear();
    this.waiting.clear();
    this.unversioned.clear();
    this.isNew = true;
  }

  async report(clusterId: string, beat: boolean): Promise<void> {
    await this.cluster.ready();
    if (this.isNew) await this.begin(clusterId);
    if (beat) this.tryWaiting();
    if (beat && this.cluster.isCurrent) this.noteNodes();
    const reports = this.reports();
    if (reports.length > 0) return this.send(clusterId, reports);
    if (beat && this.cluster.isCurrent) await this.beat(clusterId);
  }

  /** What the cluster has, and what the service has of it that is gone since. */
  private async begin(clusterId: string): Promise<void> {
    const { nodes, jobs, pods } = this.cluster;
    // First what is known, so that nothing counts as gone that appeared meanwhile.
    const [knownNodes, knownJobs, knownPods] = [
      await this.knownNodes(clusterId),
      await this.known('Job', clusterId),
      await this.known('Pod', clusterId),
    ];
    const now = timestamp();
    const forgotten = [
      ...knownNodes.filter((name) => !nodes.get(name)).map((name) => forgottenNode(name, now)),
      ...gone('Job', knownJobs, jobs, now),
      ...gone('Pod', knownPods, pods, now),
    ];
    // At the same moment: what goes while the others are reported is noted, and reported behind them.
    this.due.clear();
    for (const [type, watched, known] of [
      ['Node', nodes, []],
      ['Job', jobs, knownJobs],
      ['Pod', pods, knownPods],
    ] as const) {
      const byUid = new Map<string | undefined, KnownResource>(known.map((one) => [one.uid, one]));
      for (const object of watched.all() as Iterable<KubeObject>) {
        this.note({ type, object, isGone: false });
        if (!isTakenWithVersion(object, byUid.get(object.metadata?.uid))) this.unversioned.add(keyOf(type, object));
      }
    }
    for (let start = 0; start < forgotten.length; start += RESOURCES_A_BATCH)
      await this.sync(clusterId, forgotten.slice(start, start + RESOURCES_A_BATCH));
    this.isNew = false;
  }

  private note(due: Due): void {
    const key = keyOf(due.type, due.object);
    this.waiting.delete(key);
    this.due.set(key, due);
  }

  private tryWaiting(): void {
    for (const [key, due] of this.waiting) if (!this.due.has(key)) this.due.set(key, due);
    this.waiting.clear();
  }

  /** Those that the service would leave out soon. One whose kubelet is silent is left out. */
  private noteNodes(): void {
    const now = performance.now();
    for (const object of this.cluster.nodes.all()) {
      const key = keyOf('Node', object);
      const at = this.nodesAt.get(key) ?? Number.NEGATIVE_INFINITY;
      if (now - at < NODE_AGAIN_MS || !isReporting(object)) continue;
      this.sent.delete(key);
      if (!this.due.has(key)) this.due.set(key, { type: 'Node', object, isGone: false });
    }
  }

  /** What is due and not known, in order. */
  private reports(): Report[] {
    const now = timestamp();
    const reports: Report[] = [];
    for (const [key, due] of this.due) {
      const { type, object, isGone } = due;
      const isUnversioned = isGone || this.unversioned.has(key);
      if (!isUnversioned && this.sent.get(key) === versionOf(object)) {
        this.due.delete(key);
        continue;
      }
      const living = isUnversioned ? unversionedResource : resourceOf;
      const resource = isGone ? goneResource(type, object, now) : living(type, object);
      reports.push({ key, due, resource, isUnversioned });
    }
    return reports.sort((a, b) => ORDER.indexOf(a.due.type) - ORDER.indexOf(b.due.type));
  }

  private async send(clusterId: string, reports: readonly Report[]): Promise<void> {
    for (const batch of batchesOf(reports)) {
      const failed = await this.sync(
        clusterId,
        batch.map(({ resource }) => resource),
      );
      for (const [index, report] of batch.entries()) this.sentOne(report, failed.get(index));
    }
  }

  private sentOne({ key, due, isUnversioned }: Report, refusal: string | undefined): void {
    const { type, object, isGone } = due;
    // Its node was not seen yet: both come from different watches.
    const waits = refusal !== undefined && type === 'Pod' && nodeOf(object) !== undefined;
    if (waits && !isGone) this.waiting.set(key, due);
    else if (refusal !== undefined)
      this.context.log.error({ resource: object.metadata, type, reason: refusal }, 'a resource was refused');
    if (isUnversioned && refusal === undefined) this.unversioned.delete(key);
    // It may have changed while it was sent.
    if (this.due.get(key) === due) this.due.delete(key);
    if (isGone || waits) {
      this.sent.delete(key);
      this.nodesAt.delete(key);
      return;
    }
    this.sent.set(key, versionOf(object));
    if (type !== 'Node') return;
    if (!this.nodesAt.has(key)) this.tryWaiting();
    this.nodesAt.set(key, performance.now());
  }

  /** @returns why resources were refused, by their index */
  private async sync(clusterId: string, resources: readonly SyncedResource[]): Promise<Map<number, string>> {
    const body = { cluster_id: clusterId, resources: [...resources] as never[] };
    const header = { 'Idempotency-Key': `sync/${randomUUID()}` };
    const { failed } = await this.context.service.send('sync_cluster_batch', (api) =>
      api.POST('/v1/cluster/sync/batch', { params: { header }, body }),
    );
    return new Map(failed.map(({ index, message }) => [index, message]));
  }

  /** Nothing has changed. */
  private async beat(clusterId: string): Promise<void> {
    const header = { 'Idempotency-Key': `beat/${randomUUID()}` };
    const body = { cluster_id: clusterId, resource: { type: 'None' as const } };
    await this.context.service.send('sync_cluster', (api) =>
      api.POST('/v1/cluster/sync', { params: { header }, body, parseAs: 'text' }),
    );
  }

  /**
   * Also what lists leave out: a controller that was away for long finds its cluster inactive and all nodes
   * silent, and what went meanwhile would appear again with them.
   */
  private async known(type: 'Job' | 'Pod', clusterId: string): Promise<KnownResource[]> {
    const { service } = this.context;
    const found: KnownResource[] = [];
    for (let after: string | undefined; ;) {
      const query = { cluster_id: clusterId, silent: true, limit: ROWS, ...(after === undefined ? {} : { after }) };
      const page =
        type === 'Pod'
          ? (await service.send('list_pods_paginated', (api) => api.GET('/v1/pods/paginated', { params: { query } })))
              .pods
          : (await service.send('list_jobs_paginated', (api) => api.GET('/v1/jobs/paginated', { params: { query } })))
              .jobs;
      for (const { uid, name, namespace, resource_version: resourceVersion } of page)
        if (this.cluster.serves(namespace)) found.push({ uid, name, namespace, resourceVersion });
      after = page.at(-1)?.id;
      if (page.length < ROWS) return found;
    }
  }

  private async knownNodes(cluster_id: string): Promise<string[]> {
    const found: string[] = [];
    for (let offset = 0; ; offset += ROWS) {
      const query = { cluster_id, silent: true, limit: ROWS, offset };
      const page = await this.context.service.send('list_nodes', (api) => api.GET('/v1/nodes', { params: { query } }));
      found.push(...page.map(({ name }) => name));
      if (page.length < ROWS) return found;
    }
  }
}

const keyOf = (type: ResourceType, { metadata }: KubeObject): string => `${type} ${metadata?.uid ?? ''}`;

const versionOf = ({ metadata }: KubeObject): string => metadata?.resourceVersion ?? '';

const nodeOf = (pod: KubeObject): string | undefined => (pod as Pod).spec?.nodeName;

function gone(
  type: 'Job' | 'Pod',
  known: readonly KnownResource[],
  watched: Pick<Watched<KubeObject>, 'get'>,
  now: string,
): SyncedResource[] {
  return known
    .filter(({ uid, name, namespace }) => watched.get(name, namespace)?.metadata?.uid !== uid)
    .map((one) => forgottenResource(type, one, now));
}

/** In order, each within the limits of the service. One object alone is below them: etcd has smaller ones. */
function* batchesOf(reports: readonly Report[]): Generator<Report[]> {
  let batch: Report[] = [];
  let bytes = 0;
  for (const report of reports) {
    const size = Buffer.byteLength(JSON.stringify(report.resource));
    if (batch.length >= RESOURCES_A_BATCH || (batch.length > 0 && bytes + size > BYTES_A_BATCH)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(report);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
