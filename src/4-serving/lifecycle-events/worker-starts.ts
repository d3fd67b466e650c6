import { Injectable } from '@nestjs/common';
import { ActivationsService } from '../activations/activations.service';
import { tellPodCheckpoints, startsWithoutCheckpoint, type PodCheckpoint } from '../activations/starts/starts.queries';
import { ArtifactsService } from '../artifacts/artifacts.service';
import { concernsStarts, type GonePod, type WorkerEvent } from '../activations/starts/start-events';
import type { ClusterDeletion } from '../../2-inventory/clusters/clusters.ports';
import { isUuid } from '../../1-platform/common/ids';
import { isJsonObject } from '../../1-platform/common/json/json';
import type { TransactionObserver } from '../../1-platform/database/transactions/observers';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { holdPodTimes, type PodTimes } from '../../2-inventory/pods/pods.queries';
import type { RecordLifecycleEventBody } from './lifecycle-events.dto';
import { newestEvents, podUidsOf, standingOf } from './lifecycle-events.queries';
import { endsRestore, TELLING_KINDS, namedCheckpoint } from './lifecycle-kinds';

/** The members of an event about its worker, except kind and time. */
export interface AboutWorker {
  readonly podUid: string | null;
  /** Its pod, if that is gone. */
  readonly gone: GonePod | null;
  readonly checkpoint: WorkerEvent['checkpoint'];
  /** The checkpoint that its pod names. */
  readonly named: readonly PodCheckpoint[];
}

/** Applies events of workers, and their pods, to the starts of a profile. */
@Injectable()
export class WorkerStarts implements TransactionObserver<readonly PodTimes[]> {
  constructor(
    private readonly activations: ActivationsService,
    private readonly artifacts: ArtifactsService,
  ) {}

  /**
   * The subject of an event, with its pod and its artifact held: before the event is stored, and before
   * activations are locked.
   */
  async about(tx: Tx, profileId: string, event: RecordLifecycleEventBody): Promise<AboutWorker | null> {
    if (!concernsStarts(event.kind)) return null;
    const podUid = event.workload_uid?.toLowerCase() ?? null;
    const pod = podUid === null ? undefined : await holdPodTimes(tx, podUid);
    const checkpoint = TELLING_KINDS.includes(event.kind) ? await this.checkpointIn(tx, profileId, event) : null;
    const changed = endsRestore(event.kind) ? (event.artifact_id ?? null) : null;
    const named = pod?.checkpoint_name
      ? await this.named(tx, [{ uid: pod.uid, profileId, name: pod.checkpoint_name }], changed)
      : [];
    return {
      podUid,
      gone: podUid !== null && pod?.deleted ? { podUid, at: pod.synced_at } : null,
      checkpoint,
      named,
    };
  }

  /**
   * @param profileId of the event
   * @param occurredAt at most the time of arrival, so that a fast clock moves nothing into the future
   */
  async apply(
    tx: Tx,
    profileId: string,
    event: RecordLifecycleEventBody,
    occurredAt: Date,
    { podUid, gone, checkpoint, named }: AboutWorker,
  ): Promise<void> {
    const { event_id: id, kind, cluster_id: clusterId, generation = null } = event;
    const worker = { podUid, clusterId, generation, checkpoint };
    const one: WorkerEvent = { id: id.toLowerCase(), kind, occurredAt, ...worker };
    await this.activations.workerEvent(tx, profileId, one, gone, {
      // Read at each call: other events may be committed while this one waits for the activation.
      standing: () => standingOf(tx, profileId, one),
      window: () => newestEvents(tx, profileId, one),
    });
    // Its pod may have been synced before the first event of the worker.
    await tellPodCheckpoints(tx, named);
  }

  /** For the pods that a sync changed: applies the checkpoints they name, and ends starts of gone pods. */
  async observe(tx: Tx, pods: readonly PodTimes[]): Promise<void> {
    const ofUid = new Map(pods.filter(({ uid }) => isUuid(uid)).map((pod) => [pod.uid.toLowerCase(), pod]));
    const naming = [...ofUid].filter(([, pod]) => pod.checkpoint_name !== null).map(([uid]) => uid);
    const starts = naming.length === 0 ? [] : await startsWithoutCheckpoint(tx, naming);
    const named = await this.named(
      tx,
      starts.map(({ pod_uid: uid, profile_id: profileId }) => ({
        uid,
        profileId,
        name: ofUid.get(uid)?.checkpoint_name ?? '',
      })),
    );
    const gone = [...ofUid].filter(([, pod]) => pod.deleted).map(([uid]) => uid);
    await this.activations.podsChanged(tx, named, gone);
  }

  /** The checkpoint that the event names; null if it names none. */
  private async checkpointIn(
    tx: Tx,
    profileId: string,
    { payload, artifact_id: named = null }: RecordLifecycleEventBody,
  ): Promise<{ path: string | null; artifactId: string | null } | null> {
    const event = namedCheckpoint(isJsonObject(payload) ? payload.restore_checkpoint_path : undefined, named);
    if (event === null) return null;
    const { path } = event;
    if (named !== null) await this.artifacts.hold(tx, [named]);
    const [found = null] =
      named === null && path !== null ? await this.artifacts.atPaths(tx, [{ profileId, path }]) : [];
    const artifactId = named ?? found;
    return { path, artifactId };
  }

  /**
   * The checkpoints that pods name, with their artifacts, which stay unchanged until the transaction ends.
   * @param changed the artifact that this transaction is about to change, if any
   */
  private async named(
    tx: Tx,
    pods: readonly { uid: string; profileId: string; name: string }[],
    changed: string | null = null,
  ): Promise<PodCheckpoint[]> {
    const paths = pods.map(({ profileId, name }) => ({ profileId, path: name }));
    const artifactIds = await this.artifacts.atPaths(tx, paths, changed);
    return pods.map(({ uid, profileId, name }, place) => ({
      pod_uid: uid,
      profile_id: profileId,
      path: name,
      artifact_id: artifactIds[place] ?? null,
    }));
  }
}

/**
 * Workers end with the cluster that runs them, also those that only its controller reported. Their
 * activations are locked last, because reports wait for these locks, and nothing slow follows.
 */
@Injectable()
export class ClusterStarts implements TransactionObserver<ClusterDeletion> {
  constructor(private readonly activations: ActivationsService) {}

  async observe(tx: Tx, { clusterId, onceGone }: ClusterDeletion): Promise<void> {
    const gone = await podUidsOf(tx, clusterId);
    onceGone(() => this.activations.clusterGone(tx, clusterId, gone));
  }
}
