import { farthestAt, spanAt, spanWith } from './span';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-25T12:00:00Z');

describe('the span of a list of operations', () => {
  const begun = (...times: number[]) => times.map((started_at_ms) => ({ started_at_ms }));

  it('ends when the list is opened', () => {
    expect(spanAt(NOW)).toEqual({ opened: NOW, until: NOW });
  });

  it('includes the newest row also where its clock is ahead, and measures windows up to the present', () => {
    const span = spanWith(begun(NOW + 5 * HOUR, NOW), NOW + HOUR, spanAt(NOW));
    expect(span).toEqual({ opened: NOW + HOUR, until: NOW + 5 * HOUR + 1 });
  });

  it('ends at the present where all rows began before', () => {
    expect(spanWith(begun(NOW + 1), NOW + HOUR, spanAt(NOW))).toEqual(spanAt(NOW + HOUR));
    expect(spanWith([], NOW + HOUR, spanAt(NOW))).toEqual(spanAt(NOW + HOUR));
  });

  it('does not go back when the list is opened again, with other filters or newer rows', () => {
    const ahead = spanWith(begun(NOW + 5 * HOUR), NOW, spanAt(NOW));
    expect(spanAt(NOW + HOUR, ahead.until)).toEqual({ opened: NOW + HOUR, until: ahead.until });
    expect(spanWith(begun(NOW + 2 * HOUR), NOW + HOUR, ahead).until).toBe(ahead.until);
    expect(spanAt(NOW + 6 * HOUR, ahead.until)).toEqual(spanAt(NOW + 6 * HOUR));
  });

  it('ends a day from the present at the latest, which every service can read', () => {
    const { opened, until } = spanWith(begun(Date.parse('9999-12-31T23:59:59.999Z')), NOW, spanAt(NOW));
    expect([opened, until]).toEqual([NOW, farthestAt(NOW)]);
    expect(new Date(until).toISOString()).toBe('2026-11-26T12:00:00.000Z');
  });
});
