import type { Activation, Intent, Profile } from '../../api/serving';
import { ladderOf, reasonsOf, type RungFacts } from './ladder';

const target = (profile_id: string, priority: number, more: object = {}) => ({
  profile_id,
  priority,
  tier: 'large',
  ...more,
});
const profile = (id: string, more: Partial<Profile> = {}): Profile =>
  ({ profile_id: id, target_concurrency: 8, ...more }) as Profile;
const activation = (id: string, phase: string, more: Partial<Activation> = {}): Activation =>
  ({ profile_id: id, phase, ready: phase === 'Ready', ...more }) as Activation;
const intent = (id: string, status: string, more: Partial<Intent> = {}): Intent =>
  ({ profile_id: id, status, desired_state: 'Active', desired_replicas: 1, ...more }) as Intent;

const rung = (facts: Partial<RungFacts>, more: object = {}) =>
  ladderOf(
    { targets: [target('a', 1, more)] },
    { profiles: [profile('a')], activations: [], intents: [], ...facts },
  )[0];

describe('the ladder of a route', () => {
  it('has the targets in the order in which they are tried, and their places', () => {
    const facts = {
      profiles: [profile('a'), profile('b')],
      activations: [activation('b', 'Ready')],
      intents: [intent('b', 'Fulfilled')],
    };
    const rungs = ladderOf({ targets: [target('b', 2), target('a', 1)] }, facts);
    expect(rungs.map(({ profileId, state, places }) => [profileId, state, places])).toEqual([
      ['a', 'asleep', 0],
      ['b', 'ready', 8],
    ]);
  });

  it('shows a target that may not be chosen as disabled, whatever its worker does', () => {
    const activations = [activation('a', 'Ready')];
    expect(rung({ activations }, { enabled: false })?.because).toContain('in the route');
    expect(rung({ profiles: [profile('a', { enabled: false })], activations })?.state).toBe('disabled');
  });

  it('shows a worker that is to be released as leaving, although it is still ready', () => {
    const facts = {
      activations: [activation('a', 'Ready')],
      intents: [intent('a', 'Pending', { desired_state: 'Suspended' as const, desired_replicas: 0 })],
    };
    expect(rung(facts)).toMatchObject({ state: 'leaving', places: 0 });
  });

  it('shows a failed start as cooling with the reason, until it is requested again', () => {
    const activations = [activation('a', 'Failed', { message: 'out of memory' })];
    expect(rung({ activations, intents: [intent('a', 'Failed')] })).toMatchObject({
      state: 'cooling',
      because: 'its last start failed: out of memory',
    });
    expect(rung({ activations, intents: [intent('a', 'Pending')] })?.state).toBe('starting');
  });

  it('shows a phase between asleep and ready as starting', () => {
    expect(rung({ activations: [activation('a', 'Restoring')] })?.state).toBe('starting');
    expect(rung({ activations: [activation('a', 'Suspended')] })?.state).toBe('asleep');
  });
});

describe('the reasons of a choice', () => {
  const ladder = ladderOf(
    { targets: [target('a', 1), target('b', 2), target('c', 3)] },
    {
      profiles: [profile('a'), profile('b'), profile('c')],
      activations: [activation('b', 'Ready'), activation('c', 'Ready')],
      intents: [intent('b', 'Fulfilled'), intent('c', 'Fulfilled')],
    },
  );
  const decision = { served: 'c', source: 'fallback', attempts: 1, startKind: 'warm' };

  it('say why each earlier target did not serve', () => {
    expect(reasonsOf(ladder, decision)).toEqual([
      'c served: no earlier target had room.',
      'a did not: it has never reported.',
      'b did not: all of its 8 places were taken.',
    ]);
  });

  it('name attempts that failed, a start that was waited for, and a tier that was picked', () => {
    expect(reasonsOf(ladder, { ...decision, attempts: 2 })[2]).toContain('tried without success (2 attempts)');
    expect(reasonsOf(ladder, { ...decision, served: 'a', source: 'priority', startKind: 'restored' })).toEqual([
      'a served: it is the first target that had room. The request waited for its start (restored).',
    ]);
    expect(reasonsOf(ladder, { ...decision, source: 'classifier' })[2]).toBe('b did not: it has another tier.');
  });
});
