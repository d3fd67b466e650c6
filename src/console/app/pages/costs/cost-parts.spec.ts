import { dayCostsOf, costOf, costsOf, csvOf, type CostRow } from './cost-parts';

const row = (profile_id: string, compute_usd: number, overrides: Partial<CostRow> = {}): CostRow => ({
  profile_id,
  activation_count: 1,
  tokens_served: 0,
  active_duration_s: 0,
  idle_time_s: 0,
  node_seconds: 0,
  compute_usd,
  storage_usd: 1,
  transfer_usd: 0.5,
  fallback_usd: 0,
  total_usd: compute_usd + 1.5,
  release_latency_ms: null,
  idle_cost: { starting_usd: 2, warm_idle_usd: 3, release_usd: 1 },
  cost_per_mtok: { held_usd: 4, used_usd: null },
  price: {
    profile_id,
    node_hourly_usd: 1,
    storage_gb_hour_usd: 0,
    transfer_gb_usd: 0,
    source: 'configured',
    updated_at: null,
  },
  ...overrides,
});

describe('the costs of days', () => {
  it('name the day of UTC, and the one that has not ended', () => {
    const day = (from: string) => ({ ...row('', 6), from, to: from });
    const [first, last] = dayCostsOf([day('2026-11-01T00:00:00.000Z'), day('2026-11-02T00:00:00.000Z')], true);
    expect([first?.label, last?.label]).toEqual(['Sun 1 Nov', 'Mon 2 Nov, until now']);
    expect([first?.total, first?.parts.waiting]).toEqual([7.5, 3]);
  });
});

describe('the cost of a profile', () => {
  it('is divided into parts whose sum is what the service says', () => {
    const { parts, total } = costOf(row('a', 10), true);
    expect(parts).toEqual({ busy: 4, starting: 2, waiting: 3, releasing: 1, storage: 1, transfer: 0.5 });
    expect(total).toBe(11.5);
  });

  it('leaves out exactly the idle part of a cost that is shown without idle time', () => {
    const { parts, total } = costOf(row('a', 10), false);
    expect([parts.busy, parts.starting, parts.waiting, parts.releasing]).toEqual([4, 0, 0, 0]);
    expect(total).toBe(5.5);
  });

  it('puts the dearest profile first, and knows that idle time changes which one that is', () => {
    const idle = row('idle', 6);
    const busy = row('busy', 5, { idle_cost: { starting_usd: 0, warm_idle_usd: 0, release_usd: 0 } });
    expect(costsOf([busy, idle], true).map(({ profile }) => profile)).toEqual(['idle', 'busy']);
    expect(costsOf([busy, idle], false).map(({ profile }) => profile)).toEqual(['busy', 'idle']);
  });

  it('quotes in CSV what needs quotes, and writes no formula', () => {
    const [, first, second] = csvOf(costsOf([row('a,"b"', 6), row('=1+1', 7)], true)).split('\r\n');
    expect(first).toBe("'=1+1,1,2,3,1,1,0.5,8.5,4,,configured");
    expect(second).toBe('"a,""b""",0,2,3,1,1,0.5,7.5,4,,configured');
  });
});
