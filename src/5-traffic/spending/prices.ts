import { atMost, perHour, perMillion, type Usd } from '../../1-platform/common/money';

/** What a profile's requests are paid by. */
export interface PriceBasis {
  /** By the token, where the profile's spec names prices; US dollars for a million. */
  readonly pricing: { readonly promptUsdPerMtok: Usd; readonly completionUsdPerMtok: Usd } | null;
  /**
   * By the time a replica is busy, where there is no price by the token: US dollars for one replica and hour.
   */
  readonly nodeHourlyUsd: Usd;
  /** Requests that share a replica. */
  readonly targetConcurrency: number;
  /**
   * The 95th percentile of what its requests took in the last 24
   * hours, in milliseconds; null where there were none.
   */
  readonly p95BackendMs: number | null;
}

/** Tokens that an answer may have where the request names no bound. */
export const DEFAULT_MAX_TOKENS = 1_024;

/** Time that a request may take where none was measured. */
const DEFAULT_BACKEND_MS = 60_000;

/** Bytes of a request that make one token, where nobody counted them. */
export const BYTES_PER_TOKEN = 4;

export interface ExpectedWork {
  readonly promptTokens: number;
  readonly maxTokens: number;
}

export interface DoneWork {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** How long the worker was busy with it. */
  readonly backendMs: number;
}

/**
 * What is set aside for a request before it is sent: tokens by their prices, else the time that it may take.
 */
export function reservationOf(basis: PriceBasis, { promptTokens, maxTokens }: ExpectedWork): Usd {
  return costOf(basis, {
    promptTokens,
    completionTokens: maxTokens,
    backendMs: basis.p95BackendMs ?? DEFAULT_BACKEND_MS,
  });
}

/**
 * What a request cost: tokens x price where the profile has prices, else backend time x the hourly rate of a
 * replica / the requests that share one; 0 where there is neither.
 */
export function costOf(basis: PriceBasis, { promptTokens, completionTokens, backendMs }: DoneWork): Usd {
  const { pricing, nodeHourlyUsd, targetConcurrency } = basis;
  if (pricing)
    return atMost(
      perMillion(pricing.promptUsdPerMtok, promptTokens) + perMillion(pricing.completionUsdPerMtok, completionTokens),
    );
  return perHour(nodeHourlyUsd, backendMs, targetConcurrency);
}
