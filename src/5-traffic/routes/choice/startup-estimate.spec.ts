import { startupEstimate, type StartupFacts } from './startup-estimate';

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
    expect(startupEstimate({ ...MEASURED, ...facts }).readyInMs).toBe(ms);
  });
});

describe('a start', () => {
  const short = only('cold', 5_000);
  const unknown = { ...unmeasured, estimatedColdMs: 0 };
  const CASES: [name: string, facts: Partial<StartupFacts>, overdue: boolean][] = [
    ['is not overdue before it was requested', {}, false],
    ['is not overdue within twice its median', cold(120_000), false],
    ['is overdue after twice its median', cold(120_001), true],
    ['is not overdue within 30 seconds of a short median', { ...short, ...cold(35_000) }, false],
    ['is overdue more than 30 seconds after a short median', { ...short, ...cold(35_001) }, true],
    ['is overdue as its own kind', restore(34_001), true],
    ['is overdue if it was requested long ago and has not begun', { askedMsAgo: 120_001 }, true],
    ['is not overdue if it has just begun, whenever it was requested', { ...cold(0), askedMsAgo: 900_000 }, false],
    ["is overdue after twice the operator's estimate", { ...unmeasured, ...cold(180_001) }, true],
    ['of unknown time is not overdue for ten minutes', { ...unknown, ...cold(600_000) }, false],
    ['of unknown time is overdue after ten minutes', { ...unknown, ...cold(600_001) }, true],
  ];

  it.each(CASES)('a start %s', (_name, facts, overdue) => {
    expect(startupEstimate({ ...MEASURED, ...facts }).overdue).toBe(overdue);
  });
});
