import { pauseBefore } from './retries';

const SETTINGS = { attempts: 9, firstPauseMs: 100, longestPauseMs: 1_000 };
const NOW = Date.parse('2026-06-01T10:00:00Z');

describe('the pause before a repeated request', () => {
  it.each([
    [1, 0, 50],
    [1, 1, 100],
    [2, 1, 200],
    [4, 0, 400],
    [5, 1, 1_000],
    [30, 1, 1_000],
  ])('waits after %d failures, with the random number %d, for %d ms', (failed, random, ms) => {
    expect(pauseBefore(failed, SETTINGS, null, NOW, random)).toBe(ms);
  });

  it.each([
    ['seconds', '3', 3_000],
    ['a date', 'Mon, 01 Jun 2026 10:00:05 GMT', 5_000],
    ['a date that has passed', 'Mon, 01 Jun 2026 09:00:00 GMT', 0],
    ['more than the agent waits for', '86400', 60_000],
    ['nothing that can be read', 'soon', 50],
  ])('is what the service asks for: %s', (_what, header, ms) => {
    expect(pauseBefore(1, SETTINGS, header, NOW, 0)).toBe(ms);
  });

  it('ends after the moment that the service names, because it named it to everybody', () => {
    expect(pauseBefore(1, SETTINGS, '3', NOW, 1)).toBe(3_100);
  });
});
