import { usdOf, type Usd } from '../../1-platform/common/money';
import { costOf, reservationOf, type PriceBasis } from './prices';

const usd = (text: string): Usd => usdOf(text) ?? -1n;
const byTime: PriceBasis = { pricing: null, nodeHourlyUsd: usd('3.6'), targetConcurrency: 8, p95BackendMs: null };
const byToken: PriceBasis = {
  ...byTime,
  pricing: { promptUsdPerMtok: usd('0.5'), completionUsdPerMtok: usd('1.5') },
};
const work = { promptTokens: 1_000, completionTokens: 200, backendMs: 4_000 };

describe('the price of a request', () => {
  it('is that of its tokens if the profile has token prices', () => {
    // 1,000 x 0.5 / 10^6 + 200 x 1.5 / 10^6 = 0.0005 + 0.0003
    expect(costOf(byToken, work)).toBe(usd('0.0008'));
  });

  it('is else that of its time, shared by the concurrent requests of a replica', () => {
    // 4 s of 3.6 dollars an hour, a dollar for 1,000 s: 0.004, of which an eighth
    expect(costOf(byTime, work)).toBe(usd('0.0005'));
  });

  it('is zero without a rate', () => {
    expect(costOf({ ...byTime, nodeHourlyUsd: 0n }, work)).toBe(0n);
  });

  it('is reserved for all tokens that the answer may have', () => {
    // 1,000 x 0.5 / 10^6 + 1,024 x 1.5 / 10^6
    expect(reservationOf(byToken, { promptTokens: 1_000, maxTokens: 1_024 })).toBe(usd('0.002036'));
  });

  it('is reserved for the 95th percentile of times, else for a minute', () => {
    const expected = { promptTokens: 1, maxTokens: 1 };
    expect(reservationOf({ ...byTime, p95BackendMs: 8_000 }, expected)).toBe(usd('0.001'));
    expect(reservationOf(byTime, expected)).toBe(usd('0.0075'));
  });
});
