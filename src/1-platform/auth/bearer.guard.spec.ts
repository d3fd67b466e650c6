import { bearerOf } from './bearer.guard';

describe('the bearer of a request', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   a.b-c_d~e+f/g=  ', 'a.b-c_d~e+f/g='],
    [`Bearer ${'x'.repeat(8_192)}`, 'x'.repeat(8_192)],
    [`Bearer ${'x'.repeat(8_193)}`, undefined],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    ['Bearer ä', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is read from %j', (header, bearer) => {
    expect(bearerOf(header)).toBe(bearer);
  });
});
