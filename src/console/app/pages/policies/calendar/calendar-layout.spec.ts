import type { Firings, Scheduled, SlurmWindow } from '../policies-queries';
import {
  backgroundsOf,
  cellAt,
  cellsOf,
  heightOf,
  NONE,
  outcomeOf,
  stripesOf,
  sumOf,
  type Background,
} from './calendar-layout';
import { someWeek, type Clock, type Week } from './weeks';

const HOUR = 3_600_000;

/** The wall clock of a zone, as browsers there have it. */
const clockOf = (zone: string): Clock => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  return (at) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return { day: `${part.year}-${part.month}-${part.day}`, hour: Number(part.hour), minute: Number(part.minute) };
  };
};
const UTC = clockOf('UTC');
const BERLIN = clockOf('Europe/Berlin');
const KOLKATA = clockOf('Asia/Kolkata');

const weekFrom = (...midnights: string[]): Week => ({
  name: midnights[0]?.slice(0, 10) ?? '',
  midnights: midnights.map((text) => Date.parse(text)),
});
const days = (first: string, count = 8): string[] =>
  Array.from({ length: count }, (_, day) => new Date(Date.parse(first) + day * 24 * HOUR).toISOString());
const WEEK = weekFrom(...days('2026-11-23T00:00:00Z'));

const firings = (from: string, more: Partial<Firings> = {}, hours = 1): Firings => ({
  ...NONE,
  beats: 1,
  from,
  until: new Date(Date.parse(from) + hours * HOUR).toISOString(),
  ...more,
});
const policy = (id: string, ...of: Firings[]): Scheduled => ({
  policy_id: id,
  name: id,
  status: 'active',
  trigger: 'heartbeat',
  interval_seconds: 3_600,
  cluster_id: id,
  cluster_name: 'c',
  cluster_status: 'active',
  next_at: null,
  firings: of,
});
const windowOf = (id: string, from: string, until: string, more: Partial<Firings> = {}): Scheduled => ({
  ...policy(id, { ...firings(from, more), until }),
  trigger: 'maintenance',
  interval_seconds: null,
});

