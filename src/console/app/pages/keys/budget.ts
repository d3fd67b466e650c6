import { money, share } from '../../parts/units';

/** What a key may spend, and what became of it, in US dollars. */
export interface Spending {
  readonly budget_usd: number | null;
  readonly spent_usd: number;
  readonly reserved_usd: number;
}

export interface BudgetParts {
  /** Per cent of the bar. */
  readonly spent: number;
  readonly reserved: number;
  /** Nothing is left, reservations included. */
  readonly isExhausted: boolean;
}

/** Reserved money is not spent yet, and may come back: it is drawn beside what is spent. */
export function partsOf({ budget_usd: budget, spent_usd: spent, reserved_usd: reserved }: Spending): BudgetParts {
  if (budget === null) return { spent: 0, reserved: 0, isExhausted: false };
  // A request may cost more than was reserved for it, so the whole may exceed the budget.
  const whole = Math.max(budget, spent + reserved);
  const percent = (part: number): number => (whole === 0 ? 0 : (100 * part) / whole);
  return { spent: percent(spent), reserved: percent(reserved), isExhausted: spent + reserved >= budget };
}

export function sentenceOf(spending: Spending): string {
  const { budget_usd: budget, spent_usd: spent, reserved_usd: reserved } = spending;
  const parts = [`${money(spent)} spent`];
  if (reserved > 0) parts.push(`${money(reserved)} reserved`);
  if (budget === null) return `${parts.join(', ')}; no budget`;
  return `${parts.join(', ')} of ${money(budget)} (${share(spent, budget)} spent)`;
}

/** The key that spends most first; of equal ones the newest. */
export const bySpending = (a: Spending & { created_at: string }, b: Spending & { created_at: string }): number =>
  b.spent_usd - a.spent_usd || b.created_at.localeCompare(a.created_at);
