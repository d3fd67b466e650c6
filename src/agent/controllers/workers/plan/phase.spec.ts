import { phaseOf, type PhaseFacts } from './phase';

const phase = (workers: PhaseFacts['workers'], { wanted = 2, failures = 0, pauses = 0 } = {}) =>
  phaseOf({ wanted, workers, failures, pauses });

describe('The phase of a profile', () => {
  it('is that of the worker that is furthest', () => {
    expect(phase([])).toBe('Pending');
    expect(phase(['Scheduling', 'Ended'])).toBe('Scheduling');
    expect(phase(['Scheduling', 'Restoring'])).toBe('Restoring');
    expect(phase(['Warming', 'Loading'])).toBe('Warming');
    expect(phase(['Scheduling', 'Ready'])).toBe('Ready');
    expect(phase(['Draining', 'Scheduling'])).toBe('Scheduling');
    expect(phase(['Draining'])).toBe('Draining');
  });

  it('is Suspended only when no worker is left', () => {
    expect(phase(['Draining', 'Ended'], { wanted: 0 })).toBe('Draining');
    expect(phase(['Ended'], { wanted: 0 })).toBe('Suspended');
    expect(phase([], { wanted: 0, failures: 9 })).toBe('Suspended');
  });

  it('is Failed after three failed starts in a row, unless a worker is ready', () => {
    expect(phase(['Loading'], { failures: 2 })).toBe('Loading');
    expect(phase(['Loading'], { failures: 3 })).toBe('Failed');
    expect(phase([], { failures: 3 })).toBe('Failed');
    expect(phase(['Loading', 'Ready'], { failures: 3 })).toBe('Ready');
  });

  it('is Failed after its cluster has ended workers eight times in a row, unless one is ready', () => {
    expect(phase(['Loading'], { pauses: 7 })).toBe('Loading');
    expect(phase(['Loading'], { pauses: 8 })).toBe('Failed');
    expect(phase(['Loading', 'Ready'], { pauses: 8 })).toBe('Ready');
  });
});
