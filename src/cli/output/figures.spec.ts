import { age, bytes, duration } from './figures';

const NOW = Date.parse('2026-06-01T12:00:00Z');

describe('figures for people', () => {
  it.each([
    ['2026-06-01T11:59:15Z', '45s'],
    ['2026-06-01T11:30:00Z', '30m'],
    ['2026-06-01T02:00:00Z', '10h'],
    ['2026-05-20T12:00:00Z', '12d'],
    ['2023-05-20T12:00:00Z', '3y'],
    ['2026-06-01T12:30:00Z', '-30m'],
    [null, '-'],
    [0, '-'],
    ['soon', '-'],
  ])('show the age of %j as %s', (time, expected) => {
    expect(age(time, NOW)).toBe(expected);
  });

  it.each([
    [830_000, '830 µs'],
    [12_400_000, '12.4 ms'],
    [3_210_000_000, '3.21 s'],
    [245_000_000_000, '4m 05s'],
    [null, '-'],
  ])('show %j nanoseconds as %s', (ns, expected) => {
    expect(duration(ns)).toBe(expected);
  });

  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_024, '1.00 KiB'],
    [36_000_000_000, '33.5 GiB'],
    [undefined, '-'],
  ])('show %j bytes as %s', (count, expected) => {
    expect(bytes(count)).toBe(expected);
  });
});
