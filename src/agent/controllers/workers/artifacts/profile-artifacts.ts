import { createHash } from 'node:crypto';
import { AgentFailure } from '../../../failures';
import type { MachineFacts } from '../../../machine/machine-facts';
import { isProblem } from '../../../service/problems';
import type { components } from '../../../service/schema';
import { isSameCommand, type Manifest } from '../../../store/manifest';
import { UUID } from '../../../uuid';
import type { ClusterContext } from '../../common/cluster-context';
import { members } from '../../common/members';
import type { Artifact } from '../../common/removals/artifact-bytes';
import type { RestoreSource, WorkerRecord } from '../profile/worker-record';
import type { Profile, WorkerSpec } from '../profile/worker-spec';
import { storeKindOf, type ArtifactStores } from './artifact-stores';

/** As the service names checkpoints of whole processes. */
const MODE = 'criu';

/** Enough to distinguish two bodies of one artifact. */
const DIGEST_CHARACTERS = 16;

type Machine = components['schemas']['MachineBody'];

/** What a restore needs beside the checkpoint itself. */
export interface Restorable extends RestoreSource {
  /** On which the worker listens; undefined: the one that the checkpoint chose, in a network of its own. */
  readonly port: number | undefined;
}

/** What is not to be restored again yet. */
export interface Failed {
  isRefused(artifactId: string): boolean;
  /** Its original may be intact. */
  isCopyRefused(artifactId: string): boolean;
}

/** Checkpoints of the workers of profiles, as the service knows them. */
export class ProfileArtifacts {
  constructor(
    private readonly context: Pick<ClusterContext, 'service' | 'clusterId' | 'log'>,
    readonly stores: ArtifactStores,
    /** That has the bytes of a directory; undefined: every machine of the cluster sees them. */
    private readonly node: { readonly name: string; readonly bootId: string } | undefined,
    /** The machine of all workers; undefined: a batch system chooses it. */
    private readonly machine: (() => Promise<MachineFacts>) | undefined,
  ) {}

  /**
   * The best artifact that a worker on this machine can be restored from.
   * @param failed what has failed here
   */
  async best(profile: Profile, spec: WorkerSpec, failed: Failed): Promise<Restorable | undefined> {
    for (const { artifact, restorable } of await this.candidates(profile)) {
      if (!restorable || artifact.checkpoint_mode !== MODE || failed.isRefused(artifact.artifact_id)) continue;
      const near = failed.isCopyRefused(artifact.artifact_id) ? undefined : await this.nearOf(artifact);
      const manifest = near ?? (await this.manifestOf(artifact));
      if (!manifest || !isSameCommand(manifest.workload.command, spec.command)) continue;
      if ((manifest.workload.network?.mode ?? 'host') !== spec.network) continue;
      const port = members(artifact.metadata).port;
      return {
        artifactId: artifact.artifact_id,
        reference: manifest.reference,
        ...(near && { isCopy: true }),
        port: typeof port === 'number' ? port : undefined,
      };
    }
    return undefined;
  }

  private async candidates({
    profile_id: profileId,
  }: Profile): Promise<components['schemas']['ArtifactCandidateView'][]> {
    const body = { profile_id: profileId, ...(this.node && { node_name: this.node.name }) };
    const facts = await this.machine?.();
    const lookUp = (machine: Machine | undefined) =>
      this.context.service.send('lookup_artifacts', (api) =>
        api.POST('/v1/inference/artifacts/lookup', { body: { ...body, ...(machine && { machine }) } }),
      );
    if (!facts) return lookUp(undefined);
    const machine = machineOf(facts);
    const { kernel_features: _features, image_digest: _image, gpus: _gpus, gpu_driver: _driver, ...older } = machine;
    for (const known of [machine, older])
      try {
        return await lookUp(known);
      } catch (error) {
        // The service is older than one of its members, and may be older than all.
        if (!isProblem(error, 'validation_failed')) throw error;
      }
    return lookUp(undefined);
  }

