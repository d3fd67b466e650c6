import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { timestamp } from '../../clock';
import { readJson, writeJson } from '../../files/json-file';
import type { WorkloadStatus } from '../../supervisor/control/control-protocol';
import type { ClusterContext } from '../common/cluster-context';
import type { InventoryReport } from '../common/inventory';
import type { LocalWorkloads } from './local-workloads';
import { forgottenPod, isLive, nodeResource, podResource, type NodeFacts, type Resource } from './pod-resources';

/** How often supervisors are asked, so that a change is reported within a second. */
const LOOK_EVERY_MS = 400;
const HEARTBEAT_MS = 30_000;
/** Below the service's limits for one batch, of resources and of bytes. */
const RESOURCES_A_BATCH = 2_000;

/** A pod that the service knows as alive. */
type Reported = Pick<WorkloadStatus, 'namespace' | 'name' | 'uid' | 'startedAt'>;

/** A node, and a pod for each supervised workload. All share one heartbeat; a change is reported at once. */
export class HostInventory implements InventoryReport {
  readonly everyMs = LOOK_EVERY_MS;
  readonly heartbeatMs: number;
  private readonly file: string;
  /** What was reported last, by uid, without the members that every report changes. */
  private sent = new Map<string, string>();
  private reported: Map<string, Reported> | undefined;

  constructor(
    private readonly context: ClusterContext,
    private readonly workloads: LocalWorkloads,
    private readonly node: NodeFacts,
  ) {
    this.heartbeatMs = context.heartbeatMs ?? HEARTBEAT_MS;
    this.file = join(context.directory, 'reported-pods.json');
  }

  forget(): void {
    this.sent = new Map();
  }

  /** One look at all supervisors. */
  async report(clusterId: string, beat: boolean): Promise<void> {
    const now = timestamp();
    const { pods, live } = await this.look(now);
    const texts = new Map([...pods].map(([uid, pod]) => [uid, comparable(pod)]));
    const changed = [...pods].filter(([uid]) => beat || texts.get(uid) !== this.sent.get(uid)).map(([, pod]) => pod);
    if (!beat && changed.length === 0) return;
    // Before the report: if this process is killed in between, the next one deletes what it does not find.
    await this.note(new Map([...(this.reported ?? []), ...live]));
    for (let start = 0; start === 0 || start < changed.length; start += RESOURCES_A_BATCH)
      await this.sync(clusterId, [nodeResource(this.node, now), ...changed.slice(start, start + RESOURCES_A_BATCH)]);
    await this.note(live);
    this.sent = new Map([...texts].filter(([uid]) => live.has(uid)));
  }

  /** The pods to report: those that live, and those that were reported as alive and no longer are. */
  private async look(now: string): Promise<{ pods: Map<string, Resource>; live: Map<string, Reported> }> {
    const { node } = this;
    this.reported ??= new Map(((await readJson<Reported[]>(this.file)) ?? []).map((one) => [one.uid, one]));
    const { statuses, silent } = await this.workloads.list();
    const [pods, live] = [new Map<string, Resource>(), new Map<string, Reported>()];
    for (const status of statuses) {
      const { uid, namespace, name, startedAt } = status;
      if (!isLive(status) && !this.reported.has(uid)) continue;
      pods.set(uid, podResource(status, node.name, now));
      if (isLive(status)) live.set(uid, { uid, namespace, name, startedAt });
    }
    for (const one of this.reported.values()) {
      if (pods.has(one.uid)) continue;
      // A supervisor that did not answer is not one that is gone.
      if (silent.some(({ namespace, name }) => namespace === one.namespace && name === one.name))
        live.set(one.uid, one);
      else pods.set(one.uid, forgottenPod(one, node.name, now));
    }
    return { pods, live };
  }

  private async sync(clusterId: string, resources: readonly Resource[]): Promise<void> {
    const body = { cluster_id: clusterId, resources: [...resources] as never[] };
    const header = { 'Idempotency-Key': `sync/${randomUUID()}` };
    const { failed } = await this.context.service.send('sync_cluster_batch', (api) =>
      api.POST('/v1/cluster/sync/batch', { params: { header }, body }),
    );
    for (const { index, message } of failed)
      this.context.log.error({ resource: resources[index]?.metadata, reason: message }, 'a resource was refused');
  }

  private async note(live: Map<string, Reported>): Promise<void> {
    const uids = (pods: Map<string, Reported> | undefined) => [...(pods?.keys() ?? [])].sort().join(' ');
    if (uids(live) !== uids(this.reported)) await writeJson(this.file, [...live.values()]);
    this.reported = live;
  }
}

/** Times of the report itself are no change. */
const comparable = (resource: Resource): string =>
  JSON.stringify(resource, (name, value: unknown) =>
    name === 'finishedAt' || name === 'deletionTimestamp' ? 'set' : value,
  );
