import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgScope } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { areSumsBehind, organisationsToSum, sumWorkers, type DueOrganisation } from './worker-sums.queries';

const NAME = 'worker sums';
const EVERY_SECONDS = 60;

/** Organisations that are looked for at once. */
const PAGE = 20;
/** Profiles that one transaction sums. */
const PROFILES = 20;
/** A round that takes longer continues in the next one, with the organisation that it reached. */
const ROUND_MS = 30_000;
/** So that one organisation with much to sum does not keep the others waiting. */
const ORGANISATION_MS = 2_000;

/**
 * Sums the times of workers that have ended, so that a report of months reads some thousand rows. A report is
 * right without them: it reads single starts where sums are missing.
 */
@Injectable()
export class WorkerSums implements OnModuleInit {
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
        this.unitOfWork.system('every organisation has workers', (tx) => organisationsToSum(tx, PAGE, after)),
      turn: ({ id }, until) => this.run({ orgId: id }, until),
    });
  }

  /**
   * @param until by `performance.now()`: when to stop at the latest
   * @returns whether all is summed, or another replica is at it
   */
  async run(scope: OrgScope, until = Infinity, atOnce = PROFILES): Promise<boolean> {
    for (;;) {
      let behind: string | undefined;
      let worked = false;
      do {
        if (this.sweeps.stopping || performance.now() > until) return false;
        behind = await this.unitOfWork.run(scope, (tx) => sumWorkers(tx, behind, atOnce));
        worked ||= behind !== undefined;
      } while (behind !== undefined);
      // A profile that is behind by more than one call sums takes another turn.
      if (!worked || !(await this.unitOfWork.read(scope, areSumsBehind))) return true;
    }
  }
}
