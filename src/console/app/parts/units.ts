/** Figures as people read them: three significant digits, and a unit. */

const NS = { us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3_600e9 };

const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** @param ns nanoseconds */
export function duration(ns: number): string {
  if (ns === 0) return '0 s';
  if (ns < NS.ms) return `${short(ns / NS.us)} µs`;
  if (ns < NS.s) return `${short(ns / NS.ms)} ms`;
  if (ns < 2 * NS.min) return `${short(ns / NS.s)} s`;
  return ns < 2 * NS.h ? split(Math.round(ns / NS.s), 'min', 's') : split(Math.round(ns / NS.min), 'h', 'min');
}

/** @param total a whole number of the small unit, 60 of which are one of the large unit */
const split = (total: number, large: string, small: string): string =>
  `${Math.floor(total / 60)} ${large} ${total % 60} ${small}`;

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(count) / 3));
  return power === 0 ? `${count} B` : `${short(count / 1_000 ** power)} ${BYTES[power]}`;
}

/** Bytes a second, of bytes in nanoseconds; undefined where either is missing. */
export const throughput = (count: number, ns: number): string | undefined =>
  count > 0 && ns > 0 ? `${bytes(Math.round((count * NS.s) / ns))}/s` : undefined;

const NUMBER = new Intl.NumberFormat('en');
export const count = (value: number): string => NUMBER.format(value);

export const share = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(part / whole < 0.1 ? 1 : 0)} %` : '–';

/** `one pod`, `2 pods`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

const DOLLARS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
/** Requests cost parts of a cent: two digits of those are shown. */
const PARTS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });

/** US dollars. */
export const money = (usd: number): string => (usd !== 0 && Math.abs(usd) < 0.1 ? PARTS : DOLLARS).format(usd);
