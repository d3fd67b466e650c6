import { decideScale, STEADY_MS, type ScalingLimits, type ScalingState } from './scaling-rule';

const limits = (overrides: Partial<ScalingLimits> = {}): ScalingLimits => ({
  minReplicas: 0,
  maxReplicas: 5,
  targetConcurrency: 8,
  idleMs: 900_000,
  ...overrides,
});
/** Three replicas that are busy, as they have been for a minute. */
const state = (overrides: Partial<ScalingState> = {}): ScalingState => ({
  replicas: 3,
  enabled: true,
  pending: false,
  expired: false,
  upForMs: STEADY_MS,
  running: 20,
  waiting: 0,
  peak: 24,
  idleForMs: 0,
  ...overrides,
});

describe('the number of replicas that a profile needs', () => {
  const replicas = (of: Partial<ScalingState>, within: Partial<ScalingLimits> = {}) =>
    decideScale(limits(within), state(of))?.replicas;

  it('stays if the demand needs as many', () => {
    for (const running of [17, 24]) expect(replicas({ running })).toBeUndefined();
  });

  it('rises at once, for running and waiting requests', () => {
    expect(replicas({ running: 24, waiting: 1, upForMs: 0, peak: undefined })).toBe(4);
    expect(replicas({ running: 8, waiting: 32, replicas: 1 })).toBe(5);
  });

  it('never rises above the most replicas, and not below the fewest', () => {
    expect(replicas({ running: 1_000 })).toBe(5);
    expect(replicas({ running: 1, replicas: 1 }, { minReplicas: 2 })).toBe(2);
    expect(replicas({ running: 1, peak: 1 }, { minReplicas: 2 })).toBe(2);
  });

  it('falls to what the highest demand of a steady minute needs', () => {
    expect(replicas({ running: 3, peak: 9 })).toBe(2);
    expect(replicas({ running: 3, peak: 17 })).toBeUndefined();
    expect(replicas({ running: 0, peak: 0, idleForMs: 61_000 })).toBe(1);
  });

  it('does not fall before it was watched for a minute, or within a minute of a request', () => {
    expect(replicas({ running: 3, peak: undefined })).toBeUndefined();
    expect(replicas({ running: 3, peak: 9, upForMs: STEADY_MS - 1 })).toBeUndefined();
  });

  it('is the fewest after the time without requests', () => {
    const idle = { running: 0, peak: 0, idleForMs: 900_000, upForMs: 900_000 };
    expect(replicas(idle)).toBe(0);
    expect(replicas(idle, { minReplicas: 2 })).toBe(2);
    expect(replicas(idle, { minReplicas: 3 })).toBeUndefined();
    expect(replicas({ ...idle, replicas: 1, idleForMs: 899_999 })).toBeUndefined();
    // Somebody has just requested it.
    expect(replicas({ ...idle, replicas: 1, upForMs: 899_999 })).toBeUndefined();
    expect(replicas({ ...idle, running: 1 }, { minReplicas: 1 })).toBe(1);
  });

  it('does not fall while workers start', () => {
    const idle = { running: 0, peak: 0, idleForMs: 900_000, upForMs: 900_000 };
    expect(replicas({ ...idle, pending: true })).toBeUndefined();
    expect(replicas({ running: 3, peak: 9, pending: true })).toBeUndefined();
    expect(replicas({ running: 40, pending: true })).toBe(5);
  });

  it('rises above an expired request for waiting requests only, and falls to nothing only', () => {
    const idle = { running: 0, peak: 0, idleForMs: 900_000, upForMs: 900_000, expired: true };
    expect(replicas({ running: 30, expired: true })).toBeUndefined();
    expect(replicas({ running: 24, waiting: 6, expired: true })).toBe(4);
    expect(replicas({ running: 3, peak: 9, expired: true })).toBeUndefined();
    expect(replicas({ ...idle, idleForMs: 899_999 })).toBeUndefined();
    expect(replicas(idle, { minReplicas: 1 })).toBeUndefined();
    expect(replicas(idle)).toBe(0);
  });

  it('is what the last minute needed if requests wait after an expired request, also if that is not more', () => {
    const waits = { running: 7, waiting: 1, peak: 8, expired: true, upForMs: 0 };
    expect(replicas(waits)).toBe(1);
    expect(replicas({ ...waits, peak: 21 })).toBe(3);
    expect(replicas({ ...waits, peak: 21 }, { minReplicas: 1 })).toBe(3);
    expect(replicas({ ...waits, peak: 31 })).toBe(4);
    for (const other of [{ peak: undefined }, { enabled: false }, { waiting: 0 }, { pending: true }])
      expect(replicas({ ...waits, ...other })).toBeUndefined();
  });

  it('does not fall to nothing before a whole minute without requests was seen', () => {
    const idle = { running: 0, idleForMs: Infinity, upForMs: Infinity };
    expect(replicas({ ...idle, peak: undefined }, { idleMs: 0 })).toBeUndefined();
    expect(replicas({ ...idle, peak: 1, upForMs: 0 }, { idleMs: 0 })).toBeUndefined();
    expect(replicas({ ...idle, peak: 0 }, { idleMs: 0 })).toBe(0);
  });

  it('does not rise for a profile that is disabled, but falls', () => {
    expect(replicas({ running: 40, enabled: false })).toBeUndefined();
    expect(replicas({ running: 0, peak: 0, idleForMs: 900_000, upForMs: 900_000, enabled: false })).toBe(0);
  });

  it('comes with a reason in one sentence', () => {
    const reason = (of: Partial<ScalingState>) => decideScale(limits(), state(of))?.reason;
    expect(reason({ running: 24, waiting: 6 })).toBe(
      '24 running and 6 waiting requests need 4 workers, 8 at a time each.',
    );
    expect(reason({ running: 1, peak: 4 })).toBe(
      'At most 4 requests at a time in 60 seconds need 1 worker, 8 at a time each.',
    );
    expect(reason({ running: 0, peak: 0, idleForMs: 1_200_500, upForMs: 2_000_000 })).toBe(
      'There was no request for 1200 seconds.',
    );
  });
});
