import { Injectable } from '@nestjs/common';
import { insertAuditEntry } from '../../1-platform/audit/audit-entry.queries';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { joinedUuids } from '../../1-platform/common/fields/comma-joined';
import { Clock } from '../../1-platform/common/clock';
import { isUuid, newId } from '../../1-platform/common/ids';
import { isJsonObject } from '../../1-platform/common/json/json';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { findPod, findPodByName, type LivePod } from '../../2-inventory/pods/pods.queries';
import { isOver, type ActionStatus, type ActionType } from './actions/action.states';
import { ActionsService } from './actions/actions.service';
import { CheckpointFacts } from './checkpoint-facts';
import { PODS } from './requested-checkpoints.queries';
import { Checkpoint } from './checkpoint.entity';
import { REACHED_FROM, type CheckpointStatus, type WorkloadType } from './checkpoint.states';
import type {
  CheckpointInfoBody,
  CheckpointPathQuery,
  CheckpointPodBody,
  CheckpointProgressBody,
  CheckpointUploadedBody,
  CreateCheckpointBody,
  ListCheckpointsQuery,
} from './checkpoints.dto';
import {
  actionNotFound,
  anotherRestorePath,
  checkpointHasEnded,
  checkpointKept,
  checkpointNotFound,
  containerNotRunning,
  moveNotAllowed,
  nameRequired,
  noContainerNamed,
  nodeSilent,
  noReadyCheckpoint,
  notACheckpointAction,
  nothingToCheckpoint,
  notOfThatWorkload,
  parentNotFound,
  podNotNamed,
} from './checkpoints.errors';
import { type LockedAction } from './actions/actions.queries';
import { eraseForgotten } from './forgotten/forgotten-checkpoints.queries';
import {
  checkpointOfContainer,
  claimFirst,
  confirmRemoval,
  holdParent,
  keepProgress,
  listCheckpoints,
  lockCheckpoint,
  ownerOf,
  progressOfAction,
  progressState,
  restorePath,
  type CheckpointFilter,
  type CheckpointProgressRow,
  type CheckpointRow,
  type ListedCheckpoint,
} from './checkpoints.queries';

