import { DemandHistory } from './demand-history';
import { decideScale, STEADY_MS, type ScalingLimits } from './scaling-rule';

const TICK_MS = 250;
/** A worker is restored in this time. */
const START_MS = 3_000;
const LIMITS: ScalingLimits = { minReplicas: 0, maxReplicas: 8, targetConcurrency: 4, idleMs: 120_000 };

/** Requests arrive at this rate, per second, at a time of the trace. */
interface Trace {
  readonly seconds: number;
  readonly rate: (second: number) => number;
}

/** Each request keeps a seat for three seconds, so that a rate of 4 per second needs three workers. */
const SERVICE_MS = 3_000;
const TRACES: Readonly<Record<string, Trace>> = {
  steady: { seconds: 3_600, rate: () => 3 },
  burst: { seconds: 3_600, rate: (second) => (second % 1_200 < 60 ? 9 : 0.5) },
  sawtooth: { seconds: 3_600, rate: (second) => (second % 600) / 75 },
  silence: { seconds: 3_600, rate: (second) => (second < 300 || second > 3_300 ? 2 : 0) },
};

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

interface Result {
  /** Sum over all requests. */
  readonly waitedSeconds: number;
  readonly workerSeconds: number;
  readonly decisions: number;
}

/** @param fixed the number of workers; undefined: as the rule decides */
function simulate({ seconds, rate }: Trace, fixed?: number): Result {
  const random = seeded(42);
  const history = new DemandHistory(STEADY_MS, 0);
  const waiting: number[] = [];
  /** When requests in progress end. */
  let running: number[] = [];
  /** When workers are ready. */
  let workers: number[] = Array.from({ length: fixed ?? 0 }, () => 0);
  let [replicas, requestedAt, usedAt, waitedMs, workerMs, decisions] = [fixed ?? 0, 0, -Infinity, 0, 0, 0];
  for (let now = 0; now < seconds * 1_000; now += TICK_MS) {
    running = running.filter((end) => end > now);
    if (random() < (rate(now / 1_000) * TICK_MS) / 1_000) waiting.push(now);
    // Rates above four per second: more than one may arrive in a tick.
    for (let more = (rate(now / 1_000) * TICK_MS) / 1_000 - 1; more > 0; more--) if (random() < more) waiting.push(now);
    const seats = workers.filter((ready) => ready <= now).length * LIMITS.targetConcurrency;
    while (waiting.length > 0 && running.length < seats) {
      waitedMs += now - waiting.shift()!;
      running.push(now + SERVICE_MS);
    }
    const demand = running.length + waiting.length;
    if (demand > 0) usedAt = now;
    if (fixed === undefined) {
      history.add(demand, now);
      // A request wakes a profile that sleeps.
      const wakes = replicas === 0 && waiting.length > 0 ? { replicas: 1 } : undefined;
      const state = {
        replicas,
        enabled: true,
        pending: workers.every((ready) => ready > now),
        expired: false,
        upForMs: now - requestedAt,
        running: running.length,
        waiting: waiting.length,
        peak: history.peak(now),
        idleForMs: now - usedAt,
      };
      const decision = replicas === 0 ? wakes : decideScale(LIMITS, state);
      if (decision) {
        decisions++;
        [replicas, requestedAt] = [decision.replicas, now];
        while (workers.length < replicas) workers.push(now + START_MS);
        workers = workers.slice(0, replicas);
      }
    }
    workerMs += workers.length * TICK_MS;
  }
  return { waitedSeconds: waitedMs / 1_000, workerSeconds: workerMs / 1_000, decisions };
}

/** Somebody who waits for a second is worth as much as a worker for two. */
const costOf = ({ waitedSeconds, workerSeconds }: Result): number => 2 * waitedSeconds + workerSeconds;

describe('scaling by the rule, against the best fixed number of workers', () => {
  const compared = (name: string) => {
    const trace = TRACES[name]!;
    const fixed = Array.from({ length: LIMITS.maxReplicas }, (_, index) => simulate(trace, index + 1));
    const best = fixed.reduce((one, other) => (costOf(other) < costOf(one) ? other : one));
    const scaled = simulate(trace);
    return { scaled, best, ratio: costOf(scaled) / costOf(best) };
  };

  it.each([
    // Nothing beats the right number while nothing changes.
    ['steady', 1.05],
    ['burst', 0.45],
    ['sawtooth', 0.8],
    ['silence', 0.35],
  ])('costs for the trace "%s" at most %d of it', (name, atMost) => {
    expect(compared(name).ratio).toBeLessThanOrEqual(atMost);
  });

  it.each(Object.keys(TRACES))('lets the requests of the trace "%s" wait for at most a start', (name) => {
    const trace = TRACES[name]!;
    const { waitedSeconds } = simulate(trace);
    let requests = 0;
    for (let second = 0; second < trace.seconds; second++) requests += trace.rate(second);
    expect(waitedSeconds / requests).toBeLessThanOrEqual(START_MS / 1_000);
  });

  it('does not go up and down while the demand is steady', () => {
    // The first start, one step after another up to the need, and then rarely.
    expect(simulate(TRACES.steady!).decisions).toBeLessThan(10);
  });
});
