import { scaleLinear, scaleLog, scaleTime } from '@visx/scale';

/** The only file that knows the library of scales. */

export type TimeScale = ReturnType<typeof timeScale>;

/** @param from @param to milliseconds */
export const timeScale = (from: number, to: number, left: number, right: number) =>
  scaleTime<number>({ domain: [new Date(from), new Date(to)], range: [left, right] });

export const linearScale = (most: number, left: number, right: number) =>
  scaleLinear<number>({ domain: [0, most], range: [left, right] });

export const logScale = (from: number, to: number, left: number, right: number) =>
  scaleLog<number>({ domain: [from, to], range: [left, right] });
