import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActivationsService } from '../activations/activations.service';
import { tellPodCheckpoints, untoldStarts, type PodCheckpoint } from '../activations/starts.queries';
import { ArtifactsService } from '../artifacts/artifacts.service';
import { isUuid } from '../common/ids';
import { isJsonObject } from '../common/json';
import type { Tx } from '../database/tx';
import { podTimes, type PodTimes } from '../pods/pods.queries';
import { PodsService } from '../pods/pods.service';
import type { RecordLifecycleEventBody } from './lifecycle-events.dto';
import { tellsCheckpoint } from './lifecycle-kinds';

/** Longest path of a checkpoint that is looked at. */
const MAX_PATH = 4_096;

/** What events of workers, and their pods, tell of the starts of a profile. */
@Injectable()
export class WorkerStarts implements OnModuleInit {
  constructor(
    private readonly activations: ActivationsService,
    private readonly artifacts: ArtifactsService,
    private readonly pods: PodsService,
  ) {}

  onModuleInit(): void {
    this.pods.observe((tx, pods) => this.podsChanged(tx, pods));
  }

  /** @param profileId of the event */
  async tell(tx: Tx, profileId: string, event: RecordLifecycleEventBody): Promise<void> {
    const podUid = event.workload_uid?.toLowerCase() ?? null;
    const told = tellsCheckpoint(event.kind) ? await this.toldBy(tx, profileId, event) : null;
    const occurredAt = new Date(event.occurred_at);
    await this.activations.workerEvent(tx, profileId, { kind: event.kind, occurredAt, podUid, told }, event.generation);
    // Its pod may have been synced before the first event of the worker.
    const pod = podUid === null || told !== null ? undefined : await podTimes(tx, podUid);
    if (pod?.checkpoint_name) await this.tellPods(tx, [{ uid: pod.uid, profileId, name: pod.checkpoint_name }]);
  }

  /** Of pods that a sync changed: what they name as their checkpoint, and that they are gone. */
  private async podsChanged(tx: Tx, pods: readonly PodTimes[]): Promise<void> {
    const ofUid = new Map(pods.filter(({ uid }) => isUuid(uid)).map((pod) => [pod.uid.toLowerCase(), pod]));
    const gone = [...ofUid].filter(([, pod]) => pod.deleted).map(([uid]) => uid);
    if (gone.length > 0) await this.activations.podsGone(tx, gone);
    const naming = [...ofUid].filter(([, pod]) => pod.checkpoint_name !== null).map(([uid]) => uid);
    const starts = naming.length === 0 ? [] : await untoldStarts(tx, naming);
    const named = starts.map(({ pod_uid: uid, profile_id: profileId }) => ({
      uid,
      profileId,
      name: ofUid.get(uid)?.checkpoint_name ?? '',
    }));
    await this.tellPods(tx, named);
  }

  /** The checkpoint that the event names; null where it names none. */
  private async toldBy(
    tx: Tx,
    profileId: string,
    { payload, artifact_id: named = null }: RecordLifecycleEventBody,
  ): Promise<{ path: string | null; artifactId: string | null } | null> {
    const member = isJsonObject(payload) ? payload.restore_checkpoint_path : undefined;
    const path = typeof member === 'string' && member !== '' && member.length <= MAX_PATH ? member : null;
    if (path === null && named === null) return null;
    const artifactId = named ?? (path === null ? null : ((await this.artifacts.atPath(tx, profileId, path)) ?? null));
    // Retention waits, and finds it in use.
    if (artifactId !== null) await this.artifacts.hold(tx, artifactId);
    return { path, artifactId };
  }

  private async tellPods(tx: Tx, pods: { uid: string; profileId: string; name: string }[]): Promise<void> {
    const told: PodCheckpoint[] = [];
    for (const { uid, profileId, name } of pods) {
      const artifactId = await this.artifacts.atPath(tx, profileId, name);
      // Retention waits, and finds it in use.
      if (artifactId !== undefined) await this.artifacts.hold(tx, artifactId);
      told.push({ pod_uid: uid, path: name, artifact_id: artifactId ?? null });
    }
    await tellPodCheckpoints(tx, told);
  }
}
