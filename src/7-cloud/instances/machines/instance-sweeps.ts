import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { InstanceListings } from '../providers/instance-listings.service';
import { InstanceMachines } from './instance-machines.service';
import { InstanceProvider } from '../providers/instance-provider';
import { dueDeletions, failNeverAsked, missingInstances, openInstances } from './instance-machines.queries';

const SWEEP = 'instances';

/** A record that was not requested within this time never will be: one statement lies between the two. */
const NEVER_ASKED_AFTER_S = 60;

/**
 * How long machines of ended records are searched: a machine that appears late, or again, costs money unseen.
 */
const LATE_FOR_S = 3_600;

/** How often records without a pending change are refreshed. */
const QUIET_EVERY_MS = 60_000;

/** Maximal machines per run that are looked up, and that are deleted. */
const AT_ONCE = 20;

/** Finds the results of requests, and repeats deletions, which are safe to repeat. */
@Injectable()
export class InstanceSweeps implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly provider: InstanceProvider,
    private readonly listings: InstanceListings,
    private readonly machines: InstanceMachines,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: SWEEP, everySeconds: 10, run: () => this.run() });
  }

  async run(): Promise<void> {
    await this.system((tx) => failNeverAsked(tx, NEVER_ASKED_AFTER_S));
    const { account } = this.provider;
    if (account === undefined) return;
    const { urgent, open } = await this.system((tx) => openInstances(tx, account, LATE_FOR_S));
    if (open === 0) return;
    if (urgent) await this.listings.refreshed(this.provider.timeLimitMs);
    else await this.listings.recent(QUIET_EVERY_MS);
    // First, because these machines cost money. Each call may take as long as the marketplace may be silent.
    const due = await this.system((tx) => dueDeletions(tx, account, AT_ONCE));
    await this.sweeps.each(SWEEP, due, (one) => this.machines.delete(one));
    const missing = await this.system((tx) => missingInstances(tx, account, AT_ONCE));
    await this.sweeps.each(SWEEP, missing, (one) => this.machines.lookFor(one));
  }

  private system<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.unitOfWork.system('instances of every organisation', work);
  }
}
