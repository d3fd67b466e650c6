import { newId } from '../../../src/1-platform/common/ids';
import { buildJob, buildNode, buildPod, ownedBy } from '../../support/builders';
import type { Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import { seeded } from '../../support/random';

const GB = 1_000_000_000;
const NODES = 8;
const GPUS = 8;
const SYNC_EVERY_MS = 10_000;
/** Pause between two requests for a pod. */
const PAUSE_MS = 6_000;
/** How often an agent reports progress. */
const PROGRESS_EVERY_MS = 400;

/** Stages of a checkpoint: share of its duration, and bytes. */
const STAGES = [
  { name: 'freeze', share: 0.02, io: 0 },
  { name: 'gpu_dump', share: 0.22, io: 21 * GB },
  { name: 'memory_dump', share: 0.1, io: 4 * GB },
  { name: 'compress', share: 0.16, io: 0 },
  { name: 'upload', share: 0.45, io: 12 * GB },
] as const;

const FAILURES = [
  ['memory_dump', 'no space left on device: /var/lib/ckpt (38.2 GB needed)'],
  ['gpu_dump', 'cuda-checkpoint: the process uses unified memory of another process'],
  ['upload', 'the object storage answered 503 for 30 s'],
] as const;

interface TrainedPod {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  lastCheckpoint: { readonly actionId: string; readonly checkpointId: string } | undefined;
}

export interface GpuHolder {
  readonly node: string;
  readonly gpu: number;
  readonly pod: string;
}

/** A cluster whose training jobs are checkpointed and restored, stage by stage, as an agent would do it. */
export class Training {
  private readonly random: () => number;
  private pods: TrainedPod[] = [];
  private readonly job = buildJob('train-70b', { metadata: { namespace: 'training' } });
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
    const names = [...Array.from({ length: 6 }, (_, rank) => `train-70b-${rank}`), 'finetune-0', 'eval-0'];
    const pods = names.map((name, place) => {
      this.nodeOf.set(name, `gpu-node-${place + 1}`);
      const owner = name.startsWith('train') ? ownedBy(this.job) : {};
      return buildPod(name, {
        metadata: { namespace: 'training', ...owner },
        spec: { nodeName: `gpu-node-${place + 1}` },
      });
    });
    this.resources = [...nodes, this.job, ...pods];
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
      return node === undefined ? [] : [{ id, name: pod, node, lastCheckpoint: undefined }];
    });
  }

  /** Each ends only when the demo stops. */
  work(): Promise<void>[] {
    return [this.keepInSync(), ...this.pods.map((pod, place) => this.train(pod, place))];
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

  private async train(pod: TrainedPod, place: number): Promise<void> {
    await this.pace.sleep(place * 300);
    // One of the first attempts fails, so that there is a failure to look at from the beginning.
    if (place === 0) await this.checkpoint(pod, true);
    for (;;) {
      if (pod.lastCheckpoint && this.random() < 0.3) await this.restore(pod);
      else await this.checkpoint(pod);
      await this.pace.sleep(PAUSE_MS * (0.5 + this.random()));
    }
  }

  private async checkpoint(pod: TrainedPod, mustFail = false): Promise<void> {
    const { body: actionId } = await this.client.post<string>('/v1/checkpoint/pod', { pod_id: pod.id });
    const taken = { action_id: actionId, container_name: 'main' };
    const { body: checkpointId } = await this.client.post<string>('/v1/checkpoints', taken);
    const fails = mustFail || this.random() < 0.12;
    const failure = fails ? FAILURES[Math.floor(this.random() * FAILURES.length)] : undefined;
    const wholeMs = 2_500 + this.random() * 4_000;
    const done: object[] = [];
    const machine = { gpu: 'NVIDIA H100', platform: 'linux/amd64' };
    for (const { name, share, io } of STAGES) {
      const began = performance.now();
      await this.report(checkpointId, name, io, wholeMs * share);
      const stage = { name, duration: Math.round((performance.now() - began) * 1e6), io };
      const [failing, error] = failure ?? [];
      if (name === failing) {
        const info = { components: [...done, { ...stage, result: 'failed', error }] };
        await this.client.put(`/v1/checkpoints/info/${checkpointId}`, { ...machine, info, error });
        return;
      }
      done.push(stage);
    }
    const info = { profile: { components: done }, dump: { frozen_time: Math.round(wholeMs * 340) } };
    await this.client.put(`/v1/checkpoints/info/${checkpointId}`, { ...machine, info });
    await this.client.post(`/v1/checkpoints/uploaded/${checkpointId}`, {
      restore_path: `s3://checkpoints/${checkpointId}`,
    });
    pod.lastCheckpoint = { actionId, checkpointId };
  }

  /** Progress within a stage, while it lasts. */
  private async report(checkpointId: string, stage: string, bytes: number, ms: number): Promise<void> {
    const until = performance.now() + ms;
    for (let left = ms; left > 0; left = until - performance.now()) {
      await this.client.put(`/v1/checkpoints/progress/${checkpointId}`, {
        stage,
        bytes_done: Math.round(bytes * (1 - left / ms)),
        bytes_total: bytes,
      });
      await this.pace.sleep(Math.min(PROGRESS_EVERY_MS, Math.max(until - performance.now(), 0)));
    }
  }

  private async restore({ lastCheckpoint, node }: TrainedPod): Promise<void> {
    if (!lastCheckpoint) return;
    const { actionId, checkpointId } = lastCheckpoint;
    const report = (event: string, more: object) =>
      this.client.post(`/v1/restores/events/${event}`, { ...body, ...more });
    const body = {
      restore_uuid: newId(),
      checkpoint_id: checkpointId,
      cluster_id: this.clusterId,
      checkpoint_action_id: actionId,
      started_at: new Date().toISOString(),
      metadata: { node_name: node },
    };
    await report('restore_start', {});
    await this.pace.sleep(1_000 + this.random() * 2_500);
    const error = this.random() < 0.1 ? `driver 570.86 on ${node}, the checkpoint needs 575.51` : undefined;
    await report(error ? 'restore_error' : 'restore_success', {
      completed_at: new Date().toISOString(),
      ...(error ? { error_message: error } : {}),
    });
  }
}