describe('the cells of a calendar', () => {
  it('stand at their day and hour, add up the policies of the hour, and keep each one', () => {
    const cells = cellsOf(
      [
        policy(
          'a',
          firings('2026-11-24T09:00:00Z', { ready: 2, requested: 2, fired: 1 }),
          firings('2026-11-29T23:00:00Z'),
        ),
        policy('b', firings('2026-11-24T09:00:00Z', { failed: 1, requested: 1, fired: 1 })),
      ],
      WEEK,
      UTC,
    );
    expect(cells.map(({ day, hour }) => [day, hour])).toEqual([
      [1, 9],
      [6, 23],
    ]);
    expect(cells[0]).toMatchObject({
      from: Date.parse('2026-11-24T09:00:00Z'),
      until: Date.parse('2026-11-24T10:00:00Z'),
      counts: { beats: 2, requested: 3, ready: 2, failed: 1 },
    });
    expect(cells[0]?.parts.map(({ policy: { name }, counts }) => [name, counts.requested])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('stand by the wall clock of the user, also where its offset has half an hour', () => {
    // The service counts by the hours of the span, which begins at the user's midnight.
    const week = weekFrom(...days('2026-11-22T18:30:00Z'));
    const cells = cellsOf([policy('a', firings('2026-11-23T03:30:00Z'))], week, KOLKATA);
    expect(cells.map(({ day, hour }) => [day, hour])).toEqual([[0, 9]]);
  });

  it('leave out the hour that clocks skip, and put both hours that clocks repeat into one', () => {
    const spring = weekFrom(...days('2026-03-22T23:00:00Z', 7), '2026-03-29T22:00:00Z');
    const skipped = cellsOf(
      [policy('a', firings('2026-03-29T00:00:00Z'), firings('2026-03-29T01:00:00Z'))],
      spring,
      BERLIN,
    );
    expect(skipped.map(({ day, hour }) => [day, hour])).toEqual([
      [6, 1],
      [6, 3],
    ]);
    const autumn = weekFrom(...days('2026-10-18T22:00:00Z', 7), '2026-10-25T23:00:00Z');
    const repeated = cellsOf(
      [policy('a', firings('2026-10-25T00:00:00Z', { ready: 1 }), firings('2026-10-25T01:00:00Z', { ready: 2 }))],
      autumn,
      BERLIN,
    );
    expect(repeated).toHaveLength(1);
    expect(repeated[0]).toMatchObject({ day: 6, hour: 2, counts: { beats: 2, ready: 3 } });
    expect(repeated[0]?.parts).toHaveLength(1);
    expect((repeated[0]?.until ?? 0) - (repeated[0]?.from ?? 0)).toBe(2 * HOUR);
  });

  it('have a window where it begins, or at the beginning of the week', () => {
    const cells = cellsOf(
      [
        windowOf('a', '2026-11-25T20:40:00Z', '2026-11-26T02:00:00Z', { missed: 1 }),
        windowOf('b', '2026-11-20T00:00:00Z', '2026-11-24T00:00:00Z'),
      ],
      WEEK,
      UTC,
    );
    expect(cells.map(({ day, hour, counts }) => [day, hour, counts.missed])).toEqual([
      [0, 0, 0],
      [2, 20, 1],
    ]);
    expect(cells[1]?.from).toBe(Date.parse('2026-11-25T20:00:00Z'));
  });

  it('begin with the hour of the wall, also for windows where the offset has half an hour', () => {
    const week = weekFrom(...days('2026-11-22T18:30:00Z'));
    const cells = cellsOf(
      [
        windowOf('a', '2026-11-24T14:10:00Z', '2026-11-24T15:00:00Z'),
        windowOf('b', '2026-11-24T14:40:00Z', '2026-11-24T15:30:00Z'),
      ],
      week,
      KOLKATA,
    );
    expect(cells.map(({ day, hour, from, until }) => [day, hour, new Date(from).toISOString(), until - from])).toEqual([
      [1, 19, '2026-11-24T13:30:00.000Z', HOUR],
      [1, 20, '2026-11-24T14:30:00.000Z', HOUR],
    ]);
    expect(cellAt(cells, Date.parse('2026-11-24T14:29:59Z'), week, KOLKATA)).toBe(cells[0]);
    expect(cellAt(cells, Date.parse('2026-11-24T14:30:00Z'), week, KOLKATA)).toBe(cells[1]);
    expect(cellAt(cells, Date.parse('2026-12-01T14:30:00Z'), week, KOLKATA)).toBeUndefined();
  });

  it('show nothing of other weeks', () => {
    expect(
      cellsOf([policy('a', firings('2026-11-22T23:00:00Z'), firings('2026-11-30T00:00:00Z'))], WEEK, UTC).map(
        ({ from }) => from,
      ),
    ).toEqual([]);
  });

  it.each([
    ['failed', { failed: 1, missed: 3, ready: 5, requested: 6 }],
    ['missed', { missed: 1, late: 1, ready: 5, requested: 5 }],
    ['late', { late: 1, ready: 1, requested: 1 }],
    ['overdue', { overdue: 1 }],
    ['open', { requested: 3, ready: 2 }],
    ['ready', { requested: 2, ready: 2, empty: 4, planned: 1 }],
    ['empty', { empty: 1, planned: 2 }],
    ['planned', { planned: 1 }],
  ])('say the worst first: %s', (outcome, counts) => {
    expect(outcomeOf({ ...NONE, ...counts })).toBe(outcome);
  });

  it('add up to nothing if there are none', () => {
    expect(sumOf([])).toEqual(NONE);
  });
});

describe('the stripes behind a calendar', () => {
  const span = (id: string, from: string, until: string): Background => ({
    id,
    label: id,
    from: Date.parse(from),
    until: Date.parse(until),
  });

  it('are cut at midnight, and at the ends of the week', () => {
    const stripes = stripesOf(
      [
        span('a', '2026-11-22T12:00:00Z', '2026-11-23T06:00:00Z'),
        span('b', '2026-11-24T18:00:00Z', '2026-11-25T12:00:00Z'),
      ],
      WEEK,
      UTC,
    );
    expect(stripes.map(({ id, day, top, bottom }) => [id, day, top, bottom])).toEqual([
      ['a', 0, 0, 0.25],
      ['b', 1, 0.75, 1],
      ['b', 2, 0, 0.5],
    ]);
  });

  it('stand beside each other where they overlap, and below each other where they do not', () => {
    const stripes = stripesOf(
      [
        span('a', '2026-11-23T01:00:00Z', '2026-11-23T05:00:00Z'),
        span('b', '2026-11-23T02:00:00Z', '2026-11-23T03:00:00Z'),
        span('c', '2026-11-23T03:00:00Z', '2026-11-23T09:00:00Z'),
        span('d', '2026-11-23T05:00:00Z', '2026-11-23T06:00:00Z'),
      ],
      WEEK,
      UTC,
    );
    expect(stripes.map(({ id, lane }) => [id, lane])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 1],
      ['d', 0],
    ]);
  });

  it('follow the wall clock', () => {
    expect(heightOf({ hour: 12, minute: 30 })).toBeCloseTo(12.5 / 24);
    const week = weekFrom(...days('2026-11-22T23:00:00Z'));
    const [stripe] = stripesOf([span('a', '2026-11-23T11:00:00Z', '2026-11-23T17:00:00Z')], week, BERLIN);
    expect([stripe?.top, stripe?.bottom]).toEqual([0.5, 0.75]);
  });
});

describe('a week in the address', () => {
  it.each([
    ['2026-11-23', '2026-11-23'],
    ['2026-11-29', '2026-11-23'],
    ['2027-01-01', '2026-12-28'],
    ['2026-02-30', undefined],
    ['23.11.2026', undefined],
    ['0001-01-01', undefined],
    [7, undefined],
  ])('%s is that of %s', (text, monday) => {
    expect(someWeek(text)).toBe(monday);
  });
});

describe('the windows behind a calendar', () => {
  const NOW = Date.parse('2026-11-25T12:00:00Z');
  const reserved = (status: SlurmWindow['status'], from: string, until: string): SlurmWindow => ({
    id: `${status} ${from}`,
    name: null,
    cluster_id: null,
    reason: 'Cooling',
    status,
    start_time: from,
    end_time: until,
    created_at: from,
    nodes: ['gpu-1', 'gpu-2'],
    partitions: null,
  });
  const drawn = (...windows: SlurmWindow[]) =>
    backgroundsOf({ policies: [] }, windows, NOW).map(({ label, from, until }) => [
      label,
      new Date(from).toISOString().slice(8, 16),
      new Date(until).toISOString().slice(8, 16),
    ]);

  it('are those that were not cancelled, with their nodes, and those of policies', () => {
    const policies = [windowOf('firmware', '2026-11-23T08:00:00Z', '2026-11-23T09:00:00Z')];
    const [from, until] = ['2026-11-26T08:00:00Z', '2026-11-26T10:00:00Z'];
    const windows = [reserved('scheduled', from, until), reserved('cancelled', from, until)];
    expect(backgroundsOf({ policies }, windows, NOW).map(({ label }) => label)).toEqual([
      'Policy firmware',
      'Cooling, 2 nodes',
    ]);
  });

  it('are left out if they were ended, until the end that was planned', () => {
    expect(
      drawn(
        reserved('ended', '2026-11-25T08:00:00Z', '2026-11-25T18:00:00Z'),
        reserved('active', '2026-11-25T09:00:00Z', '2026-11-25T18:00:00Z'),
        reserved('ended', '2026-11-24T08:00:00Z', '2026-11-24T10:00:00Z'),
        reserved('ended', '2026-11-25T08:00:00Z', '2026-11-25T12:00:00Z'),
        reserved('ended', '2026-11-26T12:00:00Z', '2026-11-26T18:00:00Z'),
      ),
    ).toEqual([
      ['Cooling, 2 nodes, ended', '24T08:00', '24T10:00'],
      ['Cooling, 2 nodes, ended', '25T08:00', '25T12:00'],
      ['Cooling, 2 nodes', '25T09:00', '25T18:00'],
    ]);
  });
});
