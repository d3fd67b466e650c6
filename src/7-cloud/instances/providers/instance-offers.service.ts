import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { InstanceProvider, ProviderFault, type Offer } from './instance-provider';
import { InstanceListings } from './instance-listings.service';
import { providerProblem } from '../instances.errors';

/** Prices and availability change: each replica asks the marketplace no more often than this. */
const FRESH_FOR_MS = 60_000;
/** Pause after a failed request, however many read the list. */
const TRIED_AGAIN_AFTER_MS = 5_000;
/** Maximal age of a shown list while the marketplace does not answer. */
const SHOWN_FOR_MS = 3_600_000;
/** How long a caller waits for a new list if there is an older one. */
const PATIENCE_MS = 2_000;

export interface OfferFilter {
  readonly gpus?: number | undefined;
  readonly gpuType?: string | undefined;
  readonly sort?: 'price' | '-price' | undefined;
}

/**
 * The available instance types. All types are requested at once and filtered here: one list serves every
 * filter.
 */
@Injectable()
export class InstanceOffers {
  private last: { readonly offers: readonly Offer[]; readonly at: number } | undefined;
  private underWay: Promise<void> | undefined;
  private fault: unknown;
  /** When the last request ended: it may have taken longer than the pause after it. */
  private triedAt = -Infinity;

  constructor(
    private readonly provider: InstanceProvider,
    private readonly listings: InstanceListings,
  ) {}

  /** @returns none if no marketplace is configured */
  async list({ gpus, gpuType, sort }: OfferFilter): Promise<Offer[]> {
    if (this.provider.account === undefined) return [];
    const wanted = gpuType?.toLowerCase();
    const chosen = (await this.known()).filter(
      ({ configuration }) =>
        (gpus === undefined || configuration.gpus === gpus) &&
        (wanted === undefined || configuration.gpuType?.toLowerCase() === wanted),
    );
    if (sort === undefined) return chosen;
    const sign = sort === 'price' ? 1 : -1;
    return chosen.sort((one, other) => sign * (one.hourlyPrice - other.hourlyPrice));
  }

  private async known(): Promise<readonly Offer[]> {
    if (this.last && this.age(this.last.at) <= FRESH_FOR_MS) return this.last.offers;
    const hasFailed = this.underWay === undefined && this.age(this.triedAt) <= TRIED_AGAIN_AFTER_MS;
    if (!hasFailed) {
      const patience = this.shown && sleep(PATIENCE_MS, undefined, { ref: false });
      await Promise.race([this.refreshed(), ...(patience ? [patience] : [])]);
    }
    if (this.shown) return this.shown;
    throw this.fault instanceof ProviderFault ? providerProblem(this.fault) : this.fault;
  }

  private get shown(): readonly Offer[] | undefined {
    return this.last && this.age(this.last.at) <= SHOWN_FOR_MS ? this.last.offers : undefined;
  }

  private readonly age = (at: number): number => performance.now() - at;

  private refreshed(): Promise<void> {
    return (this.underWay ??= this.refresh());
  }

  /** Never fails: the error is kept for waiting callers. */
  private async refresh(): Promise<void> {
    try {
      this.last = { offers: await this.provider.offers(), at: performance.now() };
    } catch (error) {
      this.fault = error;
      if (error instanceof ProviderFault && error.kind === 'key_refused') await this.listings.failed(error);
    } finally {
      this.triedAt = performance.now();
      this.underWay = undefined;
    }
  }
}
