import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { invariant } from '../../../1-platform/common/invariant';
import { LOGGER } from '../../../1-platform/common/logger';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { InstanceProvider, ProviderFault, type MachineListing } from './instance-provider';
import { recordIdOf } from '../instance.states';
import { lockKnown, joinAccounts, writeKnown } from '../machines/instance-machines.queries';
import {
  beginListing,
  keepOrphans,
  noteFailure,
  readAccount,
  takeInListing,
  type AccountState,
} from './provider-accounts.queries';
import { reconcile } from '../machines/reconcile';

/** Maximal age of the listing while the marketplace answers: each replica asks no more often. */
const FRESH_FOR_MS = 5_000;

/** How long a caller waits for a new listing before it gets the recorded state. */
const PATIENCE_MS = 2_000;

/** Applies the provider's listings to the records. */
@Injectable()
export class InstanceListings {
  private underWay: { readonly done: Promise<void>; readonly since: number } | undefined;

  constructor(
    private readonly provider: InstanceProvider,
    private readonly unitOfWork: UnitOfWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The state of the account, after a listing if the last one is too old; undefined if none is configured.
   */
  async recent(freshForMs = FRESH_FOR_MS): Promise<AccountState | undefined> {
    const { account } = this.provider;
    if (account === undefined) return undefined;
    const known = await this.known(account);
    if (known.triedMsAgo !== null && known.triedMsAgo <= freshForMs) return known;
    await this.refreshed(PATIENCE_MS);
    return this.known(account);
  }

  /** One listing per replica at a time: concurrent callers wait for it. @param withinMs since it began */
  async refreshed(withinMs: number): Promise<void> {
    const listing = (this.underWay ??= { done: this.refresh(), since: performance.now() });
    const patience = Math.max(0, listing.since + withinMs - performance.now());
    const timer = new AbortController();
    // After that time it continues for the next caller.
    await Promise.race([listing.done, sleep(patience, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  }

  /** The account failed, or refused the key, in another request than a listing. */
  async failed(fault: ProviderFault): Promise<void> {
    const { account } = this.provider;
    invariant(account !== undefined, 'who was asked is configured');
    await this.system((tx) => noteFailure(tx, account, fault.kind, null)).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'a failure of the marketplace was not recorded'),
    );
  }

  private known(account: string): Promise<AccountState> {
    return this.system((tx) => readAccount(tx, account));
  }

  private system<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.unitOfWork.system('the account has machines of every organisation', work);
  }

  /** Never fails: an error is recorded, or at least logged. */
  private async refresh(): Promise<void> {
    try {
      await this.list();
    } catch (error) {
      this.logger.warn({ err: error }, 'instances were not listed');
    } finally {
      this.underWay = undefined;
    }
  }

  private async list(): Promise<void> {
    const { account } = this.provider;
    invariant(account !== undefined, 'who is asked is configured');
    const begunAt = await this.system((tx) => beginListing(tx, account));
    let listing: MachineListing;
    try {
      listing = await this.provider.machines();
    } catch (error) {
      if (error instanceof ProviderFault) await this.system((tx) => noteFailure(tx, account, error.kind, begunAt));
      throw error;
    }
    await this.system(async (tx) => {
      if (!(await takeInListing(tx, account, begunAt))) return;
      const known = await lockKnown(tx, account, {
        ids: listing.machines.flatMap(({ tags }) => recordIdOf(tags) ?? []),
        providerIds: listing.machines.map(({ providerId }) => providerId),
      });
      const { changed, orphans, sameAccounts } = reconcile(known, listing, { account, at: begunAt });
      await writeKnown(tx, changed);
      await joinAccounts(tx, sameAccounts, account);
      await keepOrphans(tx, account, orphans);
    });
  }
}
