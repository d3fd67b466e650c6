/**
 * An amount of US dollars as an integer of 10^-12 dollars: what one token costs is a fraction of a cent, and
 * money is never a double. The database keeps the same digits (`numeric(24,12)`).
 */
export type Usd = bigint;

const DIGITS = 12;
const ONE: Usd = 10n ** BigInt(DIGITS);
/** What the database's columns hold. */
const MAX: Usd = ONE * 10n ** 12n - 1n;

const DECIMAL = /^(\d{1,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * @param text a decimal, as JSON or PostgreSQL write one; what is finer than 10^-12 is rounded up, so that a
 *   price is never less than what was reported
 * @returns undefined for what is no amount, or none that is kept: negative, or 10^12 dollars and more
 */
export function usdOf(text: string): Usd | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === '') return undefined;
  const shift = DIGITS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : dividedUp(digits, 10n ** BigInt(-shift));
  return amount <= MAX ? amount : undefined;
}

/** As PostgreSQL and JSON read it. */
export function usdText(amount: Usd): string {
  const digits = amount.toString().padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`;
}

/** The nearest double, for who only looks at it. May be negative. */
export const usdNumber = (amount: Usd): number => (amount < 0n ? -Number(usdText(-amount)) : Number(usdText(amount)));

/** A quotient, rounded up. Both are positive. */
const dividedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/** What so many pieces cost at a price for a million of them, and no more than is kept. */
export const perMillion = (price: Usd, pieces: number): Usd => atMost(dividedUp(price * whole(pieces), 1_000_000n));

/** What so many milliseconds cost at a price for an hour that `shares` have in common. */
export const perHour = (price: Usd, milliseconds: number, shares: number): Usd =>
  atMost(dividedUp(price * whole(milliseconds), 3_600_000n * whole(Math.max(shares, 1))));

export const atMost = (amount: Usd): Usd => (amount > MAX ? MAX : amount);

const whole = (count: number): bigint => BigInt(Math.ceil(Math.max(count, 0)));
