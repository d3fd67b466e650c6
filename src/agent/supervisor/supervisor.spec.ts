import { waitForStoring } from './supervisor';

const MINUTE_MS = 60_000;

describe('The wait for the checkpoint of a workload that has ended by itself', () => {
  it.each([
    ['ten seconds if it had hardly begun to be stored', 0, 0, 10_000],
    ['as long as it had been stored already', 14 * MINUTE_MS, 0, 14 * MINUTE_MS],
    ['half an hour at most', 300 * MINUTE_MS, 0, 30 * MINUTE_MS],
    ['the grace period for a last checkpoint if that is longer', 14 * MINUTE_MS, 15 * MINUTE_MS, 15 * MINUTE_MS],
    ['the grace period also if that is a day', 0, 1440 * MINUTE_MS, 1440 * MINUTE_MS],
    ['no shorter for a short grace period', 14 * MINUTE_MS, 1_000, 14 * MINUTE_MS],
  ])('is %s', (_which, storingMs, graceMs, expected) => {
    expect(waitForStoring(storingMs, graceMs)).toBe(expected);
  });
});
