import type { SlurmNode } from '../slurm-queries';
import { conditionOf, shareOf, shownOf } from './node-measures';

const node = (members: Partial<SlurmNode> = {}): SlurmNode => ({
  id: 'a',
  name: 'n1',
  status: 'IDLE',
  cpus: 64,
  memory: 1_000,
  cluster_id: 'c',
  partitions: ['gpu'],
  reason: null,
  alloc_cpus: 16,
  load: 96,
  alloc_memory: 0,
  free_memory: 10,
  ...members,
});

describe('the tile of a Slurm node', () => {
  it.each([
    ['IDLE', 'free'],
    ['IDLE+DRAIN', 'closed'],
    ['MIXED+PLANNED', 'partly'],
    ['ALLOCATED', 'busy'],
    ['ALLOCATED+NOT_RESPONDING', 'broken'],
    ['DOWN+DRAIN', 'broken'],
    ['IDLE+POWERED_DOWN', 'off'],
    ['STALE', 'broken'],
    ['FUTURE', 'unknown'],
    [null, 'unknown'],
  ])('counts a node in the state %s as %s', (status, condition) => expect(conditionOf(status)).toBe(condition));

  it('shows the share of its CPUs or memory in quarters, and that of zero as empty', () => {
    expect(shownOf(node(), 'cpus')).toEqual({ value: 'up to 25 %', look: { colour: 'busy', quarters: 1 } });
    expect(shownOf(node({ alloc_cpus: 17 }), 'cpus').look.quarters).toBe(2);
    expect(shownOf(node({ alloc_cpus: 64 }), 'cpus')).toMatchObject({ value: 'up to 100 %', look: { quarters: 4 } });
    expect(shownOf(node(), 'memory')).toMatchObject({ value: '0 %', look: { quarters: 0 } });
  });

  it('marks a load above the number of its CPUs', () => {
    expect(shareOf(node(), 'load')).toBe(1.5);
    expect(shownOf(node(), 'load')).toMatchObject({ value: 'above 100 %', look: { colour: 'warn', mark: '!' } });
  });

  it('shows no share where a part of it was not reported', () => {
    for (const missing of [{ load: null }, { cpus: null }, { cpus: 0 }])
      expect(shownOf(node(missing), 'load')).toMatchObject({ value: 'not reported', look: { mark: '?' } });
    expect(shownOf(node({ status: null }), 'state').value).toBe('not reported');
  });
});
