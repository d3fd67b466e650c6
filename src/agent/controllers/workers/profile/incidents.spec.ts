import { passTime } from '../../../../../test/support/monotonic-time';
import { Incidents, type Blame } from './incidents';
import { workerName, type WorkerRecord } from './worker-record';

const failure = { cause: 'scheduler_refused', message: 'Its cluster has ended it.' } as const;
const MINUTE = 60_000;

describe('The incidents of a profile', () => {
  const record: WorkerRecord = {
    ...{ uid: '01980000-0000-7000-8000-000000000000', profileId: 'p', index: 0, name: workerName('p', 0) },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', generation: 1, network: 'isolated', port: 8000 },
    from: { artifactId: 'a', reference: 'file:///store/one' },
  };
  let incidents: Incidents;

  beforeEach(() => {
    incidents = new Incidents(() => {}, 'p');
  });
  const fails = (...blames: Blame[]): void => {
    for (const blame of blames) incidents.restoreFailed(record, failure, blame);
  };

  it.each([
    [['tries'], false, 0],
    [['tries', 'tries'], false, 0],
    [['artifact'], true, 1],
    [['cuts'], true, 1],
    [['tries', 'artifact'], true, 2],
    [['artifact', 'tries'], true, 2],
    [['cuts', 'tries'], true, 2],
  ] as const)(
    'refuse an artifact after %j also once one that was restored from it serves: %s',
    (blames, isRefused, coldStarts) => {
      fails(...blames);
      expect([incidents.isRefused('a'), incidents.coldStarts]).toEqual([true, blames.length]);
      incidents.serves(record);
      expect([incidents.isRefused('a'), incidents.coldStarts]).toEqual([isRefused, coldStarts]);
    },
  );

  it.each([
    [['tries'], 1],
    [['artifact'], 60],
    [['artifact', 'tries'], 60],
    [['tries', 'artifact'], 60],
  ] as const)('refuse an artifact that has served after %j for so many minutes: %d', (blames, minutes) => {
    incidents.restored(record);
    fails(...blames);
    passTime((minutes - 0.5) * MINUTE);
    expect(incidents.isRefused('a')).toBe(true);
    passTime(MINUTE);
    expect(incidents.isRefused('a')).toBe(false);
  });

  it.each(['tries', 'cuts', 'artifact'] as const)('refuse for an hour what has not served after: %s', (blame) => {
    fails(blame);
    passTime(59.5 * MINUTE);
    expect(incidents.isRefused('a')).toBe(true);
    passTime(MINUTE);
    expect(incidents.isRefused('a')).toBe(false);
  });

  it('keep for the record of each cold start what is refused longest, and until when', () => {
    const leftMinutes = () => {
      const { instead, refusedUntil, message } = incidents.takeColdStart() ?? {};
      return [instead, Math.round((Date.parse(refusedUntil ?? '') - Date.now()) / MINUTE), message !== undefined];
    };
    fails('cuts');
    expect(leftMinutes()).toEqual(['a', 60, true]);
    passTime(30 * MINUTE);
    expect(leftMinutes()).toEqual(['a', 30, false]);
    const other: WorkerRecord = { ...record, from: { artifactId: 'b', reference: 'file:///store/two' } };
    incidents.restored(other);
    incidents.restoreFailed(other, failure, 'tries');
    expect([leftMinutes(), leftMinutes()]).toEqual([
      ['b', 1, true],
      ['a', 30, false],
    ]);
    passTime(31 * MINUTE);
    expect(incidents.takeColdStart()).toBeUndefined();
  });
});
