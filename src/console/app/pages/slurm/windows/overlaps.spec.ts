import type { MaintenanceWindow, Policy } from '../slurm-queries';
import { overlapsOf } from './overlaps';

const window = (members: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: 'w',
  name: 'fw',
  cluster_id: 'a',
  reason: null,
  status: 'scheduled',
  start_time: '2027-01-10T20:00:00Z',
  end_time: '2027-01-10T22:00:00Z',
  created_at: '2027-01-01T00:00:00Z',
  nodes: null,
  partitions: null,
  ...members,
});

type Trigger = NonNullable<Policy['pipeline']>['trigger'];

const policy = (trigger: Trigger, cluster_id = 'a', name: string | null = 'nightly') =>
  ({
    id: 'p',
    name,
    pipeline: { trigger, filter: { type: 'slurm_jobs', config: { cluster_id, job_ids: ['1'] } } },
  }) as unknown as Policy;
const once = (from: string, to: string): Trigger => ({
  type: 'maintenance',
  config: { start_time: `2027-01-10T${from}:00Z`, end_time: `2027-01-10T${to}:00Z` },
});
const every = (interval_seconds: number): Trigger => ({ type: 'heartbeat', config: { interval_seconds } });

const of = (...args: Parameters<typeof policy>) => overlapsOf(window(), [policy(...args)]);

describe('policies that overlap a maintenance window', () => {
  it('request their checkpoints before it begins, or too late', () => {
    expect(of(once('19:00', '20:30'))).toEqual([
      { id: 'p', name: 'nightly', does: 'once, before it begins', isLate: false },
    ]);
    expect(of(once('20:00', '21:00'))).toMatchObject([{ does: 'once, after it has begun', isLate: true }]);
  });

  it('may end when it begins, but not before, nor begin when it ends', () => {
    expect(of(once('19:00', '20:00'))).toHaveLength(1);
    expect(of(once('19:00', '19:59'))).toEqual([]);
    expect(of(once('22:00', '23:00'))).toEqual([]);
  });

  it('include all that repeat', () => {
    expect(of(every(3_600))).toMatchObject([{ does: 'every 1 h', isLate: false }]);
    expect(of(every(90))).toMatchObject([{ does: 'every 1 min 30 s' }]);
    expect(of(every(300))).toMatchObject([{ does: 'every 5 min' }]);
  });

  it('are those of its cluster, and of every cluster if it was entered by hand', () => {
    expect(of(every(60), 'b')).toEqual([]);
    expect(overlapsOf(window({ cluster_id: null }), [policy(every(60), 'b')])).toHaveLength(1);
  });

  it('are of no interest once it is over or cancelled', () => {
    for (const status of ['completed', 'cancelled', 'ended'] as const)
      expect(overlapsOf(window({ status }), [policy(every(60))])).toEqual([]);
  });

  it('are named by their ids where they have no name', () => {
    expect(of(every(60), 'a', null)).toMatchObject([{ name: 'p' }]);
    expect(overlapsOf(window(), [{ ...policy(every(60)), pipeline: null }])).toEqual([]);
  });
});
