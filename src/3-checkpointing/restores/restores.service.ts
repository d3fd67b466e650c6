import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import type { LockedAction } from '../checkpoints/actions/actions.queries';
import { ActionsService, type RequestedAction } from '../checkpoints/actions/actions.service';
import { checkpointsBeside } from '../checkpoints/checkpoints.queries';
import { CheckpointsService } from '../checkpoints/checkpoints.service';
import { ClustersService } from '../../2-inventory/clusters/clusters.service';
import { Clock } from '../../1-platform/common/clock';
import { isUuid, newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import type { StoredAttempt } from '../operations/attempt';
import { operationIdTaken } from '../operations/operations.errors';
import { OperationsService } from '../operations/operations.service';
import { firstUntied } from '../operations/restored-pods.queries';
import { MAX_CHECKPOINT_NAME } from '../../2-inventory/kubernetes/resource';
import { podTimes, restoredPods } from '../../2-inventory/pods/pods.queries';
import { attemptOf, mergeMembers } from './restore-attempt';
import { Restore } from './restore.entity';
import { restoredStatus } from './restored-action';
import { restoreStatus, type RestoreEventKind, type RestoreStatus } from './restore.states';
import type { ListRestoresQuery, RestoreEventView, RestorePodBody } from './restores.dto';
import { notAClusterOfPods, restoreNotFound } from './restores.errors';
import {
  attemptsOf,
  eventsOf,
  getRestore,
  keepEvent,
  listRestores,
  openRestore,
  type Members,
  type OpenedRestore,
  type RestoreRow,
} from './restores.queries';

/** Default number of restores per page. */
const DEFAULT_RESTORES = 100;

/** Maximum size of an event as JSON text, because it is stored and listed. */
const MAX_EVENT_BYTES = 256 * 1024;

/** Restores: requested here, reported by the events of nodes. */
@Injectable()
export class RestoresService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly actions: ActionsService,
    private readonly checkpoints: CheckpointsService,
    private readonly clusters: ClustersService,
    private readonly operations: OperationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Requests a restore of an action's checkpoint from the controller of a cluster.
   * @returns the id of the new action
   */
  restorePod(context: OrgContext, body: RestorePodBody): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      const clusterId = body.cluster_id === undefined ? undefined : await this.clusters.resolve(tx, body.cluster_id);
      if (clusterId !== undefined && (await this.clusters.kindOf(tx, clusterId)) === 'slurm') throw notAClusterOfPods();
      const action = await this.actions.requestRestore(tx, 'kubernetes', body.action_id, clusterId, body.reason, {
        ...body,
      });
      const { action_id: source, reason, allow_incompatible } = body;
      await record({
        resourceType: 'action',
        resourceId: action.id,
        details: { checkpoint_action_id: source, reason, allow_incompatible },
      });
      return action.id;
    });
  }

  /** @param members the event as received, unknown members included */
  recordEvent(context: OrgContext, kind: RestoreEventKind, members: Members): Promise<RestoreEventView> {
    const restoreUuid = uuidMember(members, 'restore_uuid');
    if (restoreUuid === undefined) throw invalidField('restore_uuid', 'must be a UUID');
    for (const name of ['action_id', 'checkpoint_id', 'checkpoint_action_id']) uuidMember(members, name);
    if (Buffer.byteLength(JSON.stringify(members)) > MAX_EVENT_BYTES)
      throw invalidField('body', `must be at most ${MAX_EVENT_BYTES} bytes`);
    return this.audit.change(context, async (tx, record) => {
      // A fact has one id: a checkpoint's, or a restore's uuid.
      if (await this.checkpoints.find(tx, restoreUuid)) throw operationIdTaken(restoreUuid);
      const restore = await openRestore(tx, newId(), restoreUuid, this.clock.now());
      await keepEvent(tx, restore.id, kind, members);
      const status = await this.update(tx, restore, restoreUuid, restore.profile);
      await record({ resourceType: 'restore', resourceId: restoreUuid, details: { kind, status } });
      return { restore_uuid: restoreUuid, status };
    });
  }

  /**
   * Stores the measurements of the node; their stages join the fact.
   * @returns where the node stores the profile itself, if reported
   */
  putProfile(context: OrgContext, restoreUuid: string, profile: unknown): Promise<string | null> {
    return this.audit.change(context, async (tx, record) => {
      if (!(await tx.store(Restore).exists({ restoreUuid }))) throw restoreNotFound();
      const restore = await openRestore(tx, newId(), restoreUuid, this.clock.now());
      await tx.store(Restore).update({ id: restore.id }, { profile: profile as object });
      await this.update(tx, restore, restoreUuid, profile);
      await record({ resourceType: 'restore', resourceId: restoreUuid });
      const stored = await getRestore(tx, restore.id);
      const path = stored?.members.profile_object_path;
      return typeof path === 'string' ? path : null;
    });
  }

  list(context: OrgContext, { cluster_id: named, ...query }: ListRestoresQuery): Promise<Page<RestoreRow>> {
    const slice = sliceOf(query, DEFAULT_RESTORES);
    return this.unitOfWork.read(context, async (tx) => {
      if (named === undefined) return listRestores(tx, query, slice);
      const known = await this.clusters.find(tx, named);
      const of = known === undefined ? { unknown_cluster_id: named } : { cluster_id: known };
      return listRestores(tx, { ...query, ...of }, slice);
    });
  }

  get(context: OrgContext, id: string): Promise<RestoreRow> {
    return this.unitOfWork.read(context, async (tx) => {
      const row = await getRestore(tx, id);
      if (!row) throw restoreNotFound();
      return row;
    });
  }

  /** Updates record, fact and action to the merged events and profile. The restore is locked. */
  private async update(tx: Tx, restore: OpenedRestore, restoreUuid: string, profile: unknown): Promise<RestoreStatus> {
    const events = await eventsOf(tx, restore.id);
    const members = mergeMembers(events);
    const status = restoreStatus(events);
    const attempt = await this.withContext(tx, attemptOf(restoreUuid, events, members, profile), members);
    await tx.store(Restore).update(
      { id: restore.id },
      {
        status,
        members: members as object,
        actionId: attempt.actionId,
        checkpointId: attempt.checkpointId,
        clusterId: attempt.clusterId,
      },
    );
    // The action before the totals, in the order of checkpoint reports, so that nobody waits for an action
    // while holding the totals.
    const action = attempt.actionId === null ? undefined : await this.actions.find(tx, attempt.actionId);
    if (action?.type === 'restore_pod') {
      const error = (status === 'failed' && attempt.failureReason) || 'the restore failed';
      const isNew = restore.action_id !== action.id;
      await this.settle(tx, await this.actions.lockForReport(tx, action.id), isNew, error);
    }
    await this.operations.record(tx, attempt, restore.status === 'started');
    return status;
  }

  /**
   * Moves an action to the status of all its attempts. It is locked, so whoever reports on another of its
   * restores at the same time sees this report, or this one sees theirs.
   * @param isNew this is the first report of its restore on the action: nothing else can reopen a ready one
   * @param error the reason, if this report makes the action fail
   */
  private async settle(tx: Tx, action: LockedAction, isNew: boolean, error: string): Promise<void> {
    const attempts = await attemptsOf(tx, action.id);
    // A node reported the action itself as ready: that stands.
    if (action.status === 'ready' && !attempts.some((attempt) => attempt.status === 'succeeded')) return;
    const checkpoints = await checkpointsBeside(tx, action.checkpoint_id, action.created_at);
    const status = restoredStatus(attempts, checkpoints);
    // Nobody would report again, so the action would fail at its deadline.
    if (action.status === 'ready' && status === 'processing' && !isNew) return;
    await this.actions.settleRestore(tx, action, status, error);
  }

  /**
   * Adds what the service itself knows: action, checkpoint, cluster and pod. Unknown ids stay as reported.
   */
  private async withContext(tx: Tx, attempt: StoredAttempt, members: Members): Promise<StoredAttempt> {
    const action = attempt.actionId === null ? undefined : await this.actions.find(tx, attempt.actionId);
    const source = await this.actionMember(tx, members, 'checkpoint_action_id');
    const checkpointId = attempt.checkpointId ?? source?.checkpointId ?? action?.checkpointId ?? null;
    const checkpoint = checkpointId === null ? undefined : await this.checkpoints.find(tx, checkpointId);
    const reported =
      typeof members.cluster_id === 'string' ? await this.clusters.find(tx, members.cluster_id) : undefined;
    const origin = action ?? source;
    const known: StoredAttempt = {
      ...attempt,
      checkpointId,
      clusterId: reported ?? origin?.clusterId ?? checkpoint?.clusterId ?? null,
      name: attempt.name || (origin?.podName ?? ''),
      namespace: attempt.namespace || (origin?.namespace ?? ''),
      kind: attempt.kind || (origin?.kind ?? ''),
      reason: attempt.reason || (action?.reason ?? ''),
      checkpointName: shortened(attempt.checkpointName || (checkpoint?.name ?? origin?.checkpointName ?? '')),
      gpuModel: attempt.gpuModel || (checkpoint?.gpu ?? ''),
      platform: attempt.platform || (checkpoint?.platform ?? ''),
      workloadType:
        origin?.platform === 'slurm' || checkpoint?.workloadType === 'slurm' ? 'slurm' : attempt.workloadType,
    };
    return this.withPod(tx, known, reported === undefined && action?.type !== 'restore_pod');
  }

  /**
   * @param isClusterPresumed its cluster is that of the checkpoint: no event names one, and no restore was
   *   requested
   */
  private async withPod(tx: Tx, attempt: StoredAttempt, isClusterPresumed: boolean): Promise<StoredAttempt> {
    const { operationId, podUid, checkpointName, nodeName, startedAt } = attempt;
    const guess = async () => {
      if (!checkpointName || !nodeName) return undefined;
      return firstUntied(tx, await restoredPods(tx, { ...attempt, isClusterPresumed }), operationId, startedAt);
    };
    const pod = await (podUid ? podTimes(tx, podUid) : guess());
    return pod ? { ...attempt, podUid: pod.uid, podScheduledAt: pod.scheduled_at, podReadyAt: pod.ready_at } : attempt;
  }

  private async actionMember(tx: Tx, members: Members, name: string): Promise<RequestedAction | undefined> {
    const id = uuidMember(members, name);
    return id === undefined ? undefined : this.actions.find(tx, id);
  }
}

/** A member that is an id; undefined if missing. Senders may also leave it empty. */
function uuidMember(members: Members, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (!isUuid(value)) throw invalidField(name, 'must be a UUID');
  return value.toLowerCase();
}

/**
 * The name of a job of Slurm may have twice the UTF-16 units that the name of a checkpoint may: an index
 * could not hold it.
 */
function shortened(name: string): string {
  const cut = name.slice(0, MAX_CHECKPOINT_NAME);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