/** Checkpoints, from the request through the node's reports to the upload. */
@Injectable()
export class CheckpointsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly actions: ActionsService,
    private readonly facts: CheckpointFacts,
    private readonly clock: Clock,
  ) {}

  /** Requests a checkpoint of a running pod. @returns the id of the action */
  checkpointPod(context: OrgContext, body: CheckpointPodBody): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      const pod = await thePod(tx, body);
      if (!pod || pod.phase !== 'Running' || (body.cluster_id && body.cluster_id.toLowerCase() !== pod.cluster_id))
        throw nothingToCheckpoint();
      if (pod.node_silent_since) throw nodeSilent(pod.node_name, pod.node_silent_since);
      const containers = askedContainers(body.containers, pod.containers);
      const { kind = 'simple', reason = 'manual', leave_running: leaveRunning = true } = body;
      const details = { ...body, kind, reason, leave_running: leaveRunning };
      const [action] = await this.actions.requestCheckpoints(tx, PODS, [pod.id], {
        type: actionType(reason),
        reason,
        kind,
        leaveRunning,
        // So asks a supervisor that gets a SIGTERM, which may not know the name of its container: those of
        // the annotation may be its neighbours.
        coversAll: !leaveRunning && body.reason === undefined,
        containers,
        details,
      });
      if (!action) throw nothingToCheckpoint();
      await record({ resourceType: 'action', resourceId: action.id, details: { pod_uid: pod.uid, kind, reason } });
      return action.id;
    });
  }

  /** A checkpoint of this organisation; undefined if the id is unknown. */
  async find(tx: Tx, id: string): Promise<Checkpoint | undefined> {
    return (await tx.store(Checkpoint).findOne({ id })) ?? undefined;
  }

  /** @param isAwaiting only those whose bytes somebody has to remove, or has removed without a word */
  list(
    context: OrgContext,
    query: Pick<ListCheckpointsQuery, 'ids' | 'limit' | 'offset'>,
    filter: Omit<CheckpointFilter, 'ids'> = {},
    isAwaiting = false,
  ): Promise<Page<ListedCheckpoint>> {
    const slice = sliceOf(query);
    const ids = joinedUuids('ids', query.ids);
    return this.unitOfWork.read(context, (tx) => listCheckpoints(tx, { ids, ...filter }, slice, isAwaiting));
  }

  /**
   * Creates the checkpoint of one container. The first request for an action gets the checkpoint that was
   * created with it; later ones create more. A repeated request for a container gets the same one.
   */
  create(context: OrgContext, body: CreateCheckpointBody, of: WorkloadType = 'kubernetes'): Promise<string> {
    const { action_id: actionId, parent_checkpoint_id: parentId = null } = body;
    const claim = {
      name: body.name ?? null,
      containerName: body.container_name ?? null,
      parentId,
      delta: body.delta ?? parentId !== null,
    };
    return this.audit.change(context, async (tx, record) => {
      const action = actionId === undefined ? null : await this.actions.lockForReport(tx, actionId);
      if (parentId !== null && !(await holdParent(tx, parentId))) throw parentNotFound();
      if (of === 'slurm' && action && action.platform !== 'slurm') throw notOfThatWorkload('slurm');
      const made = action && (await this.ofAction(tx, action, claim));
      const id = made ?? newId();
      if (!made) {
        const { name, containerName, delta } = claim;
        const owner = {
          clusterId: action?.cluster_id ?? null,
          actionId: action?.id ?? null,
          name: name ?? action?.checkpoint_name ?? null,
          workloadType: action?.platform === 'slurm' ? 'slurm' : of,
        } as const;
        await tx.store(Checkpoint).insert({
          ...newCheckpoint(id, this.clock.now(), owner),
          containerName,
          delta,
          parentCheckpointId: parentId,
          claimed: true,
        });
      }
      if (action) await this.actions.advance(tx, action);
      await record({
        resourceType: 'checkpoint',
        resourceId: id,
        details: { action_id: actionId, container_name: claim.containerName },
      });
      return id;
    });
  }

  /** Stores the facts that a node reported; with an error, the failure. */
  putInfo(context: OrgContext, id: string, body: CheckpointInfoBody, of?: WorkloadType): Promise<string> {
    return this.report(
      context,
      { id, of },
      body.error === undefined ? 'updated_info' : 'deprecated',
      async (tx, stored, action) => {
        const { platform, error } = body;
        // Without a GPU it is empty, whether the report says null, an empty text or nothing.
        const gpu = body.gpu ?? '';
        // A repeated report of a known failure, or one that the deadline has already decided.
        if (error !== undefined && stored.failed) return;
        if (error !== undefined && (stored.status === 'ready' || stored.status === 'deprecated'))
          throw moveNotAllowed(stored.status, 'deprecated');
        // Measurements from before the failure stay.
        const info = body.info ?? (error === undefined ? null : stored.info);
        const checkpoint = { ...stored, gpu, platform, info };
        const checksum = isJsonObject(info) && typeof info.checksum === 'string' ? info.checksum : null;
        const status = error === undefined ? 'updated_info' : stored.status;
        await tx
          .store(Checkpoint)
          .update({ id }, { status, gpu, platform, info: info as object, checksum, claimed: true });
        if (error === undefined) await this.facts.record(tx, checkpoint, action, 'running');
        else await this.facts.fail(tx, checkpoint, action, error);
      },
      { error: body.error, isRepeated: (stored) => isRepeatedInfo(stored, body) },
    );
  }

  /**
   * Stores the progress that a node reported, which is a sign of life too. One report per second is stored;
   * the others cost one read. It changes no row of interest, so it leaves no audit entry.
   */
  async putProgress(context: OrgContext, id: string, body: CheckpointProgressBody): Promise<void> {
    const { stage, bytes_done: bytesDone = null, bytes_total: bytesTotal = null } = body;
    const state = await this.unitOfWork.read(context, (tx) => progressState(tx, id));
    if (!state) throw checkpointNotFound();
    refuseEnded(state.status);
    if (state.fresh) return;
    await this.unitOfWork.run(context, async (tx) => {
      const action = state.action_id === null ? null : await this.actions.lockForReport(tx, state.action_id);
      const stored = await lockCheckpoint(tx, id);
      if (!stored) throw checkpointNotFound();
      refuseEnded(stored.status);
      await keepProgress(tx, id, { stage, bytesDone, bytesTotal });
      if (action && !stored.claimed) await this.actions.advance(tx, action);
    });
  }

  /** The status of an action, and the progress of its checkpoints. */
  async status(context: OrgContext, actionId: string): Promise<OperationStatus> {
    return this.unitOfWork.read(context, async (tx) => {
      const action = isUuid(actionId) ? await this.actions.find(tx, actionId) : undefined;
      if (!action) throw actionNotFound();
      const progress = isOver(action.status) ? [] : await progressOfAction(tx, action.id);
      return { status: action.status, error: action.error, progress };
    });
  }

  /** From now on, the checkpoint can be restored. */
  putUploaded(context: OrgContext, id: string, body: CheckpointUploadedBody, of?: WorkloadType): Promise<string> {
    return this.report(context, { id, of }, 'ready', async (tx, stored, action) => {
      const path = body.restore_path ?? undefined;
      if (stored.status === 'ready') {
        if (path === undefined || path === stored.restore_path) return;
        if (stored.restore_path !== null) throw anotherRestorePath();
        // The first report did not contain the path.
        await tx.store(Checkpoint).update({ id }, { restorePath: path });
        if (action) await this.actions.noteRestorable(tx, action);
        return;
      }
      await tx
        .store(Checkpoint)
        .update({ id }, { status: 'ready', restorePath: path, claimed: true, uploadedAt: this.clock.now() });
      await this.facts.record(tx, stored, action, 'succeeded');
    });
  }

  /** The checkpoint can no longer be restored; its facts stay. An unfinished one fails. */
  deprecate(context: OrgContext, id: string, of?: WorkloadType): Promise<string> {
    const error = 'cancelled: deprecated before it was ready';
    return this.report(
      context,
      { id, of },
      'deprecated',
      async (tx, stored, action) => {
        if (stored.status === 'deprecated') return;
        if (stored.status === 'ready') await tx.store(Checkpoint).update({ id }, { status: 'deprecated' });
        else await this.facts.fail(tx, stored, action, error);
      },
      { error },
    );
  }

  /** The bytes of a deprecated or forgotten checkpoint are gone. A repetition is not recorded. */
  async confirmRemoval(context: OrgContext, id: string): Promise<void> {
    await this.unitOfWork.run(context, async (tx) => {
      const removedAt = await confirmRemoval(tx, id);
      if (removedAt === undefined) {
        const stored = await this.find(tx, id);
        if (stored?.bytesRemovedAt) return;
        if (stored) throw checkpointKept(stored.status);
        if (!(await eraseForgotten(tx, id))) throw checkpointNotFound();
      }
      const details = removedAt === undefined ? { forgotten: true } : { bytes_removed_at: removedAt };
      const change = { resourceType: 'checkpoint', resourceId: id, details };
      await insertAuditEntry(tx, this.audit.entryValues(context, change));
    });
  }

  /** The restore path of the newest ready checkpoint with a name, for one kind of workload. */
  path(context: OrgContext, { name, cluster_id: clusterId }: CheckpointPathQuery, of: WorkloadType): Promise<string> {
    if (name === undefined) throw nameRequired();
    return this.unitOfWork.read(context, async (tx) => {
      const path = await restorePath(tx, { name, of, clusterId });
      if (path === undefined) throw noReadyCheckpoint();
      return path;
    });
  }

  private async ofAction(
    tx: Tx,
    action: LockedAction,
    claim: Parameters<typeof claimFirst>[2],
  ): Promise<string | undefined> {
    if (action.type === 'restore_pod') throw notACheckpointAction();
    const asked =
      claim.containerName === null ? undefined : await checkpointOfContainer(tx, action.id, claim.containerName);
    if (asked !== undefined) return asked;
    await this.actions.reopen(tx, action);
    return claimFirst(tx, action.id, claim);
  }

  /**
   * Changes one checkpoint: locks its action, then the checkpoint, and updates the action in the same
   * transaction.
   * @param isRepeated whether the report arrived before, and the checkpoint has moved on since: then nothing
   *   changes
   */
  private report(
    context: OrgContext,
    { id, of }: { id: string; of: WorkloadType | undefined },
    to: Exclude<CheckpointStatus, 'initializing'>,
    move: (tx: Tx, stored: CheckpointRow, action: LockedAction | null) => Promise<void>,
    {
      error,
      isRepeated = () => false,
    }: { error?: string | undefined; isRepeated?: (stored: CheckpointRow) => boolean } = {},
  ): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      const owner = await ownerOf(tx, id, of);
      if (owner === undefined) throw checkpointNotFound();
      const action = owner === null ? null : await this.actions.lockForReport(tx, owner);
      const stored = await lockCheckpoint(tx, id);
      if (!stored) throw checkpointNotFound();
      const isAllowed = REACHED_FROM[to].includes(stored.status);
      if (!isAllowed && !isRepeated(stored)) throw moveNotAllowed(stored.status, to);
      if (isAllowed) {
        await move(tx, stored, action);
        if (action) await this.actions.advance(tx, action, error ?? null);
      }
      const details = { from: stored.status, to: isAllowed ? to : stored.status };
      await record({ resourceType: 'checkpoint', resourceId: id, details });
      return id;
    });
  }
}

