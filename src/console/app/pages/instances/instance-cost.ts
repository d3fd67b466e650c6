import { money, plural } from '../../parts/units';
import type { Instance } from './instances-queries';

/** What an instance has cost. */
export interface InstanceCost {
  /** US dollars. */
  readonly usd: number;
  /** Its price times the hours since its creation; otherwise the marketplace's own estimate. */
  readonly isComputed: boolean;
}

const HOUR_MS = 3_600_000;
const CENTS = 100;

/** Machines that cost nothing any more, or never did. */
const FREE = ['deleted', 'error'];

export const dollarsPerHour = (cents: number): number => cents / CENTS;

export function costOf(
  { hourly_price: cents, cost_estimate: estimate, created_at: created, status }: Instance,
  now: number,
): InstanceCost | undefined {
  if (cents !== null && created !== null && !FREE.includes(status)) {
    const hours = Math.max(0, now - Date.parse(created)) / HOUR_MS;
    return { usd: dollarsPerHour(cents) * hours, isComputed: true };
  }
  const usd = estimateOf(estimate);
  return usd === undefined ? undefined : { usd, isComputed: false };
}

/** The marketplace's estimate is text. */
export function estimateOf(estimate: string | null): number | undefined {
  if (estimate === null || estimate.trim() === '') return undefined;
  const usd = Number(estimate);
  return Number.isFinite(usd) ? usd : undefined;
}

/** What the loaded instances cost in an hour. Those that cost nothing are neither counted nor in the sum. */
export function summaryOf(loaded: readonly Instance[], hasAll: boolean): string {
  const rented = loaded.filter(({ status }) => !FREE.includes(status));
  const priced = rented.flatMap(({ hourly_price: cents }) => (cents === null ? [] : [cents]));
  const usd = dollarsPerHour(priced.reduce((sum, cents) => sum + cents, 0));
  const unpriced = rented.length - priced.length;
  const over = loaded.length - rented.length;
  return [
    plural(rented.length, 'rented instance'),
    hasAll ? '' : ` of the ${loaded.length} loaded`,
    `: ${money(usd)} per hour`,
    unpriced > 0 ? `, ${unpriced} of them without a price yet` : '',
    over > 0 ? `; ${over} deleted or failed` : '',
  ].join('');
}
