import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ClustersService } from '../../2-inventory/clusters/clusters.service';
import type { OrgScope, Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import {
  AT_ONCE,
  beginRefresh,
  clustersToCount,
  countCheckpoints,
  dueOrganisations,
  endRefresh,
  refreshDue,
  type CountLimits,
  type DueOrganisation,
} from './savings-count.queries';

const NAME = 'checkpoint savings';
const EVERY_SECONDS = 60;

/** Older savings are refreshed before they are shown. */
const MAX_AGE_SECONDS = 300;
/**
 * Savings that would be older than that by the next run are refreshed in this one, so readers find them done.
 */
const DUE_AFTER_SECONDS = MAX_AGE_SECONDS - EVERY_SECONDS;

/** Organisations that are looked for at once. */
const PAGE = 1_000;

/** A run that takes longer continues in the next one. */
const ROUND_MS = 30_000;

/** Adds up the savings of checkpoints: for each organisation on one replica, the first to begin. */
@Injectable()
export class SavingsRefreshes implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly clusters: ClustersService,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: NAME, everySeconds: EVERY_SECONDS, run: () => this.runAll() });
  }

  /** @returns 0 if there is more to do */
  runAll(): Promise<0 | undefined> {
    return this.sweeps.walk<DueOrganisation>(NAME, {
      pageSize: PAGE,
      roundMs: ROUND_MS,
      page: (behind) =>
        this.unitOfWork.system('every organisation has savings', (tx) =>
          dueOrganisations(tx, PAGE, behind, DUE_AFTER_SECONDS),
        ),
      serve: (due) =>
        this.sweeps.each(NAME, due, async ({ id }) => {
          await this.run({ orgId: id }, DUE_AFTER_SECONDS);
        }),
    });
  }

  /** Called before the savings are read. */
  async ensure(scope: OrgScope): Promise<void> {
    const due = await this.unitOfWork.read(scope, (tx) => refreshDue(tx, MAX_AGE_SECONDS));
    if (due) await this.run(scope, MAX_AGE_SECONDS);
  }

  /**
   * Adds up in steps, so that a concurrent caller waits for one step only, and then does the next one itself.
   * @returns whether this caller did the last step
   */
  async run(scope: OrgScope, olderThanSeconds: number, atOnce = AT_ONCE): Promise<boolean> {
    for (;;) {
      const done = await this.unitOfWork.run(scope, (tx) => this.turn(tx, olderThanSeconds, atOnce));
      if (done !== 'more') return done === 'ended';
    }
  }

  private async turn(tx: Tx, olderThanSeconds: number, atOnce: CountLimits): Promise<'more' | 'ended' | 'not due'> {
    const beganAt = await beginRefresh(tx, olderThanSeconds);
    if (!beganAt) return 'not due';
    for (const clusterId of await clustersToCount(tx)) {
      // The deletion of a cluster counts it.
      if (!(await this.clusters.tryHold(tx, clusterId))) continue;
      if (await countCheckpoints(tx, clusterId, atOnce)) return 'more';
    }
    await endRefresh(tx, beganAt);
    return 'ended';
  }
}
