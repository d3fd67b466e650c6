import { writeSync } from 'node:fs';

/** One measured figure of an attack, with its limit. */
export interface Figure {
  readonly attack: string;
  readonly measure: string;
  readonly value: number;
  readonly unit: string;
  readonly bound: { readonly atMost: number } | { readonly atLeast: number };
}

const shown: string[] = [];

const round = (value: number): string => (Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0));

/** Prints a figure beside its limit, and then fails if it exceeds the limit. */
export function expectFigure({ attack, measure, value, unit, bound }: Figure): void {
  const limit = 'atMost' in bound ? `<= ${bound.atMost}` : `>= ${bound.atLeast}`;
  shown.push(`${attack} | ${measure} | ${round(value)} ${unit} | ${limit} ${unit}`);
  if ('atMost' in bound) expect(value).toBeLessThanOrEqual(bound.atMost);
  else expect(value).toBeGreaterThanOrEqual(bound.atLeast);
}

/** Call after all tests of a file: jest hides what a test prints while it runs. */
export function printFigures(): void {
  for (const line of shown.splice(0)) writeSync(2, `${line}\n`);
}

/** The value below which the given share (0 to 1) of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}
