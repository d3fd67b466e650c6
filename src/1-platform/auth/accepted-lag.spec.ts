import { acceptedLag } from './accepted-lag';

describe('the lag that a request accepts', () => {
  it.each([
    ['a report', 'GET', undefined, true, Infinity],
    ['a report that is a POST', 'POST', undefined, true, Infinity],
    ['a report that bounds it', 'GET', 'max-stale=2', true, 2_000],
    ['a report that asks for the latest state', 'GET', 'max-stale=2, no-cache', true, undefined],
    ['a list', 'GET', undefined, false, undefined],
    ['a list that says nothing about it', 'GET', 'max-age=0', false, undefined],
    ['a list that accepts any', 'GET', 'max-stale', false, Infinity],
    ['a list that bounds it', 'GET', 'no-store, Max-Stale = "10"', false, 10_000],
    ['a list that accepts none', 'GET', 'max-stale=0', false, 0],
    ['a change', 'PUT', 'max-stale=10', false, undefined],
    ['a list with another directive', 'GET', 'x-max-stale-if=1', false, undefined],
  ] as const)('follows from %s', (_what, method, header, mayLag, lag) => {
    expect(acceptedLag(method, header, mayLag)).toBe(lag);
  });
});
