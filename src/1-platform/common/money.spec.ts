import * as fc from 'fast-check';
import { perHour, perMillion, usdOf, usdText } from './money';

describe('an amount of US dollars', () => {
  it.each([
    ['0', 0n],
    ['1', 1_000_000_000_000n],
    ['0.15', 150_000_000_000n],
    ['12.', 12_000_000_000_000n],
    ['1e-7', 100_000n],
    ['1.5E+2', 150_000_000_000_000n],
    ['0.0000000000001', 1n],
    ['999999999999.999999999999', 999_999_999_999_999_999_999_999n],
  ])('%s is read digit by digit', (text, amount) => {
    expect(usdOf(text)).toBe(amount);
  });

  it.each(['', '-1', 'NaN', 'Infinity', '1,5', '.5', '0x10', '1e999', '1000000000000', ' 1'])(
    '%p is not an amount',
    (text) => {
      expect(usdOf(text)).toBeUndefined();
    },
  );

  it('is printed as it is read', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 24n - 1n });
    fc.assert(fc.property(amounts, (amount) => expect(usdOf(usdText(amount))).toBe(amount)));
  });

  it('tokens cost their price per million, rounded up', () => {
    // 1,000 tokens at 0.15 dollars a million are 0.00015 dollars.
    expect(perMillion(usdOf('0.15') ?? 0n, 1_000)).toBe(usdOf('0.00015'));
    expect(perMillion(1n, 1)).toBe(1n);
    expect(perMillion(0n, 1_000)).toBe(0n);
  });

  it('time costs its share of the price of an hour', () => {
    // 90 seconds of a node at 4 dollars an hour, shared by 8 requests: 0.0125 dollars.
    expect(perHour(usdOf('4') ?? 0n, 90_000, 8)).toBe(usdOf('0.0125'));
    expect(perHour(usdOf('4') ?? 0n, -5, 8)).toBe(0n);
  });

  it('never decreases when the quantity grows', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 18n });
    const count = fc.nat({ max: 10 ** 9 });
    fc.assert(
      fc.property(price, count, count, (of, one, more) => {
        expect(perMillion(of, one + more)).toBeGreaterThanOrEqual(perMillion(of, one));
        expect(perHour(of, one + more, 3)).toBeGreaterThanOrEqual(perHour(of, one, 3));
      }),
    );
  });
});
