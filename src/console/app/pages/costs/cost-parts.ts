import type { Schemas } from '../../api/client';

export type CostRow = Schemas['CostBreakdownRowView'];

/** What the money of a profile went into. The order is that of the bars. */
export const PARTS = {
  busy: 'Serving requests',
  starting: 'Starting',
  waiting: 'Ready, no request',
  releasing: 'Being released',
  storage: 'Storage',
  transfer: 'Transfer',
} as const;
export type Part = keyof typeof PARTS;

/** Parts that cost money while no request is served. */
export const IDLE: readonly Part[] = ['starting', 'waiting', 'releasing'];

export interface Cost {
  readonly profile: string;
  /** US dollars. */
  readonly parts: Readonly<Record<Part, number>>;
  readonly total: number;
  readonly row: CostRow;
}

type Amounts = Pick<CostRow, 'compute_usd' | 'storage_usd' | 'transfer_usd' | 'idle_cost'>;

/** @param withIdle whether idle time counts */
function amountsOf(row: Amounts, withIdle: boolean): Pick<Cost, 'parts' | 'total'> {
  const { starting_usd, warm_idle_usd, release_usd } = row.idle_cost;
  const idle = starting_usd + warm_idle_usd + release_usd;
  const parts = {
    // Sums of floating-point numbers may be less than their parts by a hair.
    busy: Math.max(0, row.compute_usd - idle),
    starting: withIdle ? starting_usd : 0,
    waiting: withIdle ? warm_idle_usd : 0,
    releasing: withIdle ? release_usd : 0,
    storage: row.storage_usd,
    transfer: row.transfer_usd,
  };
  return { parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}

/** @param withIdle whether idle time counts */
export const costOf = (row: CostRow, withIdle: boolean): Cost => ({
  profile: row.profile_id,
  ...amountsOf(row, withIdle),
  row,
});

export type CostDay = Schemas['CostDayView'];

/** What a day cost. */
export interface DayCost extends Pick<Cost, 'parts' | 'total'> {
  readonly label: string;
  readonly day: CostDay;
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

/** In the order of the service, the oldest first. @param withIdle whether idle time counts */
export const dayCostsOf = (days: readonly CostDay[], withIdle: boolean): DayCost[] =>
  days.map((day, place) => ({
    label: `${DAY.format(new Date(day.from))}${place === days.length - 1 ? ', until now' : ''}`,
    ...amountsOf(day, withIdle),
    day,
  }));

/** The dearest first. */
export const costsOf = (rows: readonly CostRow[], withIdle: boolean): Cost[] =>
  rows.map((row) => costOf(row, withIdle)).sort((a, b) => b.total - a.total || a.profile.localeCompare(b.profile));

const HEAD = ['profile', ...Object.keys(PARTS), 'total', 'usd_per_mtok_held', 'usd_per_mtok_used', 'price_source'];

/** A text that a spreadsheet would run as a formula is sent as a text. */
const field = (value: string | number | null): string => {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The table as RFC 4180 has it, in US dollars. */
export function csvOf(costs: readonly Cost[]): string {
  const lines = costs.map(({ profile, parts, total, row }) => [
    profile,
    ...Object.values(parts),
    total,
    row.cost_per_mtok.held_usd,
    row.cost_per_mtok.used_usd,
    row.price.source,
  ]);
  return [HEAD, ...lines].map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
