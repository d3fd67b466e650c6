import { randomUUID } from 'node:crypto';
import type { FleetContext } from './context';
import { checkpointPlan, Dice, type CheckpointPlan } from './decisions';
import type { Profile } from './profiles';
import { isBootTied, type Shelf } from './shelf';
import type { Voice } from './voice';
import type { Worker } from './worker';

export interface OpenRequest {
  readonly request_id: string;
  readonly kind: 'checkpoint' | 'restart';
  readonly status: string;
}

/**
 * The result of an attempt: an artifact, or the reason of the failure. A restart may succeed without an
 * artifact.
 */
export type Taken = { readonly artifactId: string | null } | { readonly error: string };

/** The share of the memory changed since the last checkpoint that an incremental one writes. */
const WRITTEN = 0.25;

/** Checkpoints of the workers of one profile. */
export class Checkpoints {
  private readonly dice: Dice;
  private readonly path: string;

  constructor(
    private readonly context: FleetContext,
    private readonly profile: Profile,
    private readonly shelf: Shelf,
    private readonly voice: Voice,
  ) {
    this.dice = new Dice(context.options.seed, `checkpoints of ${profile.id}`);
    this.path = `/v1/inference/profiles/${profile.id}/checkpoint`;
  }

  /** The open attempt. */
  async open(): Promise<OpenRequest | undefined> {
    const { status, body } = await this.context.controller.get<OpenRequest>(this.path, { also: [404] });
    return status === 200 && (body.status === 'pending' || body.status === 'running') ? body : undefined;
  }

  begin(request: OpenRequest): Promise<void> {
    return this.update(request, { status: 'running' });
  }

  fail(request: OpenRequest, error: string): Promise<void> {
    return this.end(request, { error });
  }

  async end(request: OpenRequest, taken: Taken): Promise<void> {
    if ('error' in taken) await this.update(request, { status: 'failed', error: taken.error });
    else await this.update(request, { status: 'succeeded', artifact_id: taken.artifactId });
    const details = { request: request.request_id, kind: request.kind };
    if ('error' in taken) this.voice.did('attempt failed', { ...details, error: taken.error });
    else this.voice.did('attempt succeeded', { ...details, artifact: taken.artifactId });
  }

  /** @param endure lets simulated time pass, and throws if the worker is lost */
  async take(worker: Worker, endure: (milliseconds: number) => Promise<void>): Promise<Taken> {
    const plan = checkpointPlan(this.dice, this.context.options);
    this.context.journal.decided(`checkpoints of ${this.profile.id}`, 'checkpoint', { ...plan });
    const artifactId = `${this.profile.id}-${randomUUID().slice(0, 13)}`;
    await this.voice.event('checkpoint.started', worker, { artifactId });
    const lost = await endure(plan.takesMs).then(
      () => false,
      (error: unknown) => {
        if (worker.lost) return true;
        throw error;
      },
    );
    if (plan.fails || lost) {
      const error = lost ? `the node ${worker.node.name} was lost` : 'the dump was refused';
      await this.voice.event('checkpoint.failed', worker, { artifactId, payload: { reason: error } });
      return { error };
    }
    await this.register(artifactId, worker, plan);
    return { artifactId };
  }

  private async register(artifactId: string, worker: Worker, plan: CheckpointPlan): Promise<void> {
    const { node, bootId, basis } = worker;
    const parent = plan.incremental && basis !== null && this.shelf.isWhole(basis) ? basis : null;
    const written = parent === null ? plan.bytes : Math.round(plan.bytes * WRITTEN);
    const place = { node_name: node.name, node_boot_id: bootId, cluster_id: this.context.clusterId };
    const artifact = {
      artifact_id: artifactId,
      profile_id: this.profile.id,
      compatibility_key: this.profile.compatibilityKey,
      checkpoint_mode: parent === null ? 'full' : 'incremental',
      uri: `${isBootTied(plan.tier) ? `file://${node.name}` : 's3:/'}/checkpoints/${artifactId}`,
      storage_tier: plan.tier,
      parent_artifact_id: parent,
      logical_bytes: plan.bytes,
      physical_bytes: written,
      written_bytes: written,
      reused_bytes: plan.bytes - written,
      metadata: plan.placedBy === 'registration' ? place : {},
    };
    const completed = () => this.voice.event('checkpoint.completed', worker, { artifactId });
    if (plan.completedFirst) await completed();
    this.shelf.put({
      artifactId,
      profileId: this.profile.id,
      parentId: parent,
      nodeName: node.name,
      bootId,
      tier: plan.tier,
    });
    await this.context.controller.post('/v1/inference/artifacts', artifact);
    if (!plan.completedFirst) await completed();
    this.voice.did('registered', { artifact: artifactId, tier: plan.tier, parent, node: node.name });
    worker.basis = artifactId;
  }

  private async update({ request_id }: OpenRequest, body: object): Promise<void> {
    await this.context.controller.patch(this.path, { request_id, ...body });
  }
}
