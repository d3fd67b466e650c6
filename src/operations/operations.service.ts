import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import type { Tx } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';
import { PodsService } from '../pods/pods.service';
import { mergeAttempt, observe, type Attempt, type StoredAttempt } from './attempt';
import { reasonLabel, stageLabel } from './failure-labels';
import { operationIdTaken, operationNotFound } from './operations.errors';
import {
  actionTotals,
  addFailure,
  addTotals,
  failureLabels,
  findFact,
  notePodTimes,
  restoresFrom,
  saveFact,
  type ActionTotals,
} from './operations.queries';

/** The facts: one for each attempt to checkpoint or to restore, and what they add up to. */
@Injectable()
export class OperationsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pods: PodsService,
  ) {}

  onModuleInit(): void {
    this.pods.observe(notePodTimes);
  }

  /**
   * Adds a report to the fact of an attempt, in the transaction of the report. The caller holds a lock that orders the
   * reports of one attempt. How an attempt ended stands; what a later report adds is kept.
   */
  async record(tx: Tx, told: StoredAttempt): Promise<void> {
    const stored = await findFact(tx, told.operationId);
    if (stored && stored.opType !== told.opType) throw operationIdTaken(told.operationId);
    const fact = mergeAttempt(stored, told);
    const observed = observe(stored, fact);
    const wanted = { stage: stageLabel(fact.failureStage), reason: reasonLabel(fact.failureReason) };
    await addTotals(tx, fact.opType, observed);
    const failed = fact.result === 'failed';
    const labels = failed ? await failureLabels(tx, fact.opType, wanted) : { stage: '', reason: '' };
    if (observed.result === 'failed') await addFailure(tx, fact.opType, labels);
    await saveFact(tx, fact, labels, fact.stages !== stored?.stages);
  }

  /** By action: nanoseconds and bytes of all its attempts. */
  async totalsOf(tx: Tx, actionIds: readonly string[]): Promise<Map<string, ActionTotals>> {
    return new Map((await actionTotals(tx, actionIds)).map((totals) => [totals.action_id, totals]));
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
