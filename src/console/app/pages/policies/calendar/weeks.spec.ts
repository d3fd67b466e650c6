import { dayText, shifted, weekOf, zoneOf } from './weeks';

describe('a week of the calendar', () => {
  const now = new Date(2026, 10, 25, 13, 30).getTime();

  it('is the present one without a name, and has eight midnights', () => {
    const week = weekOf(undefined, now);
    expect(week.name).toBe('2026-11-23');
    expect(week.midnights.map((at) => dayText(new Date(at)))).toEqual([
      ...[
        '2026-11-23',
        '2026-11-24',
        '2026-11-25',
        '2026-11-26',
        '2026-11-27',
        '2026-11-28',
        '2026-11-29',
        '2026-11-30',
      ],
    ]);
    expect(week.midnights.every((at) => new Date(at).getHours() === 0)).toBe(true);
  });

  it('has one before and one after, over the turn of the year', () => {
    const week = weekOf('2026-12-28', now);
    expect([shifted(week, -1), shifted(week, 1)]).toEqual(['2026-12-21', '2027-01-04']);
  });

  it('says its distance from UTC', () => {
    expect(zoneOf(now)).toMatch(/^UTC([+−]\d{1,2}(:\d{2})?)?$/);
  });
});
