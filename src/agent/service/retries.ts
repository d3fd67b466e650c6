import { setTimeout as sleep } from 'node:timers/promises';

export interface RetrySettings {
  readonly attempts: number;
  /** The longest pause before the second attempt; it doubles with each one. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** About half a minute in all: longer outages are for whoever has the work to do again. */
export const DEFAULT_RETRIES: RetrySettings = { attempts: 7, firstPauseMs: 250, longestPauseMs: 10_000 };

/** A service may ask for a pause up to this one. */
const LONGEST_ASKED_PAUSE_MS = 60_000;

/**
 * The pause before an attempt, with jitter, so that agents that failed together do not return together.
 * @param failed attempts so far
 * @param retryAfter the header of the last answer
 * @param random from 0 to 1
 */
export function pauseBefore(
  failed: number,
  { firstPauseMs, longestPauseMs }: RetrySettings,
  retryAfter: string | null,
  nowMs: number,
  random = Math.random(),
): number {
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** (failed - 1));
  const jittered = longest / 2 + (random * longest) / 2;
  const asked = askedPause(retryAfter, nowMs);
  // Also behind the moment that the service names: it named the same one to everybody.
  return asked === undefined ? jittered : asked + random * firstPauseMs;
}

/** `Retry-After` in seconds, or as a date. @returns undefined if it is neither */
function askedPause(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_ASKED_PAUSE_MS);
}

/** Waits; ends early, without an error, when the signal does. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