/** The status of an action, and its unfinished checkpoints. */
export interface OperationStatus {
  readonly status: ActionStatus;
  /** The reason of the status error. */
  readonly error: string | null;
  readonly progress: readonly CheckpointProgressRow[];
}

/**
 * Whether a node reports once more what it has reported, because it was killed before it noted the answer. A
 * refusal would make it remove the checkpoint, which may be ready by now.
 */
function isRepeatedInfo(stored: CheckpointRow, { gpu, platform, info, error }: CheckpointInfoBody): boolean {
  if (error !== undefined || stored.status === 'deprecated') return false;
  const same = JSON.stringify(info ?? null) === JSON.stringify(stored.info ?? null);
  return same && stored.gpu === (gpu ?? '') && stored.platform === platform;
}

function refuseEnded(status: CheckpointStatus): void {
  if (status === 'ready' || status === 'deprecated') throw checkpointHasEnded(status);
}

/**
 * The containers that a request names, each of which must run. Undefined: all running ones.
 * @param running null if the pod's containers are unknown
 */
function askedContainers(
  asked: readonly string[] | null | undefined,
  running: readonly string[] | null,
): readonly string[] | undefined {
  if (asked == null) return undefined;
  if (asked.length === 0) throw noContainerNamed();
  const unknown = running === null ? -1 : asked.findIndex((name) => !running.includes(name));
  if (unknown >= 0) throw containerNotRunning(unknown);
  return asked;
}

/** Distinguishes heartbeats from other requests. */
export const actionType = (reason: string): Exclude<ActionType, 'restore_pod'> =>
  reason === 'heartbeat' ? 'heartbeat' : 'checkpoint_pod';

async function thePod(
  tx: Tx,
  { pod_id: podId, cluster_id: clusterId, namespace, pod_name: name }: CheckpointPodBody,
): Promise<LivePod | undefined> {
  if (podId) return findPod(tx, podId);
  if (!clusterId || !namespace || !name) throw podNotNamed();
  return isUuid(clusterId) ? findPodByName(tx, clusterId, namespace, name) : undefined;
}

function newCheckpoint(
  id: string,
  createdAt: Date,
  owner: { clusterId: string | null; actionId: string | null; name: string | null; workloadType: WorkloadType },
) {
  return {
    id,
    createdAt,
    ...owner,
    status: 'initializing' as const,
    claimed: false,
    gpu: '',
    platform: '',
    delta: false,
  };
}
