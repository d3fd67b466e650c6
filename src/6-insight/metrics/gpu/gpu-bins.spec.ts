import { binsOfQuery } from './gpu-bins';

const NOW = new Date('2026-03-04T10:07:31.250Z');

const spanOf = (query: Parameters<typeof binsOfQuery>[0]) => {
  const { from, until, binMs } = binsOfQuery(query, NOW);
  return [from.toISOString(), until.toISOString(), binMs];
};

describe('the bins of a heat map', () => {
  it('end with the bin of now, whose end is a multiple of its length, so that they stay while time passes', () => {
    expect(spanOf({ hours: 24, bins: 96 })).toEqual(['2026-03-03T10:15:00.000Z', '2026-03-04T10:15:00.000Z', 900_000]);
    const later = binsOfQuery({ hours: 24, bins: 96 }, new Date('2026-03-04T10:14:59.999Z'));
    expect(later.until.toISOString()).toBe('2026-03-04T10:15:00.000Z');
  });

  it('are 96 of 6 hours by default', () => {
    expect(spanOf({})).toEqual(['2026-03-04T04:11:15.000Z', '2026-03-04T10:11:15.000Z', 225_000]);
  });

  it('begin at the given time, and cover the window even if its length cannot be divided', () => {
    const window = { from: '2026-03-04T08:00:00Z', until: '2026-03-04T08:00:10Z' };
    expect(spanOf({ ...window, bins: 3 })).toEqual(['2026-03-04T08:00:00.000Z', '2026-03-04T08:00:10.002Z', 3_334]);
  });

  it('reach back from a given end by the hours', () => {
    expect(spanOf({ hours: 2, until: '2026-03-04T08:00:00Z', bins: 2 })).toEqual([
      '2026-03-04T06:00:00.000Z',
      '2026-03-04T08:00:00.000Z',
      3_600_000,
    ]);
  });

  it('are never read beyond now', () => {
    expect(binsOfQuery({ hours: 1, until: '2026-03-04T11:00:00Z' }, NOW).to).toEqual(NOW);
    expect(binsOfQuery({ hours: 1, until: '2026-03-04T09:00:00Z' }, NOW).to.toISOString()).toBe(
      '2026-03-04T08:59:59.999Z',
    );
  });

  it('have all samples of a short window, and of a longer one as many as a series may have', () => {
    const read = (hours: number, bins: number, node_name?: string) =>
      binsOfQuery({ hours, bins, node_name }, NOW).samplesPerBin;
    expect([read(1, 96), read(2, 192), read(3, 96), read(24, 48), read(168, 192)]).toEqual([null, null, 2, 4, 1]);
    expect([read(6, 96, 'node-1'), read(7, 96, 'node-1')]).toEqual([null, 2]);
  });

  const REFUSED: [query: Parameters<typeof binsOfQuery>[0], field: string][] = [
    [{ hours: 2, from: '2026-03-04T08:00:00Z' }, 'hours'],
    [{ from: '2026-03-04T10:07:30.500Z' }, 'from'],
    [{ from: '2026-03-04T08:00:00Z', until: '2026-03-04T07:00:00Z' }, 'from'],
    [{ from: '2026-02-24T08:00:00Z' }, 'from'],
    [{ from: '2026-03-04T08:00:00Z', until: '2026-03-04T08:01:00Z', bins: 61 }, 'bins'],
  ];
  it.each(REFUSED)('are refused for %j', (query, field) => {
    expect(() => binsOfQuery(query, NOW)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
    );
  });
});
