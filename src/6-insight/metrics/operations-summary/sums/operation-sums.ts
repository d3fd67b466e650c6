import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgScope } from '../../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../../1-platform/scheduling/sweeps';
import { foldChanges, forgetSums, organisationsToSum, sumFacts, type DueOrganisation } from './operation-sums.queries';

const NAME = 'operation sums';
/** A report reads the changes of that time one by one. */
const EVERY_SECONDS = 30;

/** Organisations that are looked for at once. */
const PAGE = 20;
/** Changes that one transaction adds to the sums. */
const CHANGES = 4_000;
/** Facts that one transaction marks. Reports on them wait for it. */
const FACTS = 500;
/** Rows that one transaction removes. */
const ROWS = 5_000;
/** A round that takes longer continues in the next one, with the organisation that it reached. */
const ROUND_MS = 30_000;
/** So that one organisation with much to sum does not keep the others waiting. */
const ORGANISATION_MS = 5_000;

/**
 * Adds what changed of attempts to the sums, so that a summary of months reads some thousand rows. A summary
 * is right without this sweep, but slower: it reads the changes beside the sums, and the facts themselves
 * while some of its window are in no sum.
 */
@Injectable()
export class OperationSums implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: NAME, everySeconds: EVERY_SECONDS, run: () => this.runAll() });
  }

  /** @returns 0 if there is more to do */
  runAll(): Promise<0 | undefined> {
    return this.sweeps.takeTurns<DueOrganisation>(NAME, {
      pageSize: PAGE,
      roundMs: ROUND_MS,
      turnMs: ORGANISATION_MS,
      page: (after) =>
        this.unitOfWork.system('every organisation has operations', (tx) => organisationsToSum(tx, PAGE, after)),
      turn: ({ id }, until) => this.run({ orgId: id }, until),
    });
  }

  /**
   * @param until by `performance.now()`: when to stop at the latest
   * @returns whether all is summed, or another replica is at it
   */
  async run(scope: OrgScope, until = Infinity): Promise<boolean> {
    const steps = [
      [CHANGES, foldChanges],
      // What these facts note is folded before more of them are marked.
      [FACTS, sumFacts],
      [CHANGES, foldChanges],
      [ROWS, forgetSums],
    ] as const;
    for (;;) {
      let more = false;
      for (const [limit, step] of steps) {
        if (this.sweeps.stopping || performance.now() > until) return false;
        if ((await this.unitOfWork.run(scope, (tx) => step(tx, limit))) === limit) more = true;
      }
      if (!more) return true;
    }
  }
}
