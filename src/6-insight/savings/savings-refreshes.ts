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

/** Older than that, savings are added up before they are shown. */
const MAX_AGE_SECONDS = 300;
/** What would be older than that by the next round is added up in this one: who asks finds it done. */
const DUE_AFTER_SECONDS = MAX_AGE_SECONDS - EVERY_SECONDS;

/** Organisations that are looked for at once. */
const PAGE = 1_000;

/** A round that takes longer hands over to the next one. */
const ROUND_MS = 30_000;

/** Adds up what checkpoints saved: for each organisation on one replica, whoever begins. */
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

  /** @returns 0 when there is more to do */
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

  /** For whoever is going to look at them. */
  async ensure(scope: OrgScope): Promise<void> {
    const due = await this.unitOfWork.read(scope, (tx) => refreshDue(tx, MAX_AGE_SECONDS));
    if (due) await this.run(scope, MAX_AGE_SECONDS);
  }

  /**
   * Adds up turn by turn, so that who waits for one waits for a part
   * of it only, and goes on with the next one itself.
   * @returns whether it was this caller who ended it
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
      // One that is being deleted is counted by whoever deletes it.
      if (!(await this.clusters.tryHold(tx, clusterId))) continue;
      if (await countCheckpoints(tx, clusterId, atOnce)) return 'more';
    }
    await endRefresh(tx, beganAt);
    return 'ended';
  }
}
