import { LEFT_OUT } from './jest-results';

/**
 * `npm test` runs the short form of the tests, which shows every statement once; slow files take turns.
 * `npm run test:long` runs the long one, which tries to refute them more often, and in every combination.
 * test/jest/long-form.cjs lists the files and tests that only the long form runs.
 */
const isLong = process.env.TEST_FORM === 'long';

/** How often a test tries, for how long, or with what. */
export const inForm = <T>(short: T, long: T): T => (isLong ? long : short);

/** `it.each`. @param short whether the short form runs the case at this place */
export const eachInForm =
  <T extends string | object>(cases: readonly T[], short: (place: number) => boolean) =>
  (name: string, test: (one: T) => Promise<void>): void => {
    cases.forEach((one, place) => {
      if (isLong || short(place)) it.each([one])(name, test as (...args: unknown[]) => Promise<void>);
      else it.skip.each([one])(`${name} (${LEFT_OUT})`, test as (...args: unknown[]) => Promise<void>);
    });
  };

/** The seed of what a test chooses at random. `TEST_SEED` sets another one; figures are printed beside it. */
export const SEED = Number(process.env.TEST_SEED ?? 1);

const trials = new Set<number>();

/**
 * The minutes, seconds or runs of an attack of the long form. A variable of this name makes it smaller: that
 * is a trial, whose figures docs/reliability.md does not show.
 */
export function fullUnless(variable: string, full: number, row: number): number {
  const value = Number(process.env[variable] ?? full);
  if (!(value > 0)) throw new Error(`${variable} must be a number above 0`);
  if (value < full) trials.add(row);
  return value;
}

/** Whether this process runs a smaller attack on a promise than the long form does. */
export const isTrial = (row: number): boolean => trials.has(row);