  /** Registers a checkpoint of a worker. The same again changes nothing. @returns the id of the artifact */
  async register(
    profile: Profile,
    spec: WorkerSpec,
    manifest: Manifest,
    { port }: Pick<WorkerRecord, 'port'>,
  ): Promise<string> {
    const { profile_id: profileId, compatibility_key: compatibilityKey } = profile;
    const { id, reference, bytes, archive, files } = manifest;
    const artifactId = `${profileId}-${id}`;
    const stored = archive ? archive.parts.reduce((sum, part) => sum + part.bytes, 0) : bytes;
    const hashes = files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
    const body: components['schemas']['RegisterArtifactBody'] = {
      artifact_id: artifactId,
      profile_id: profileId,
      compatibility_key: compatibilityKey,
      checkpoint_mode: MODE,
      uri: reference,
      storage_tier: this.stores.tierOf(storeKindOf(reference)),
      physical_bytes: stored,
      written_bytes: stored,
      logical_bytes: bytes,
      checksum: `sha256:${createHash('sha256').update(hashes).digest('hex')}`,
      metadata: {
        ...(this.node && { node_name: this.node.name, node_boot_id: this.node.bootId }),
        cluster_id: this.context.clusterId(),
        checkpoint_id: id,
        port,
        machine: machineOf(manifest.machine),
        ...(spec.engineFlags === undefined ? {} : { engine_flags: spec.engineFlags }),
      },
    };
    // An agent of another release reports other members, and another body under one key is refused.
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, DIGEST_CHARACTERS);
    const header = { 'Idempotency-Key': `artifact/${id}/${this.context.clusterId()}/${digest}` };
    await this.context.service.send('register_artifact', (api) =>
      api.POST('/v1/inference/artifacts', { params: { header }, body }),
    );
    return artifactId;
  }

  /** A copy in the directory, which is nearer than the original. A directory that fails has none. */
  private async nearOf(artifact: Artifact): Promise<Manifest | undefined> {
    const id = checkpointIdOf(artifact);
    if (id === undefined || storeKindOf(artifact.uri) !== 'service' || !this.stores.takesCopies) return undefined;
    return this.orNone(artifact, () => this.stores.find('directory', id));
  }

  /** @returns undefined if this agent does not have the checkpoint, or cannot use it */
  private manifestOf(artifact: Artifact): Promise<Manifest | undefined> {
    const { uri } = artifact;
    return this.orNone(artifact, async () => (await this.stores.open(storeKindOf(uri))).manifest(uri));
  }

  private async orNone(artifact: Artifact, look: () => Promise<Manifest | undefined>): Promise<Manifest | undefined> {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error;
      this.context.log.info({ err: error, artifact_id: artifact.artifact_id }, 'an artifact cannot be restored here');
      return undefined;
    }
  }
}

/** What is known of a machine, as the service compares it. */
export function machineOf(facts: MachineFacts): Machine {
  const { architecture, pageSize, criu, cpuFlags, libc, cgroupMode } = facts;
  const { kernelFeatures, imageDigest = '', gpus, gpuDriver = '' } = facts;
  return {
    ...(architecture !== '' && { architecture }),
    ...(pageSize > 0 && { page_size: pageSize }),
    ...(criu !== '' && { criu }),
    ...(cpuFlags.length > 0 && { cpu_flags: [...cpuFlags] }),
    ...(kernelFeatures && { kernel_features: [...kernelFeatures] }),
    ...(libc !== '' && { libc }),
    ...(cgroupMode !== 'none' && { cgroup_mode: cgroupMode }),
    ...(imageDigest !== '' && { image_digest: imageDigest }),
    ...(gpus && { gpus: [...gpus] }),
    ...(gpuDriver !== '' && { gpu_driver: gpuDriver }),
  };
}

/** The id that a checkpoint has in stores. @returns undefined if no agent has registered the artifact */
export function checkpointIdOf({ metadata, uri }: Pick<Artifact, 'metadata' | 'uri'>): string | undefined {
  const { checkpoint_id: id } = members(metadata);
  return typeof id === 'string' && UUID.test(id) && uri.endsWith(id) ? id : undefined;
}
