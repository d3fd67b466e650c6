import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { Partitions, widthFor } from '../../1-platform/partitions/partitions';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { readyPods } from '../../2-inventory/pods/pods.queries';
import { ended, mergeAttempt, observe, type Attempt, type Observations, type StoredAttempt } from './attempt';
import { reasonLabel, stageLabel } from './totals/failure-labels';
import { operationIdTaken, operationNotFound } from './operations.errors';
import type { OperationType } from './operation.states';
import type { ListOperationsQuery } from './operations.dto';
import { addFailures, addTotals, failureLabels, type FailureLabels } from './totals/operation-totals.queries';
import {
  actionTotals,
  beginningOf,
  findFact,
  listFacts,
  lockFacts,
  restoresFrom,
  saveFacts,
  type ActionTotals,
} from './operations.queries';
import { awaitingRestores, notePodTimes, type AwaitingRestore } from './restored-pods.queries';

const RESTORED_PODS = 'restored pods';

/** Restores per query. */
const PAGE = 500;

/** A longer round hands over to the next one. */
const ROUND_MS = 8_000;

const NO_LABELS: FailureLabels = { stage: '', reason: '' };

/** The facts: one for each attempt to checkpoint or to restore, and their totals. */
@Injectable()
export class OperationsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sweeps: Sweeps,
    private readonly partitions: Partitions,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    const { operationRetentionDays: keptDays } = this.environment;
    this.partitions.add({ table: 'operation_stages', width: widthFor(keptDays), keptDays });
    this.sweeps.add({ name: RESTORED_PODS, everySeconds: 15, run: () => this.findReadyPods() });
  }

  /**
   * The end of a restore and the sync of its ready pod often arrive concurrently, and then neither
   * transaction sees the other's row. This sweep finds such pairs.
   * @returns 0 if there is more to do
   */
  findReadyPods(roundMs = ROUND_MS): Promise<0 | undefined> {
    return this.sweeps.walk<AwaitingRestore>(RESTORED_PODS, {
      pageSize: PAGE,
      roundMs,
      page: (behind) =>
        this.unitOfWork.system('restores of every organisation await pods', (tx) => awaitingRestores(tx, PAGE, behind)),
      serve: (awaiting) => {
        const byOrganisation = Map.groupBy(awaiting, ({ org_id }) => org_id);
        return this.sweeps.each(RESTORED_PODS, byOrganisation, ([orgId, restores]) => this.tie(orgId, restores));
      },
    });
  }

  private tie(orgId: string, restores: readonly AwaitingRestore[]): Promise<void> {
    const uids = restores.map((restore) => restore.pod_uid).filter((uid) => uid !== '');
    const asking = restores.filter((restore) => restore.pod_uid === '');
    const names = asking.map((restore) => restore.checkpoint_name);
    const nodes = asking.map((restore) => restore.node_name);
    return this.unitOfWork.run({ orgId }, async (tx) => {
      const pods = await readyPods(tx, uids, names, nodes);
      if (pods.length > 0) await notePodTimes(tx, pods);
    });
  }

  /**
   * Merges a report into the fact of an attempt, in the transaction of the report. The caller holds a lock
   * that serialises the reports of one attempt. The end of an attempt stays; later reports add missing
   * values.
   * @param isFirstEnd no node reported its end before: an end that was assumed gives way to one
   */
  record(tx: Tx, report: StoredAttempt, isFirstEnd = false): Promise<void> {
    return this.recordAll(tx, report.opType, [report], isFirstEnd);
  }

  /** Like `record`, for several attempts of one kind in a few statements. */
  async recordAll(tx: Tx, opType: OperationType, reports: readonly StoredAttempt[], isFirstEnd = false): Promise<void> {
    if (reports.length === 0) return;
    const ids = reports.map(({ operationId }) => operationId);
    const known = new Map((await lockFacts(tx, ids)).map((fact) => [fact.operationId, fact]));
    const merged = reports.map((attempt) => {
      const stored = known.get(attempt.operationId.toLowerCase());
      if (stored && stored.opType !== opType) throw operationIdTaken(attempt.operationId);
      const fact = mergeAttempt(stored, attempt, isFirstEnd);
      const stagesChanged = stored ? fact.stages !== stored.stages : fact.stages.length > 0;
      return { fact, observed: observe(stored, fact), stagesChanged };
    });
    const observations = merged.map(({ observed }) => observed);
    await addTotals(tx, opType, observations);
    const labels = await this.labelFailures(tx, opType, merged);
    await saveFacts(
      tx,
      merged.map(({ fact, stagesChanged }) => ({ fact, stagesChanged, labels: labels.get(fact) ?? NO_LABELS })),
    );
  }

  /**
   * Assigns labels to failures and counts new ones, one label at a time, because the number of labels is
   * bounded.
   */
  private async labelFailures(
    tx: Tx,
    opType: OperationType,
    reports: readonly { fact: StoredAttempt; observed: Observations }[],
  ): Promise<Map<StoredAttempt, FailureLabels>> {
    const named = new Map<StoredAttempt, FailureLabels>();
    const failures = reports
      .filter(({ fact }) => fact.result === 'failed')
      .map(({ fact, observed }) => ({
        fact,
        isNew: observed.result === 'failed',
        wanted: { stage: stageLabel(fact.failureStage), reason: reasonLabel(fact.failureReason) },
      }));
    for (const alike of Map.groupBy(failures, ({ wanted }) => `${wanted.stage}\n${wanted.reason}`).values()) {
      const labels = await failureLabels(tx, opType, alike[0]?.wanted ?? NO_LABELS);
      for (const { fact } of alike) named.set(fact, labels);
      const count = alike.filter(({ isNew }) => isNew).length;
      if (count > 0) await addFailures(tx, opType, labels, count);
    }
    return named;
  }

  /** By action: nanoseconds and bytes of all its attempts. */
  async totalsOf(tx: Tx, actionIds: readonly string[]): Promise<Map<string, ActionTotals>> {
    return new Map((await actionTotals(tx, actionIds)).map((totals) => [totals.action_id, totals]));
  }

  /** Locks those of some attempts that have not ended. */
  async lockRunning(tx: Tx, ids: readonly string[]): Promise<StoredAttempt[]> {
    return (await lockFacts(tx, ids)).filter(({ result }) => !ended(result));
  }

  /** Attempts without their stages, the newest first. */
  list(context: OrgContext, query: ListOperationsQuery): Promise<Page<Attempt>> {
    const { after, limit: _limit, offset: _offset, ...filter } = query;
    const { limit, offset } = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const behind = after === undefined ? undefined : await beginningOf(tx, after);
      if (after !== undefined && !behind) throw invalidField('after', 'must be the operation_id of an attempt');
      const found = await listFacts(tx, filter, { limit: limit + 1, offset }, behind);
      const last = found[limit - 1];
      return Page.before(
        found.slice(0, limit),
        found.length > limit && last ? { limit, after: last.operationId } : undefined,
      );
    });
  }

  /** @param id a checkpoint's id or a restore's uuid */
  get(context: OrgContext, id: string): Promise<{ fact: StoredAttempt; restores: Attempt[] }> {
    return this.unitOfWork.read(context, async (tx) => {
      const fact = await findFact(tx, id);
      if (!fact) throw operationNotFound();
      return { fact, restores: fact.opType === 'checkpoint' ? await restoresFrom(tx, id) : [] };
    });
  }
}
