import { buildJob, buildNode, buildPod, ownedBy } from '../../support/builders';
import type { Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import { seeded } from '../../support/random';
import { Agent, type Workload } from './agent';
import type { Kind } from './attempts';

const HOUR_MS = 3_600_000;
const NODES = 8;
const GPUS = 8;
const SYNC_EVERY_MS = 10_000;
const POLICY_EVERY_S = 20;
const KEPT = 3;

const KIND: Kind = {
  workloadType: 'pod',
  path: '/v1/checkpoints',
  containerName: 'main',
  machine: { gpu: 'NVIDIA H100', platform: 'linux/amd64' },
};

interface TrainedPod {
  readonly id: string;
  readonly name: string;
  readonly node: string;
}

export interface GpuHolder {
  readonly node: string;
  readonly gpu: number;
  readonly pod: string;
}

/** A cluster whose training pods are checkpointed by a policy and restored. */
export class Training {
  private readonly random: () => number;
  private pods: TrainedPod[] = [];
  private readonly resources: object[];
  private readonly nodeOf = new Map<string, string>();
  private clusterId = '';

  constructor(
    private readonly client: Client,
    private readonly pace: Pace,
    seed: number,
  ) {
    this.random = seeded(seed);
    const nodes = Array.from({ length: NODES }, (_, place) =>
      buildNode(`gpu-node-${place + 1}`, {
        status: { capacity: { cpu: '192', 'nvidia.com/gpu': String(GPUS) } },
        metadata: { labels: { 'node.kubernetes.io/instance-type': 'p5.48xlarge' } },
      }),
    );
    const job = buildJob('train-70b', { metadata: { namespace: 'training' } });
    const names = [...Array.from({ length: 6 }, (_, rank) => `train-70b-${rank}`), 'finetune-0', 'eval-0'];
    const pods = names.map((name, place) => {
      this.nodeOf.set(name, `gpu-node-${place + 1}`);
      const owner = name.startsWith('train') ? ownedBy(job) : {};
      // Those of the job began together, the others later.
      const hours = name.startsWith('train') ? 31 : 3 + place;
      const creationTimestamp = new Date(Date.now() - hours * HOUR_MS).toISOString().replace(/\.\d+Z$/, 'Z');
      return buildPod(name, {
        metadata: { namespace: 'training', creationTimestamp, ...owner },
        spec: { nodeName: `gpu-node-${place + 1}` },
      });
    });
    this.resources = [...nodes, job, ...pods];
  }

  /** Which pod has which GPU: each has those of its node, and the smaller ones some of them. */
  get holders(): readonly GpuHolder[] {
    return this.pods.flatMap(({ name, node }) =>
      Array.from({ length: name.startsWith('train') ? GPUS : GPUS / 2 }, (_, gpu) => ({ node, gpu, pod: name })),
    );
  }

  /** Creates the cluster with its jobs. */
  async prepare(): Promise<void> {
    const name = 'training';
    const { status, body } = await this.client.post<string>('/v1/cluster', { cluster_name: name }, { also: [409] });
    const clusters = await this.client.get<{ id: string; name: string }[]>('/v1/cluster');
    const clusterId = status === 409 ? clusters.body.find((one) => one.name === name)?.id : body;
    if (clusterId === undefined) throw new Error('the cluster of the demo is missing');
    this.clusterId = clusterId;
    await this.sync();
    const listed = await this.client.get<{ id: string; name: string }[]>(`/v1/pods?cluster_id=${clusterId}`);
    this.pods = listed.body.flatMap(({ id, name: pod }) => {
      const node = this.nodeOf.get(pod);
      return node === undefined ? [] : [{ id, name: pod, node }];
    });
    await this.client.post('/v1/policy/pipeline/create', {
      name: `training, every ${POLICY_EVERY_S} seconds`,
      pipeline: {
        trigger: { type: 'heartbeat', config: { interval_seconds: POLICY_EVERY_S } },
        filter: { type: 'namespace', config: { cluster_id: clusterId, namespace: 'training' } },
        action: { type: 'checkpoint', config: { kind: 'simple' } },
      },
      keep_last: KEPT,
    });
  }

  /** Each ends only when the demo stops. */
  work(): Promise<void>[] {
    const agent = new Agent(this.client, this.pace, this.random, KIND, this.clusterId);
    return [this.keepInSync(), ...agent.work(this.pods.map((pod) => this.workload(pod)))];
  }

  private workload({ id, node }: TrainedPod): Workload {
    const ask = async () => (await this.client.post<string>('/v1/checkpoint/pod', { pod_id: id })).body;
    return { node, ask };
  }

  private async sync(): Promise<void> {
    await this.client.post('/v1/cluster/sync/batch', { cluster_id: this.clusterId, resources: this.resources });
  }

  private async keepInSync(): Promise<void> {
    for (;;) {
      await this.pace.sleep(SYNC_EVERY_MS);
      await this.sync();
    }
  }
}
