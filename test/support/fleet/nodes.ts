import { createHash, randomUUID } from 'node:crypto';
import { buildNode } from '../builders';
import { goOn } from './client';
import type { FleetContext } from './context';
import { Dice, rebootPlan } from './decisions';

/** A process that runs on a node and dies with it. */
export interface Hosted {
  lose(): void;
}

/** One machine, with its state. */
export class SimulatedNode {
  readonly uid: string;
  readonly hosted = new Set<Hosted>();
  bootId: string = randomUUID();
  up = true;

  constructor(
    clusterName: string,
    readonly name: string,
  ) {
    this.uid = uidOf(`${clusterName}/${name}`);
  }

  /** Whether data stored in this boot is still present. */
  holds(bootId: string): boolean {
    return this.up && this.bootId === bootId;
  }
}

/** The same for the same name, so a restarted fleet has the same machines. */
function uidOf(name: string): string {
  const digits = createHash('sha256').update(name).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** The machines of the cluster, and the agent that reports them. */
export class Nodes {
  readonly all: readonly SimulatedNode[];
  /** The resource version of the cluster's objects, higher than in earlier fleets. */
  private version = Date.now() * 1_000;

  constructor(private readonly context: FleetContext) {
    const { nodes, clusterName } = context.options;
    this.all = Array.from({ length: nodes }, (_, index) => new SimulatedNode(clusterName, `gpu-node-${index + 1}`));
  }

  /** Reports all nodes for the first time. */
  async introduce(): Promise<void> {
    await this.report(this.all);
    for (const node of this.all) await this.booted(node);
  }

  named(name: string | null): SimulatedNode | undefined {
    return this.all.find((node) => node.name === name);
  }

  /** @param share selects a node; the next node that is up is returned */
  choose(share: number): SimulatedNode | undefined {
    const first = Math.floor(share * this.all.length);
    return [...this.all.slice(first), ...this.all.slice(0, first)].find(({ up }) => up);
  }

  /** Reports whole objects, each in a later version than before. */
  async sync(resources: readonly { metadata: object }[]): Promise<void> {
    const { controller, clusterId } = this.context;
    const objects = resources.map((resource) => ({
      ...resource,
      metadata: { ...resource.metadata, resourceVersion: String(++this.version) },
    }));
    const path = '/v1/cluster/sync/batch';
    const { body, status } = await controller.post<{ failed: object[] }>(path, {
      cluster_id: clusterId,
      resources: objects,
    });
    if (body.failed.length > 0)
      controller.faults.push({ method: 'POST', path, status, body: JSON.stringify(body.failed) });
  }

  async heartbeats(): Promise<never> {
    const { pace, options } = this.context;
    for (;;) {
      await pace.wait(options.heartbeatMs);
      await this.report(this.all);
    }
  }

  /** One node, which reboots now and then. */
  async reboots(node: SimulatedNode): Promise<void> {
    const { options, journal, unrest } = this.context;
    const actor = `node ${node.name}`;
    const dice = new Dice(options.seed, actor);
    if (options.rebootEveryMs === 0) return;
    for (;;) {
      const plan = rebootPlan(dice, options);
      journal.decided(actor, 'reboot', { ...plan });
      await unrest.wait(plan.afterMs);
      await this.reboot(node, plan.takesMs);
    }
  }

  /** Processes on it are lost at once; data on it is lost when it is up again. */
  async reboot(node: SimulatedNode, takesMs: number): Promise<void> {
    node.up = false;
    for (const hosted of node.hosted) hosted.lose();
    await this.report([node]);
    await this.context.pace.wait(takesMs);
    node.bootId = randomUUID();
    node.up = true;
    await this.report([node]);
    this.context.journal.did(`node ${node.name}`, 'rebooted', { boot: node.bootId });
    await this.booted(node);
  }

  private report(nodes: readonly SimulatedNode[]): Promise<void> {
    return goOn(this.sync(nodes.map(resourceOf)));
  }

  private booted({ uid, bootId }: SimulatedNode): Promise<void> {
    const event = {
      schema_version: 1,
      event_id: randomUUID(),
      occurred_at: new Date().toISOString(),
      cluster_id: this.context.clusterId,
      profile_id: null,
      kind: 'node.booted',
      payload: {},
      node_uid: uid,
      boot_id: bootId,
    };
    return goOn(this.context.controller.post('/v1/inference/lifecycle-events', event, { onRetry: [409] }));
  }
}

const resourceOf = ({ name, uid, bootId, up }: SimulatedNode) =>
  buildNode(name, {
    metadata: {
      uid,
      labels: { 'node.kubernetes.io/instance-type': 'g5.12xlarge', 'nvidia.com/gpu.product': 'NVIDIA-A10G' },
    },
    status: {
      capacity: { cpu: '48', 'nvidia.com/gpu': '4' },
      conditions: [{ type: 'Ready', status: up ? 'True' : 'Unknown' }],
      nodeInfo: { bootID: bootId },
    },
  });
