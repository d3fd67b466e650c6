import { seeded } from './random';
import { buildRequest, type Request } from './usage-records';
import { DAY, HOUR, MINUTE } from './durations';

type Random = () => number;

export const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
/** An integer from `low` to `high`, both included. */
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

export function shuffled<T>(random: Random, of: readonly T[]): T[] {
  const rest = [...of];
  return of.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as T);
}

/** Splits a list into pieces of 1 to this many elements. */
export function batched<T>(random: Random, of: readonly T[], largest: number): T[][] {
  const batches: T[][] = [];
  for (let next = 0; next < of.length;) {
    const size = between(random, 1, largest);
    batches.push(of.slice(next, next + size));
    next += size;
  }
  return batches;
}

/** On the boundary of a minute, an hour or a day, one millisecond beside it, or anywhere. */
export function momentOf(random: Random, from: number, to: number): number {
  const anywhere = between(random, from, to - 1);
  if (random() < 0.6) return anywhere;
  const length = pick(random, [MINUTE, 15 * MINUTE, HOUR, DAY]);
  const border = Math.floor(anywhere / length) * length + between(random, -1, 1);
  return border >= from && border < to ? border : anywhere;
}

// Names that collide if a digest joins them without separators.
const MODELS = ['m', 'm,"p"', 'NULL', ''];
const PROFILES = [null, 'p', 'q', 'NULL', 'p,q'];
/** Its requests last so long that others disappear behind them. */
export const ALWAYS_BUSY = 'always busy';

/** Requests between two times, in the order of their arrival. */
export function historyOf(
  seed: number,
  count: number,
  [from, to]: readonly [number, number],
  experiments: readonly string[] = [],
): Request[] {
  const random = seeded(seed);
  const classified = seeded(seed + 1_000_000);
  const repeating = seeded(seed + 2_000_000);
  const maybe = <T>(share: number, value: () => T): T | null => (random() < share ? value() : null);
  const tokens = () => (random() < 0.02 ? Number.MAX_SAFE_INTEGER : between(random, 0, 5_000));
  const one = (): Request => {
    const overlong = random() < 0.01;
    const backendMs = overlong
      ? between(random, DAY - 1, 30 * DAY)
      : maybe(0.8, () => pick(random, [0, 1, between(random, 0, 2_000), between(random, 0, 200_000)]));
    const hours = !overlong && random() < 0.02 ? between(random, HOUR, 3 * HOUR) : backendMs;
    return buildRequest(momentOf(random, from, to), {
      request_id: `${seed}-${random()}`,
      logical_model: pick(random, MODELS),
      profile_id: overlong ? ALWAYS_BUSY : pick(random, PROFILES),
      meant_for_profile_id: pick(random, PROFILES),
      experiment_id: experiments.length > 0 ? maybe(0.4, () => pick(random, experiments)) : null,
      activation_path: pick(random, [null, 'warm', 'warm', 'warm', 'restore', 'cold']),
      classifier_profile_id: pick(classified, [null, null, ...PROFILES]),
      classifier_ms: pick(classified, [null, 0, 1, between(classified, 0, 2_000), between(classified, 0, 50_000)]),
      status_code: maybe(0.9, () => pick(random, [200, 200, 200, 201, 299, 300, 399, 400, 429, 499, 500, 599, 199])),
      fallback_used: random() < 0.3,
      deadline_missed: random() < 0.2,
      prompt_tokens: maybe(0.8, tokens),
      completion_tokens: maybe(0.8, tokens),
      queue_ms: maybe(0.8, () =>
        random() < 0.02 ? (hours === null ? Number.MAX_SAFE_INTEGER : 30 * DAY) : between(random, 0, 30),
      ),
      routing_ms: maybe(0.7, () => between(random, 0, 50)),
      ttft_ms: maybe(0.7, () => between(random, 0, 3_000)),
      backend_ms: hours,
      // Even below the worker's own time: the figures of routers need not be consistent.
      end_to_end_ms: maybe(0.7, () => Math.max((hours ?? 0) + between(random, -500, 5_000), 0)),
      cold_start_avoided_ms: pick(random, [0, 0, between(random, 1, 60_000), Number.MAX_SAFE_INTEGER]),
    });
  };
  // Refusals that were recorded together.
  const repeated = (request: Request): Request =>
    buildRequest(request.at, {
      request_id: request.request_id,
      logical_model: request.logical_model,
      experiment_id: request.experiment_id,
      status_code: pick(repeating, [400, 404, 429, 503]),
      deadline_missed: repeating() < 0.2,
      routing_ms: pick(repeating, [null, 0, between(repeating, 1, 50)]),
      repeated: between(repeating, 1, 1_000),
    });
  const any = (): Request => {
    const request = one();
    return repeating() < 0.1 ? repeated(request) : request;
  };
  return Array.from({ length: count }, any).sort((a, b) => a.at - b.at);
}
