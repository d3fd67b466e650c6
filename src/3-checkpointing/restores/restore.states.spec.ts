import { mergeMembers } from './restore-attempt';
import { byWeight, restoreStatus, standing, type RestoreEventKind } from './restore.states';
import type { StoredEvent } from './restores.queries';

const KINDS: readonly RestoreEventKind[] = ['restore_start', 'restore_success', 'restore_error'];
const BODIES: Record<RestoreEventKind, Record<string, unknown>> = {
  restore_start: { by: 'start', only_start: 1, path: '/a' },
  restore_success: { by: 'success', only_success: 2, path: '/b' },
  restore_error: { by: 'error', only_error: 3, path: null },
};

/** Every sequence of up to 5 events, with any number of repetitions. */
function sequences(length: number): RestoreEventKind[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((rest) => [rest, ...KINDS.map((kind) => [...rest, kind])]);
}

/** As stored: a repeated event is the same event. */
const stored = (kinds: readonly RestoreEventKind[]): StoredEvent[] =>
  [...new Set(kinds)].map((kind, position) => ({ kind, body: BODIES[kind], received_at: new Date(position) }));

describe('events in any order and number', () => {
  const all = sequences(5).filter((sequence) => sequence.length > 0);

  it.each([
    ['no end', undefined, 'started'],
    ['a success first', 'restore_success', 'succeeded'],
    ['an error first', 'restore_error', 'failed'],
  ] as const)(
    'gives one record for each set of kinds of events, with %s, in any order and number',
    (_name, first, status) => {
      const records = new Map<string, object>();
      const matching = all.filter((sequence) => sequence.find((kind) => kind !== 'restore_start') === first);
      expect(matching.length).toBeGreaterThan(0);
      for (const sequence of matching) {
        const events = stored(sequence);
        const kinds = KINDS.filter((kind) => sequence.includes(kind)).join();
        const record = { status: restoreStatus(events), members: mergeMembers(events) };
        expect(record.status).toBe(status);
        expect(record).toEqual(records.get(kinds) ?? record);
        records.set(kinds, record);
      }
      expect(records.size).toBe(first === undefined ? 1 : 4);
    },
  );

  it('give precedence to the first end over a contradicting one, and to both over the start', () => {
    const events = stored(['restore_error', 'restore_start', 'restore_success']);
    expect(standing(events)?.kind).toBe('restore_error');
    expect(byWeight(events).map(({ kind }) => kind)).toEqual(['restore_start', 'restore_success', 'restore_error']);
    // Null changes nothing: the path is that of the contradicting success.
    expect(mergeMembers(events)).toEqual({ by: 'error', only_start: 1, only_success: 2, only_error: 3, path: '/b' });
  });
});

describe('members', () => {
  const events = (...bodies: Record<string, unknown>[]): StoredEvent[] =>
    bodies.map((body, i) => ({ kind: KINDS[i] as RestoreEventKind, body, received_at: new Date(i) }));

  it('members that are empty do not hide known values', () => {
    expect(mergeMembers(events({ action_id: 'a', note: '' }, { action_id: '', note: '' }))).toEqual({
      action_id: 'a',
      note: '',
    });
  });

  it('members that are false or 0 count as values', () => {
    expect(mergeMembers(events({ flag: true, n: 5 }, { flag: false, n: 0 }))).toEqual({ flag: false, n: 0 });
  });

  it('may have any name', () => {
    const body = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "toString": ""}') as Record<string, unknown>;
    expect(Object.entries(mergeMembers(events(body)))).toEqual(Object.entries(body));
  });
});
