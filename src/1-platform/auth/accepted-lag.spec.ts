import { acceptedLag } from './bearer.guard';

describe('the lag that a request accepts', () => {
  it.each([
    ['of a report', 'GET', undefined, true, Infinity],
    ['of a report that is a POST', 'POST', undefined, true, Infinity],
    ['of a report that bounds it', 'GET', 'max-stale=2', true, 2_000],
    ['of a report that asks for the latest state', 'GET', 'max-stale=2, no-cache', true, undefined],
    ['of a list', 'GET', undefined, false, undefined],
    ['of a list that says nothing about it', 'GET', 'max-age=0', false, undefined],
    ['of a list that accepts any', 'GET', 'max-stale', false, Infinity],
    ['of a list that bounds it', 'GET', 'no-store, Max-Stale = "10"', false, 10_000],
    ['of a list that accepts none', 'GET', 'max-stale=0', false, 0],
    ['of a change', 'PUT', 'max-stale=10', false, undefined],
    ['of another directive', 'GET', 'x-max-stale-if=1', false, undefined],
  ] as const)('%s is as it says', (_what, method, header, mayLag, lag) => {
    expect(acceptedLag(method, header, mayLag)).toBe(lag);
  });
});
