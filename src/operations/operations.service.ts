import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import type { Tx } from '../database/tx';
import { Sweeps } from '../scheduling/sweeps';
import { UnitOfWork } from '../database/unit-of-work';
import { readyPods } from '../pods/pods.queries';
import { PodsService } from '../pods/pods.service';
import { mergeAttempt, observe, type Attempt, type StoredAttempt } from './attempt';
import { reasonLabel, stageLabel } from './failure-labels';
import { operationIdTaken, operationNotFound } from './operations.errors';
import { addFailure, addTotals, failureLabels } from './operation-totals.queries';
import { actionTotals, findFact, lockFact, restoresFrom, saveFact, type ActionTotals } from './operations.queries';
import { awaitingRestores, notePodTimes } from './restored-pods.queries';

/** The facts: one for each attempt to checkpoint or to restore, and what they add up to. */
@Injectable()
export class OperationsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pods: PodsService,
    private readonly sweeps: Sweeps,
  ) {}

  onModuleInit(): void {
    this.pods.observe(notePodTimes);
    this.sweeps.add({ name: 'restored pods', everySeconds: 15, run: () => this.findReadyPods() });
  }

  /**
   * A restore's end and the sync of its ready pod often come at the same moment, and then neither transaction sees the
   * other's row: what both missed is found here.
   */
  async findReadyPods(): Promise<void> {
    const awaiting = await this.unitOfWork.system('restores of every organisation await pods', awaitingRestores);
    const byOrganisation = Map.groupBy(awaiting, ({ org_id }) => org_id);
    await this.sweeps.each('restored pods', byOrganisation.keys(), (orgId) =>
      this.unitOfWork.run({ orgId }, async (tx) => {
        const restores = byOrganisation.get(orgId) ?? [];
        const uids = restores.map((restore) => restore.pod_uid).filter((uid) => uid !== '');
        const asking = restores.filter((restore) => restore.pod_uid === '');
        const names = asking.map((restore) => restore.checkpoint_name);
        const nodes = asking.map((restore) => restore.node_name);
        const pods = await readyPods(tx, uids, names, nodes);
        if (pods.length > 0) await notePodTimes(tx, pods);
      }),
    );
  }

  /**
   * Adds a report to the fact of an attempt, in the transaction of the report. The caller holds a lock that orders the
   * reports of one attempt. How an attempt ended stands; what a later report adds is kept.
   */
  async record(tx: Tx, told: StoredAttempt): Promise<void> {
    const stored = await lockFact(tx, told.operationId);
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
