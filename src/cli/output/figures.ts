const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** What a cell shows where nothing was reported. */
export const NONE = '-';

/** How long ago a time was, as kubectl prints it: 45s, 12m, 3h, 5d, 2y. A time to come has a minus. */
export function age(time: string | number | null | undefined, nowMs: number): string {
  const at = typeof time === 'string' ? Date.parse(time) : time;
  if (at === null || at === undefined || Number.isNaN(at) || at === 0) return NONE;
  const ms = nowMs - at;
  return ms < 0 ? `-${span(-ms)}` : span(ms);
}

function span(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  return ms < 2 * YEAR ? `${Math.floor(ms / DAY)}d` : `${Math.floor(ms / YEAR)}y`;
}

const NS_PER_MS = 1e6;

/** A duration with three figures: 830 µs, 12.4 ms, 3.21 s, 4m 05s. */
export function duration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return NONE;
  const ms = ns / NS_PER_MS;
  if (ms < 1) return `${Math.round(ns / 1_000)} µs`;
  if (ms < SECOND) return `${threeFigures(ms)} ms`;
  if (ms < MINUTE) return `${threeFigures(ms / SECOND)} s`;
  const seconds = Math.round(ms / SECOND);
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return NONE;
  let [amount, unit] = [count, 0];
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${unit === 0 ? String(amount) : threeFigures(amount)} ${UNITS[unit]}`;
}

const threeFigures = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

export const percent = (part: number | null | undefined): string =>
  part === null || part === undefined ? NONE : `${Math.round(part)}%`;

export const dollars = (amount: number | null | undefined): string =>
  amount === null || amount === undefined ? NONE : `$${amount.toFixed(2)}`;

/** A text that may be missing or empty. */
export const text = (value: string | number | boolean | null | undefined): string =>
  value === null || value === undefined || value === '' ? NONE : String(value);
