import { becauseOf, outlookText, reasonsOf, type RouteState, type Rung } from './ladder';

const rung = (profile_id: string, state: Rung['state'], more: Partial<Rung> = {}): Rung => ({
  profile_id,
  tier: 'large',
  priority: 1,
  endpoints: ['chat'],
  state,
  ready_in_ms: null,
  in_flight: 0,
  capacity: 0,
  waiting: 0,
  max_queue_depth: 100,
  target_concurrency: 8,
  service_ms: 900,
  ready_workers: 0,
  workers: [],
  ...more,
});
const outlook = (more: Partial<RouteState['outlook']>): RouteState['outlook'] => ({
  decision: 'serve',
  profile_id: 'a',
  source: 'priority',
  reason: null,
  wakes: null,
  retry_after_ms: null,
  ...more,
});

describe('the state of a target', () => {
  it('is explained by its places while it is ready', () => {
    expect(becauseOf(rung('a', 'ready', { in_flight: 3, capacity: 8 }))).toBe('3 of 8 places taken');
    expect(becauseOf(rung('a', 'full', { in_flight: 8, capacity: 8 }))).toBe('all of its 8 places are taken');
    expect(becauseOf(rung('a', 'full', { in_flight: 1, capacity: 1 }))).toBe('its only place is taken');
  });

  it('says when it changes, where that is known', () => {
    expect(becauseOf(rung('a', 'starting', { ready_in_ms: 4_200 }))).toBe('it comes up, usually ready in 4.20 s');
    expect(becauseOf(rung('a', 'starting'))).toBe('it comes up');
    expect(becauseOf(rung('a', 'asleep', { ready_in_ms: 900 }))).toContain('once woken, usually ready in 900 ms');
    expect(becauseOf(rung('a', 'asleep'))).toBe('no worker of it runs');
    expect(becauseOf(rung('a', 'cooling', { ready_in_ms: 12_000 }))).toContain('not requested for 12.0 s');
  });
});

describe('what would happen to a request', () => {
  it('names the target that serves it, and the one that it wakes', () => {
    expect(outlookText(outlook({}))).toBe('A chat now is served by a.');
    expect(outlookText(outlook({ profile_id: 'b', wakes: 'a' }))).toBe('A chat now is served by b, and wakes a.');
    expect(outlookText(outlook({ decision: 'wait', wakes: 'a' }))).toBe('A chat now waits for a, and wakes it.');
  });

  it('says why it is refused, and when to try again', () => {
    const refused = { decision: 'refuse' as const, profile_id: null, reason: 'no_target', retry_after_ms: 30_000 };
    expect(outlookText(outlook(refused))).toBe(
      'A chat now is refused: no target may be requested now. It may succeed in 30.0 s.',
    );
  });
});

describe('the reasons of a choice', () => {
  const ladder = [
    rung('a', 'asleep'),
    rung('b', 'ready', { capacity: 8 }),
    rung('c', 'ready', { capacity: 8, ready_workers: 1 }),
  ];
  const decision = { served: 'c', source: 'fallback', attempts: 1, startKind: 'warm' };

  it('say why each earlier target did not serve', () => {
    expect(reasonsOf(ladder, decision)).toEqual([
      'c served: no earlier target had room.',
      'a did not: no worker of it runs.',
      'b did not: its 8 places were taken in the meantime.',
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
