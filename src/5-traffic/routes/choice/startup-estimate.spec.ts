import { readyInMs, type StartupFacts } from './startup-estimate';

const MEASURED: StartupFacts = {
  current: null,
  askedMsAgo: null,
  restorable: false,
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
    ['is the median of cold starts where it has nothing to restore from', {}, 60_000],
    ['is the median of restores where it has', { restorable: true }, 4_000],
    ['is what is left of the start that is under way', restore(1_500), 2_500],
    ['goes by the start that is under way, not by what could have been', { ...cold(10_000), restorable: true }, 50_000],
    ['is over at any moment where a start takes longer than its median', restore(9_000), 0],
    ['is rounded up to whole milliseconds', restore(1_500.25), 2_500],
    ['counts from when it was asked for where nothing has come of it yet', { askedMsAgo: 20_000 }, 40_000],
    ['counts from the start where it was asked for before', { ...cold(10_000), askedMsAgo: 20_000 }, 50_000],
    ['is never below nothing', { askedMsAgo: 70_000 }, 0],
    ['is that of cold starts where no restore was measured', { restorable: true, ...only('cold', 60_000) }, 60_000],
    ['is that of cold starts for a restore under way too', { ...restore(1_000), ...only('cold', 60_000) }, 59_000],
    ['is not that of restores where no cold start was measured', only('restore', 4_000), 90_000],
    ["is the operator's estimate where nothing was measured", unmeasured, 90_000],
    ['is the estimate less what is over', { ...unmeasured, ...cold(30_000) }, 60_000],
    ['is unknown without a measurement and without an estimate', { ...unmeasured, estimatedColdMs: 0 }, null],
    ['stays unknown while it starts', { ...unmeasured, ...cold(30_000), estimatedColdMs: 0 }, null],
    ['goes by a median of nothing', only('cold', 0), 0],
  ];

  it.each(CASES)('%s', (_name, facts, ms) => {
    expect(readyInMs({ ...MEASURED, ...facts })).toBe(ms);
  });
});
