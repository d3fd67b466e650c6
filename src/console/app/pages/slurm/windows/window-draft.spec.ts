import type { MaintenanceWindow } from '../slurm-queries';
import { changesOf, createBody, draftOf, localTime, missingIn, NEW_WINDOW } from './window-draft';

const FILLED = { ...NEW_WINDOW, start: '2027-01-10T20:00', end: '2027-01-10T23:30', reason: ' Firmware ' };

const STORED: MaintenanceWindow = {
  id: 'w',
  name: null,
  cluster_id: null,
  reason: 'Firmware',
  status: 'scheduled',
  start_time: new Date(2027, 0, 10, 20, 0, 12).toISOString(),
  end_time: new Date(2027, 0, 10, 23, 0).toISOString(),
  created_at: '2027-01-01T00:00:00.000Z',
  nodes: ['n1'],
  partitions: null,
};

describe('a maintenance window that is filled in', () => {
  it('lacks what its creation needs, one after the other', () => {
    expect(missingIn(NEW_WINDOW)).toMatch('begins and ends');
    expect(missingIn({ ...FILLED, end: FILLED.start })).toMatch('end after it begins');
    expect(missingIn({ ...FILLED, reason: ' ' })).toMatch('reason');
    expect(missingIn(FILLED)).toBeUndefined();
  });

  it('is sent with its times in UTC, whatever the time zone of the browser', () => {
    expect(createBody({ ...FILLED, nodes: ['n1'] })).toEqual({
      start_time: new Date(2027, 0, 10, 20, 0).toISOString(),
      end_time: new Date(2027, 0, 10, 23, 30).toISOString(),
      reason: 'Firmware',
      nodes: ['n1'],
      partitions: [],
    });
  });

  it('shows the stored times in local time, to the minute', () => {
    expect(localTime(STORED.start_time)).toBe('2027-01-10T20:00');
    expect(localTime(null)).toBe('');
  });

  it('sends only what was changed, so that hidden seconds stay', () => {
    const draft = draftOf(STORED);
    expect(changesOf(STORED, draft)).toEqual({});
    expect(changesOf(STORED, { ...draft, nodes: [], reason: 'Cables' })).toEqual({ nodes: [], reason: 'Cables' });
    expect(changesOf(STORED, { ...draft, end: '2027-01-10T23:45' })).toEqual({
      end_time: new Date(2027, 0, 10, 23, 45).toISOString(),
    });
  });

  it('is cancelled, and takes place again, by its status', () => {
    expect(changesOf(STORED, { ...draftOf(STORED), isCancelled: true })).toEqual({ status: 'cancelled' });
    const cancelled = { ...STORED, status: 'cancelled' as const };
    expect(changesOf(cancelled, { ...draftOf(cancelled), isCancelled: false })).toEqual({ status: 'scheduled' });
  });
});
