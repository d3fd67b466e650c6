import { invariant } from '../../1-platform/common/invariant';
import type { Usd } from '../../1-platform/common/money';

/** An amount written by one of the service's statements: a sum may exceed any stored amount. */
export function usd(text: string): Usd {
  const [, whole = '', decimals = ''] = /^(\d+)(?:\.(\d{0,12}))?$/.exec(text) ?? [];
  invariant(whole !== '', `${text} is an amount`);
  return BigInt(whole + decimals.padEnd(12, '0'));
}

export const sumUsd = <R>(rows: readonly R[], of: (row: R) => Usd): Usd =>
  rows.reduce((total, row) => total + of(row), 0n);
