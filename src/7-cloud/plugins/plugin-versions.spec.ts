import { compareVersions, daemonOf, isRange, versionAt } from './plugin-versions';

const at = (time: number) => new Date(time);
const ordered = (...versions: string[]): string[] =>
  versions
    .map((version, time) => ({ version, at: at(time) }))
    .toSorted(compareVersions)
    .map(({ version }) => version);

describe('versions of plugins', () => {
  it('are ordered by semver, and invalid ones below them by their time', () => {
    expect(
      ordered('1.10.0', '1.9.0', 'nightly', '1.10.0-rc.1', 'edge', 'v2.0.0', '1.10.0+cu12', '1.10.0+cu11'),
    ).toEqual(['nightly', 'edge', '1.9.0', '1.10.0-rc.1', '1.10.0', '1.10.0+cu11', '1.10.0+cu12', 'v2.0.0']);
    expect(ordered('v1.0.0', '1.0.0')).toEqual(['v1.0.0', '1.0.0']);
  });

  it.each<[string, string[], boolean]>([
    ['1.4.0', [], true],
    ['1.4.0', ['^1.2'], true],
    ['1.4.0', ['^1.5'], false],
    ['1.4.0', ['^1.2', '<1.4'], false],
    ['v1.4.0', ['1.x'], true],
    ['1.4.0+cu12', ['=1.4.0'], true],
    ['2.0.0-rc.1', ['>=1.2'], true],
    ['2.0.0-rc.1', ['>=2.0.0'], false],
    ['1.4.0', ['*'], true],
    ['1.4.0', ['>=3 || 1.4.x'], true],
  ])('fit: for a daemon of version %s, %j is %s', (daemon, ranges, fits) => {
    expect(daemonOf(daemon)?.fits(ranges)).toBe(fits);
  });

  it.each(['dev', 'main', 'newest', '1.2', '1.2.3.4', '^1.2.0', ''])('ignore the invalid daemon version %j', (text) => {
    expect(daemonOf(text)).toBeUndefined();
  });

  it.each(['newest', '1.2.3.4', '>=a', '>'.repeat(256)])('refuse the invalid range %j', (text) => {
    expect(isRange(text)).toBe(false);
  });

  it('versions of plugins that are generated are ordered by their uploads, before every release', () => {
    const times = [
      '2026-01-02T03:04:05.006Z',
      '2026-01-02T03:04:05.007Z',
      '2026-01-02T03:04:05.040Z',
      '2026-11-02T00:00:00.000Z',
    ];
    const made = times.map((time) => versionAt(new Date(time)));
    expect(made[0]).toBe('0.0.0-20260102030405.6');
    expect(ordered('0.0.1', ...made.toReversed())).toEqual([...made, '0.0.1']);
  });
});
