import { usage } from '../failures';

/** @param name of the option, for the message */
export function wholeNumber(text: string, name: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw usage(`--${name}: "${text}" is not a whole number ${bounds}.`);
}
