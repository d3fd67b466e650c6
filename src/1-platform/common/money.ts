/**
 * An amount of US dollars as an integer of 10^-12 dollars: one token costs a fraction of a cent, and money is
 * never a double. The database stores the same digits (`numeric(24,12)`).
 */
export type Usd = bigint;

const DIGITS = 12;
const ONE: Usd = 10n ** BigInt(DIGITS);
/** The maximum of the database's columns. */
const MAX: Usd = ONE * 10n ** 12n - 1n;

const DECIMAL = /^(\d{1,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * @param text a decimal, as JSON or PostgreSQL prints it; digits below 10^-12 are rounded up, so that a price
 *   is never less than reported
 * @returns undefined for anything but an amount from 0 to below 10^12 dollars
 */
export function usdOf(text: string): Usd | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === '') return undefined;
  const shift = DIGITS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : dividedUp(digits, 10n ** BigInt(-shift));
  return amount <= MAX ? amount : undefined;
}

/** In the notation of PostgreSQL and JSON. */
export function usdText(amount: Usd): string {
  const digits = amount.toString().padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`;
}

/** The nearest double, for display only. May be negative. */
export const usdNumber = (amount: Usd): number => (amount < 0n ? -Number(usdText(-amount)) : Number(usdText(amount)));

/** A quotient, rounded up. Both are positive. */
const dividedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/** The cost of a number of pieces at a price per million, at most the maximum. */
export const perMillion = (price: Usd, pieces: number): Usd => atMost(dividedUp(price * whole(pieces), 1_000_000n));

/** The cost of a duration at a price per hour that `shares` share. */
export const perHour = (price: Usd, milliseconds: number, shares: number): Usd =>
  atMost(dividedUp(price * whole(milliseconds), 3_600_000n * whole(Math.max(shares, 1))));

export const atMost = (amount: Usd): Usd => (amount > MAX ? MAX : amount);

const whole = (count: number): bigint => BigInt(Math.ceil(Math.max(count, 0)));
