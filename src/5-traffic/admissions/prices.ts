import { atMost, perHour, perMillion, type Usd } from '../../1-platform/common/money';

/** The prices of a profile's requests. */
export interface PriceBasis {
  /** Per token, if the profile's spec has prices; US dollars per million. */
  readonly pricing: { readonly promptUsdPerMtok: Usd; readonly completionUsdPerMtok: Usd } | null;
  /** Per busy time, without token prices: US dollars per replica and hour. */
  readonly nodeHourlyUsd: Usd;
  /** Requests that share a replica. */
  readonly targetConcurrency: number;
  /** The 95th percentile of its requests' times in the last 24 hours, in milliseconds; null without any. */
  readonly p95BackendMs: number | null;
}

/** Tokens of an answer without a limit in the request. */
export const DEFAULT_MAX_TOKENS = 1_024;

/** Time of a request without measurements. */
const DEFAULT_BACKEND_MS = 60_000;

/** Bytes of a request per token, if nobody counted the tokens. */
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

/** The reservation of a request before it is sent: tokens by their prices, else its expected time. */
export function reservationOf(basis: PriceBasis, { promptTokens, maxTokens }: ExpectedWork): Usd {
  return costOf(basis, {
    promptTokens,
    completionTokens: maxTokens,
    backendMs: basis.p95BackendMs ?? DEFAULT_BACKEND_MS,
  });
}

/**
 * The cost of a request: tokens × price if the profile has token prices, else backend time × the hourly rate
 * of a replica ÷ the requests that share one; 0 without either.
 */
export function costOf(basis: PriceBasis, { promptTokens, completionTokens, backendMs }: DoneWork): Usd {
  const { pricing, nodeHourlyUsd, targetConcurrency } = basis;
  if (pricing)
    return atMost(
      perMillion(pricing.promptUsdPerMtok, promptTokens) + perMillion(pricing.completionUsdPerMtok, completionTokens),
    );
  return perHour(nodeHourlyUsd, backendMs, targetConcurrency);
}
