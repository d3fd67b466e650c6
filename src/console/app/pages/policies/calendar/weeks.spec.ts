import { dayText, hasOneZone, mondayName, shifted, weekOf, zoneOf, zonesOf } from './weeks';

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

  it('has another name from the midnight of its Sunday on', () => {
    const sunday = new Date(2026, 10, 29, 23, 59, 59, 999).getTime();
    expect([mondayName(sunday), mondayName(sunday + 1)]).toEqual(['2026-11-23', '2026-11-30']);
  });

  it('names both distances from UTC if its clocks change, and none that begins with the next week', () => {
    const week = weekOf('2026-03-23', now);
    const changesAt = (change: number | undefined) => (at: number) => (at < (change ?? 0) ? 'UTC+1' : 'UTC+2');
    const onSunday = changesAt((week.midnights[6] ?? 0) + 3_600_000);
    expect([zonesOf(week, onSunday), hasOneZone(week, onSunday)]).toEqual(['UTC+1 and UTC+2', false]);
    const afterwards = changesAt(week.midnights[7]);
    expect([zonesOf(week, afterwards), hasOneZone(week, afterwards)]).toEqual(['UTC+1', true]);
  });
});
