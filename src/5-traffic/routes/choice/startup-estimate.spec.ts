import { readyInMs, type StartupFacts } from './startup-estimate';

const MEASURED: StartupFacts = {
  current: null,
  askedMsAgo: null,
  hasArtifact: false,
  medians: { cold: 60_000, restore: 4_000 },
  estimatedColdMs: 90_000,
};
const cold = (runsMs: number) => ({ current: { kind: 'cold' as const, runsMs } });
const restore = (runsMs: number) => ({ current: { kind: 'restore' as const, runsMs } });
const only = (kind: 'cold' | 'restore', medianMs: number) => ({
  medians: { cold: null, restore: null, [kind]: medianMs },
});
const unmeasured = { medians: { cold: null, restore: null } };

describe('the time until a profile is ready', () => {
  const CASES: [name: string, facts: Partial<StartupFacts>, ms: number | null][] = [
    ['is the median of cold starts without an artifact to restore from', {}, 60_000],
    ['is the median of restores with an artifact', { hasArtifact: true }, 4_000],
    ['is the rest of the current start', restore(1_500), 2_500],
    ['uses the kind of the current start, not the possible kind', { ...cold(10_000), hasArtifact: true }, 50_000],
    ['is zero if a start takes longer than its median', restore(9_000), 0],
    ['is rounded up to whole milliseconds', restore(1_500.25), 2_500],
    ['counts from the request if no start has begun', { askedMsAgo: 20_000 }, 40_000],
    ['counts from the start if it was requested before', { ...cold(10_000), askedMsAgo: 20_000 }, 50_000],
    ['is never negative', { askedMsAgo: 70_000 }, 0],
    ['is that of cold starts if no restore was measured', { hasArtifact: true, ...only('cold', 60_000) }, 60_000],
    ['is that of cold starts also for a current restore', { ...restore(1_000), ...only('cold', 60_000) }, 59_000],
    ['is not that of restores if no cold start was measured', only('restore', 4_000), 90_000],
    ["is the operator's estimate if nothing was measured", unmeasured, 90_000],
    ['is the estimate less the elapsed time', { ...unmeasured, ...cold(30_000) }, 60_000],
    ['is unknown without a measurement and without an estimate', { ...unmeasured, estimatedColdMs: 0 }, null],
    ['stays unknown while it starts', { ...unmeasured, ...cold(30_000), estimatedColdMs: 0 }, null],
    ['uses a median of zero', only('cold', 0), 0],
  ];

  it.each(CASES)('estimates the time until a profile is ready: %s', (_name, facts, ms) => {
    expect(readyInMs({ ...MEASURED, ...facts })).toBe(ms);
  });
});
