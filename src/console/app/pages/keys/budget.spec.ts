import { bySpending, partsOf, sentenceOf } from './budget';

const of = (budget_usd: number | null, spent_usd: number, reserved_usd = 0) => ({
  budget_usd,
  spent_usd,
  reserved_usd,
});

describe('the budget of a key', () => {
  it('draws reserved money beside spent money', () => {
    expect(partsOf(of(10, 4, 1))).toEqual({ spent: 40, reserved: 10, isExhausted: false });
  });

  it('is exhausted as soon as spent and reserved money together reach it', () => {
    expect(partsOf(of(10, 9, 1)).isExhausted).toBe(true);
    expect(partsOf(of(10, 9, 0.99)).isExhausted).toBe(false);
  });

  it('fills the bar and no more when requests exceeded the budget', () => {
    const { spent, reserved } = partsOf(of(10, 15, 5));
    expect([spent, reserved]).toEqual([75, 25]);
  });

  it('shows a budget of zero as exhausted, and draws no bar', () => {
    expect(partsOf(of(0, 0))).toEqual({ spent: 0, reserved: 0, isExhausted: true });
  });

  it('says what is spent and what is only reserved, also without a limit', () => {
    expect(sentenceOf(of(10, 4, 1))).toBe('$4.00 spent, $1.00 reserved of $10.00 (40 % spent)');
    expect(sentenceOf(of(null, 0.0042))).toBe('$0.0042 spent; no budget');
  });

  it('puts the key that spends most first, and the newer of two equal ones', () => {
    const keys = [
      { ...of(null, 1), created_at: '2026-01-01' },
      { ...of(null, 5), created_at: '2026-01-01' },
      { ...of(null, 1), created_at: '2026-02-01' },
    ];
    expect(keys.toSorted(bySpending).map(({ spent_usd, created_at }) => [spent_usd, created_at])).toEqual([
      [5, '2026-01-01'],
      [1, '2026-02-01'],
      [1, '2026-01-01'],
    ]);
  });
});
