import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { Clock } from '../../../1-platform/common/clock';
import { isUuid, newId } from '../../../1-platform/common/ids';
import { isJsonObject } from '../../../1-platform/common/json/json';
import { Page, sliceOf, type Slice } from '../../../1-platform/common/answers/paging';
import { invalidField } from '../../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../../1-platform/outbox/outbox';
import { OperationsService } from '../../operations/operations.service';
import type { ActionTotals } from '../../operations/operations.queries';
import { Action } from './action.entity';
import {
  requestCheckpoints,
  type CheckpointAsk,
  type RequestedCheckpoint,
  type WorkloadSource,
} from '../requested-checkpoints.queries';
import { ACTION_STATUSES, derivedStatus, furthest, isOver, isWhole, type ActionStatus } from './action.states';
import { CheckpointFacts } from '../checkpoint-facts';
import type { ListActionsQuery, UploadActionPodBody } from './actions.dto';
import {
  actionIsOver,
  actionNotReady,
  actionNotFound,
  noActionOfPod,
  notACheckpointAction,
  nothingToRestore,
  notOfThatWorkload,
} from '../checkpoints.errors';
import { ACTION_EVENTS } from '../checkpoints.events';
import { ActionEnded } from './actions.ports';
import { giveUpPartlyFailed, lockPartlyFailed } from './silent-checkpoints.queries';
import {
  beginningOf,
  noteActionReport,
  endRestore,
  getAction,
  giveUpActions,
  keepPod,
  listActions,
  lockAction,
  lockUnanswered,
  newestActionOfPod,
  progressOf,
  reopenAction,
  setActionStatus,
  type ActionFilter,
  type ActionRow,
  type Behind,
  type LockedAction,
} from './actions.queries';
import { noReportFor, RestoreFacts } from './restore-facts';
import type { WorkloadType } from '../checkpoint.states';
import { firstReady } from '../checkpoints.queries';

/** An action as other domains see it. */
export type RequestedAction = Readonly<Action>;

export interface ActionWithTotals extends ActionRow {
  totals: ActionTotals | undefined;
}

