import { costOf, estimateOf, summaryOf } from './instance-cost';
import type { Instance } from './instances-queries';

const NOW = Date.parse('2027-01-10T20:00:00Z');

const instance = (members: Partial<Instance> = {}): Instance => ({
  id: 'i',
  name: 'burst-1',
  cloud_provider: 'hyperstack',
  instance_type: 'A6000',
  region: 'canada-1',
  status: 'active',
  created_at: '2027-01-10T17:30:00Z',
  reason: null,
  hourly_price: 210,
  cost_estimate: '4.95',
  active_at: null,
  ...members,
});

describe('the cost of an instance', () => {
  it('is its price times its hours, where both are known', () => {
    expect(costOf(instance(), NOW)).toEqual({ usd: 5.25, isComputed: true });
    expect(costOf(instance({ created_at: '2027-01-10T21:00:00Z' }), NOW)).toEqual({ usd: 0, isComputed: true });
  });

  it('is what the marketplace estimates, where a price or a time is missing, and after its end', () => {
    for (const members of [{ hourly_price: null }, { created_at: null }, { status: 'deleted' }])
      expect(costOf(instance(members), NOW)).toEqual({ usd: 4.95, isComputed: false });
    expect(costOf(instance({ hourly_price: null, cost_estimate: null }), NOW)).toBeUndefined();
  });

  it('is not read from an estimate that is no number', () => {
    expect(estimateOf('much')).toBeUndefined();
    expect(estimateOf('')).toBeUndefined();
    expect(estimateOf('0')).toBe(0);
  });

  it('adds up for those that are rented, and counts those without a price', () => {
    const all = [
      instance(),
      instance({ hourly_price: 57 }),
      instance({ hourly_price: null }),
      instance({ status: 'error' }),
      instance({ status: 'deleted' }),
    ];
    expect(summaryOf(all, true)).toBe(
      '3 rented instances: $2.67 per hour, 1 of them without a price yet; 2 deleted or failed',
    );
    expect(summaryOf([instance()], true)).toBe('1 rented instance: $2.10 per hour');
    expect(summaryOf([], true)).toBe('0 rented instances: $0.00 per hour');
  });

  it('is said of those that are loaded, where there are more', () => {
    expect(summaryOf([instance(), instance({ status: 'deleted' })], false)).toBe(
      '1 rented instance of the 2 loaded: $2.10 per hour; 1 deleted or failed',
    );
  });
});
