import { isDateTime, Json, opaqueMembers } from './fields';

describe('isDateTime', () => {
  it.each([
    '2026-01-01T00:00:00Z',
    '2026-01-01t00:00:00z',
    '2026-12-31T23:59:59.999999999+05:30',
    '2024-02-29T00:00:00Z',
    '2000-02-29T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59+15:59',
    '0001-01-01T00:00:00-15:59',
    '2026-06-15T12:00:00-00:00',
  ])('takes %s, and so does JavaScript', (text) => {
    expect(isDateTime(text)).toBe(true);
    expect(new Date(text).getTime()).not.toBeNaN();
  });

  it.each<unknown>([
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '0000-01-01T00:00:00Z',
    // In UTC of the years 10000 and 0.
    '9999-12-31T23:59:59-15:59',
    '9999-12-31t14:00:00-10:00',
    '0001-01-01T00:00:00+00:01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00+16:00',
    '2026-01-01T00:00:00+0100',
    '+12026-01-01T00:00:00Z',
    '-2026-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '２０２６-01-01T00:00:00Z',
    'now',
    'infinity',
    '',
    1_767_225_600_000,
    null,
    undefined,
    ['2026-01-01T00:00:00Z'],
  ])('refuses %j', (value) => {
    expect(isDateTime(value)).toBe(false);
  });
});

describe('opaqueMembers', () => {
  class Base {
    @Json()
    anything!: unknown;
  }
  class Derived extends Base {
    @Json()
    more!: unknown;
  }
  class None {}

  it('are those of the class and of the classes it extends', () => {
    expect([...opaqueMembers(Derived)].sort()).toEqual(['anything', 'more']);
    expect([...opaqueMembers(Base)]).toEqual(['anything']);
    expect([...opaqueMembers(None)]).toEqual([]);
  });
});