/** Actions: the requests, and their progress. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly operations: OperationsService,
    private readonly facts: CheckpointFacts,
    private readonly restores: RestoreFacts,
    private readonly clock: Clock,
    private readonly ended: ActionEnded,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  list(context: OrgContext, query: ListActionsQuery): Promise<Page<ActionWithTotals>> {
    const { action_id: id, type, cluster_id: clusterId, open: isOpen = false, after } = query;
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const behind = after === undefined ? undefined : await beginningOf(tx, after);
      if (after !== undefined && !behind) throw invalidField('after', 'must be the id of an action');
      const page = await this.page(tx, { id, type, clusterId, isOpen }, slice, behind);
      const last = page.rows.at(-1);
      if ((!isOpen && !behind) || !page.next || !last) return page;
      return Page.before(page.rows, { limit: slice.limit, after: last.action_id });
    });
  }

  /** Newest first. */
  async page(tx: Tx, filter: ActionFilter, slice: Slice, behind?: Behind): Promise<Page<ActionWithTotals>> {
    const page = await listActions(tx, filter, slice, behind);
    const totals = await this.operations.totalsOf(
      tx,
      page.rows.map((row) => row.action_id),
    );
    return page.map((row) => ({ ...row, totals: totals.get(row.action_id) }));
  }

  get(context: OrgContext, id: string): Promise<ActionWithTotals> {
    return this.unitOfWork.read(context, async (tx) => {
      const row = isUuid(id) ? await getAction(tx, id) : undefined;
      if (!row) throw actionNotFound();
      return { ...row, totals: (await this.operations.totalsOf(tx, [id])).get(row.action_id) };
    });
  }

  /** @param podId the Kubernetes uid or the row id of the pod */
  newestOfPod(context: OrgContext, podId: string): Promise<string> {
    return this.unitOfWork.read(context, async (tx) => {
      const id = await newestActionOfPod(tx, podId, isUuid(podId) ? podId : null);
      if (id === undefined) throw noActionOfPod();
      return id;
    });
  }

  /** Stores the pod with the action, and applies the status that the node reported. */
  upload(context: OrgContext, body: UploadActionPodBody): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      const action = await this.lockForReport(tx, body.action_id);
      const { pod_metadata_spec: metadata, pod_spec: spec, persistent_volume_claim: volumeClaim } = body;
      const containers = action.platform === 'slurm' ? null : containersOf(spec);
      await keepPod(tx, action.id, metadata, spec, volumeClaim, containers);
      await this.applyReported(tx, action, body.status);
      await record({ resourceType: 'action', resourceId: action.id, details: { status: body.status } });
      return action.id;
    });
  }

  /** Asks the nodes of running workloads for a checkpoint each. @param workloads ids of their rows */
  requestCheckpoints(
    tx: Tx,
    from: WorkloadSource,
    workloads: readonly (string | number)[],
    ask: Omit<CheckpointAsk, 'createdAt' | 'answerWithinSeconds'>,
  ): Promise<RequestedCheckpoint[]> {
    const answerWithinSeconds = this.environment.checkpointTimeoutSeconds;
    return requestCheckpoints(tx, from, workloads, { ...ask, createdAt: this.clock.now(), answerWithinSeconds });
  }

  /**
   * Requests a restore of an action's checkpoint. The action carries the pod's specification, because the pod
   * is gone.
   * @param clusterId target; the cluster of the checkpoint if undefined
   * @param request the request as received; with `allow_partial`, some ready checkpoints are enough
   */
  async requestRestore(
    tx: Tx,
    workloadType: WorkloadType,
    sourceId: string,
    clusterId: string | undefined,
    reason: string,
    request: { allow_partial?: boolean | null },
  ): Promise<Action> {
    const source = isUuid(sourceId) ? await tx.store(Action).findOne({ id: sourceId }) : null;
    if (!source) throw actionNotFound();
    if (source.type === 'restore_pod') throw notACheckpointAction();
    if ((source.platform === 'slurm') !== (workloadType === 'slurm')) throw notOfThatWorkload(workloadType);
    // Whoever deprecates one of its checkpoints locks it too.
    const { status, containers } = await this.lock(tx, source.id);
    const ready = await firstReady(tx, source.id);
    if (!ready) throw nothingToRestore();
    const { id: checkpointId, last_uploaded_at: uploadedAt } = ready;
    if (request.allow_partial !== true && !isWhole(status, await progressOf(tx, source.id), containers))
      throw actionNotReady(status);
    const action: Action = {
      ...source,
      id: newId(),
      clusterId: clusterId ?? source.clusterId,
      type: 'restore_pod',
      status: 'initialized',
      policyId: null,
      beatAt: null,
      error: null,
      reason,
      checkpointId,
      // The controller decides where it runs.
      nodeName: '',
      nodeRegion: null,
      instanceType: null,
      capacityType: null,
      nodeGpu: null,
      details: request,
      // It asks for what was uploaded before it, whatever the clock of another replica says.
      createdAt: new Date(Math.max(this.clock.now().getTime(), uploadedAt.getTime())),
      endedAt: null,
      givenUpAt: null,
      retiredAt: null,
    };
    const answerBy = `clock_timestamp() + make_interval(secs => ${this.environment.checkpointTimeoutSeconds})`;
    await tx.store(Action).insert({ ...action, answerBy: () => answerBy });
    const payload = {
      action_id: action.id,
      checkpoint_id: checkpointId,
      checkpoint_action_id: source.id,
      cluster_id: action.clusterId,
      ...(workloadType === 'slurm' ? { job_id: source.slurmJobId } : {}),
    };
    await appendEvent(tx, {
      type: ACTION_EVENTS[workloadType].restoreRequested,
      aggregateId: action.id,
      clusterId: action.clusterId,
      payload,
    });
    return action;
  }

  /** An action of this organisation; undefined if the id is unknown. */
  async find(tx: Tx, id: string): Promise<RequestedAction | undefined> {
    return (await tx.store(Action).findOne({ id })) ?? undefined;
  }

  /** Like `lock`, for a report. A report is a sign of life, so the deadline starts anew. */
  async lockForReport(tx: Tx, id: string): Promise<LockedAction> {
    const action = await this.lock(tx, id);
    await noteActionReport(tx, action.id, this.environment.checkpointTimeoutSeconds);
    return action;
  }

  /** Locks an action until the transaction ends: reports on it and on its checkpoints are serialised. */
  async lock(tx: Tx, id: string): Promise<LockedAction> {
    const action = isUuid(id) ? await lockAction(tx, id) : undefined;
    if (!action) throw actionNotFound();
    return action;
  }

  /**
   * A node requests a checkpoint of another container. If it processes its containers one after the other,
   * the action may already be ready, and continues. In error it continues next to the failed container, but
   * not if the deadline failed it or it ended before a node took it up.
   */
  async reopen(tx: Tx, action: LockedAction): Promise<void> {
    if (action.status === 'ready') {
      await reopenAction(tx, action.id, this.environment.checkpointTimeoutSeconds);
      action.status = 'processing';
    } else if (action.given_up) {
      throw actionIsOver();
    } else if (action.status === 'error' && !(await progressOf(tx, action.id)).some(({ claimed }) => claimed)) {
      throw actionIsOver();
    }
  }

  /** Moves an action to the status that its checkpoints determine. */
  async advance(tx: Tx, action: LockedAction, error: string | null = null): Promise<void> {
    const status = furthest(action.status, derivedStatus(await progressOf(tx, action.id), action.containers));
    if (status !== action.status) await this.set(tx, action, status, error, isOver(status));
  }

  /** The path of a checkpoint arrived after its action was ready: nobody could restore it before. */
  async noteRestorable(tx: Tx, action: LockedAction): Promise<void> {
    if (action.status === 'ready') await this.observed(tx, action, 'ready');
  }

  /**
   * Moves a restore to the status of its attempts, which may differ from how it ended before: a node may
   * restore its containers one after the other, and a later attempt may succeed. One that failed stays failed
   * until all of it is restored. @param error the reason, if it fails now
   */
  async settleRestore(
    tx: Tx,
    action: LockedAction,
    status: 'processing' | 'ready' | 'error',
    error: string,
  ): Promise<void> {
    if (status === action.status && !action.given_up) return;
    if (status !== 'processing') {
      await endRestore(tx, action.id, status, status === 'error' ? error : null);
      return this.observed(tx, action, status);
    }
    if (action.status === 'ready') return reopenAction(tx, action.id, this.environment.checkpointTimeoutSeconds);
    return this.moveTo(tx, action, status);
  }

  /**
   * Moves an action directly to a status, unless it has that status or has ended. A restore that only missed
   * its deadline ends as its node finally reports. @param error the reason of the status error
   */
  async moveTo(tx: Tx, action: LockedAction, status: ActionStatus, error: string | null = null): Promise<void> {
    if (action.given_up && action.type === 'restore_pod' && isOver(status)) {
      await endRestore(tx, action.id, status, error);
      return this.observed(tx, action, status);
    }
    const next = furthest(action.status, status);
    if (next !== action.status) await this.set(tx, action, next, error, isOver(next));
  }

  /** Fails actions without a report in time. Actions with a newer or a concurrent report are left alone. */
  async giveUp(tx: Tx, ids: readonly string[]): Promise<void> {
    const seconds = this.environment.checkpointTimeoutSeconds;
    const actions = await lockUnanswered(tx, ids);
    const errorOf = ({ status }: LockedAction) =>
      status === 'initialized' ? `no node answered in ${seconds} seconds` : noReportFor(`${seconds} seconds`);
    for (const [error, alike] of Map.groupBy(actions, errorOf)) await this.giveUpFor(tx, alike, error);
    // Behind all checkpoints: two sweeps that hold the totals of both kinds lock them in one order.
    const restores = actions.filter(({ type }) => type === 'restore_pod');
    await this.restores.failUnattempted(
      tx,
      restores.map((action) => ({ action, error: errorOf(action) })),
    );
  }

  /**
   * Fails what goes on of actions in error by one of their checkpoints, once nothing is reported on them any
   * more. A checkpoint whose end was reported waits for the report of its upload for a day.
   */
  async failSilent(tx: Tx, ids: readonly string[]): Promise<void> {
    const seconds = this.environment.checkpointTimeoutSeconds;
    const actions = await lockPartlyFailed(tx, ids, seconds);
    await this.facts.failUnfinished(tx, actions, noReportFor(`${seconds} seconds`), ['initializing']);
    const silentForADay = actions.filter((action) => action.for_a_day);
    await this.facts.failUnfinished(tx, silentForADay, noReportFor('a day'));
    await giveUpPartlyFailed(
      tx,
      actions.map(({ id }) => id),
    );
  }

  private async giveUpFor(tx: Tx, actions: readonly LockedAction[], error: string): Promise<void> {
    if (actions.length === 0) return;
    // If the node reported the end, only an upload report may be missing: those checkpoints are presumed
    // uploaded.
    const [ended, underWay] = [
      actions.filter((action) => action.ended_at),
      actions.filter((action) => !action.ended_at),
    ];
    await this.facts.failUnfinished(tx, underWay, error);
    await this.facts.failUnfinished(tx, ended, error, ['initializing']);
    await giveUpActions(
      tx,
      actions.map(({ id }) => id),
      error,
    );
    for (const action of actions) await this.ended.notify(tx, { action, status: 'error' });
  }

  private async set(
    tx: Tx,
    action: LockedAction,
    status: ActionStatus,
    error: string | null,
    ended: boolean,
  ): Promise<void> {
    await setActionStatus(tx, [action.id], status, error, ended);
    await this.observed(tx, action, status);
  }

  private async observed(tx: Tx, action: LockedAction, status: ActionStatus): Promise<void> {
    if (status === 'ready' || status === 'error') await this.ended.notify(tx, { action, status });
  }

  /**
   * Applies the status that a node reported. A checkpoint action is ready by its checkpoints alone: `ready`
   * from a node only means that it has ended. Other words, which existing agents send, are ignored.
   */
  private async applyReported(tx: Tx, action: LockedAction, word: string): Promise<void> {
    const status = ACTION_STATUSES.find((known) => known === word);
    if (status === undefined) return;
    if (status === 'error') {
      const error = 'the node reported an error';
      // The attempts of a restore end by their own reports, which may follow.
      if (action.type !== 'restore_pod') await this.facts.failUnfinished(tx, [action], error);
      return this.moveTo(tx, action, 'error', error);
    }
    if (action.type === 'restore_pod') return this.moveTo(tx, action, status);
    if (status === 'ready') return this.set(tx, action, furthest(action.status, 'checkpoint_created'), null, true);
    return this.moveTo(tx, action, status);
  }
}

/** Names of the containers of a pod's specification, without init containers; null if there are none. */
function containersOf(spec: unknown): string[] | null {
  const containers = isJsonObject(spec) && Array.isArray(spec.containers) ? spec.containers : [];
  const names = containers.flatMap((one) => (isJsonObject(one) && typeof one.name === 'string' ? [one.name] : []));
  return names.length === 0 ? null : names;
}
