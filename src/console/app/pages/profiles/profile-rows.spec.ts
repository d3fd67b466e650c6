import type { Activation, Intent, Profile, Starts } from '../../api/serving';
import { matching, profileRows, type ServingLists } from './profile-rows';

const profile = (id: string): Profile =>
  ({ profile_id: id, logical_model: 'llama', exact_model: 'meta/llama' }) as Profile;
const activation = (id: string, phase: string, more: Partial<Activation> = {}): Activation =>
  ({ profile_id: id, phase, ready: phase === 'Ready', ...more }) as Activation;
const intent = (id: string, status: string, more: Partial<Intent> = {}): Intent =>
  ({ profile_id: id, status, desired_state: 'Active', desired_replicas: 1, ...more }) as Intent;

const rowsOf = (ids: readonly string[], lists: Partial<ServingLists>) =>
  profileRows(
    ids.map((id) => profile(id)),
    { activations: [], intents: [], starts: [], ...lists },
  );

describe('the rows of profiles', () => {
  it('have those that fail first, then those that start, then the others, each by id', () => {
    const rows = rowsOf(['a', 'b', 'c', 'd', 'e'], {
      activations: [
        activation('a', 'Suspended'),
        activation('b', 'Ready'),
        activation('c', 'Restoring'),
        activation('e', 'Failed', { message: 'out of memory' }),
      ],
    });
    expect(rows.map((row) => [row.profile.profile_id, row.state, row.trouble])).toEqual([
      ['e', 'failing', 'out of memory'],
      ['c', 'starting', undefined],
      ['b', 'ready', undefined],
      ['a', 'asleep', undefined],
      ['d', 'asleep', undefined],
    ]);
  });

  it('say what failed where the controller gave no reason', () => {
    const trouble = (lists: Partial<ServingLists>) => rowsOf(['a'], lists)[0]?.trouble;
    expect(trouble({ activations: [activation('a', 'Failed')] })).toContain('gave no reason');
    expect(trouble({ intents: [intent('a', 'Failed')] })).toBe('The wake failed.');
    expect(trouble({ intents: [intent('a', 'Expired')] })).toContain('expired');
    // What became ready later, or was to be suspended, is no trouble.
    expect(trouble({ activations: [activation('a', 'Ready')], intents: [intent('a', 'Failed')] })).toBeUndefined();
    expect(trouble({ intents: [intent('a', 'Expired', { desired_state: 'Suspended' })] })).toBeUndefined();
  });

  it('count the workers that are ready, and count none behind one address for several', () => {
    const staffing = (workers: Activation['workers'], replicas: number) =>
      rowsOf(['a'], {
        activations: [activation('a', 'Ready', workers ? { workers } : {})],
        intents: [intent('a', 'Fulfilled', { desired_replicas: replicas })],
      })[0]?.staffing;
    const worker = (ready: boolean) => ({ workload_uid: 'u', endpoint: 'http://w', ready });
    expect(staffing([worker(true), worker(false), worker(true)], 3)).toEqual({ wanted: 3, ready: 2 });
    expect(staffing(undefined, 1)).toEqual({ wanted: 1, ready: 1 });
    expect(staffing(undefined, 3)).toEqual({ wanted: 3, ready: undefined });
  });

  it('have the newest measured start', () => {
    const starts = [{ profile_id: 'a', starts: [{ start_time_ms: 900, restored: true }, { start_time_ms: 5_000 }] }];
    expect(rowsOf(['a'], { starts: starts as Starts[] })[0]?.lastStart?.start_time_ms).toBe(900);
    expect(rowsOf(['b'], { starts: starts as Starts[] })[0]?.lastStart).toBeNull();
    // Not read yet.
    expect(rowsOf(['a'], { starts: undefined })[0]?.lastStart).toBeUndefined();
  });

  it('are found by their state, and by a part of their id or model', () => {
    const rows = rowsOf(['chat-1', 'embed-1'], { activations: [activation('embed-1', 'Ready')] });
    const found = (search: object) => matching(rows, search).map((row) => row.profile.profile_id);
    expect(found({ name: 'CHAT' })).toEqual(['chat-1']);
    expect(found({ name: 'meta/' })).toHaveLength(2);
    expect(found({ state: 'ready' })).toEqual(['embed-1']);
    expect(found({ state: 'ready', name: 'chat' })).toEqual([]);
  });
});
