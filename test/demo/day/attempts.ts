import { newId } from '../../../src/1-platform/common/ids';
import type { Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';

const GB = 1_000_000_000;
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

/** What was asked for, and by which action. */
export interface Asked {
  readonly actionId: string;
  readonly isRestore: boolean;
  /** Of a restore: the checkpoint that it restores, and the action that took it if that is known. */
  readonly checkpointId: string;
  readonly checkpointActionId?: string | undefined;
}

/** A checkpoint that can be restored. */
export interface Taken {
  readonly actionId: string;
  readonly checkpointId: string;
}

/** What distinguishes the attempts of pods from those of Slurm jobs. */
export interface Kind {
  readonly workloadType: 'pod' | 'slurm';
  readonly path: '/v1/checkpoints' | '/v1/slurm/checkpoints';
  readonly containerName?: string;
  readonly machine: { readonly gpu: string; readonly platform: string };
}

/** Checkpoints and restores of one cluster, stage by stage, as an agent would report them. */
export class Attempts {
  constructor(
    private readonly client: Client,
    private readonly pace: Pace,
    private readonly random: () => number,
    private readonly kind: Kind,
    private readonly clusterId: string,
  ) {}

  /** @returns undefined if it failed */
  async checkpoint(actionId: string, mustFail = false): Promise<Taken | undefined> {
    const { client, random } = this;
    const { path, containerName, machine } = this.kind;
    const taken = { action_id: actionId, ...(containerName === undefined ? {} : { container_name: containerName }) };
    const { body: checkpointId } = await client.post<string>(path, taken);
    const fails = mustFail || random() < 0.12;
    const failure = fails ? FAILURES[Math.floor(random() * FAILURES.length)] : undefined;
    const wholeMs = 2_500 + random() * 4_000;
    const done: object[] = [];
    for (const { name, share, io } of STAGES) {
      const began = performance.now();
      await this.report(checkpointId, name, io, wholeMs * share);
      const stage = { name, duration: Math.round((performance.now() - began) * 1e6), io };
      const [failing, error] = failure ?? [];
      if (name === failing) {
        const info = { components: [...done, { ...stage, result: 'failed', error }] };
        await client.put(`${path}/info/${checkpointId}`, { ...machine, info, error });
        return undefined;
      }
      done.push(stage);
    }
    const info = { profile: { components: done }, dump: { frozen_time: Math.round(wholeMs * 340) } };
    await client.put(`${path}/info/${checkpointId}`, { ...machine, info });
    await client.post(`${path}/uploaded/${checkpointId}`, { restore_path: `s3://checkpoints/${checkpointId}` });
    return { actionId, checkpointId };
  }

  /**
   * @param taken what is restored; the action that took it may be unknown
   * @param asked who asked for it; undefined: nobody did
   */
  async restore(
    { actionId, checkpointId }: Pick<Taken, 'checkpointId'> & Partial<Taken>,
    node: string,
    asked?: Asked,
  ): Promise<void> {
    const body = {
      restore_uuid: newId(),
      ...(asked === undefined ? {} : { action_id: asked.actionId }),
      checkpoint_id: checkpointId,
      ...(actionId === undefined ? {} : { checkpoint_action_id: actionId }),
      cluster_id: this.clusterId,
      workload_type: this.kind.workloadType,
      started_at: new Date().toISOString(),
      metadata: { node_name: node },
    };
    const report = (event: string, more: object) =>
      this.client.post(`/v1/restores/events/${event}`, { ...body, ...more });
    await report('restore_start', {});
    await this.pace.sleep(1_000 + this.random() * 2_500);
    const error = this.random() < 0.1 ? `driver 570.86 on ${node}, the checkpoint needs 575.51` : undefined;
    await report(error ? 'restore_error' : 'restore_success', {
      completed_at: new Date().toISOString(),
      ...(error ? { error_message: error } : {}),
    });
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
}
