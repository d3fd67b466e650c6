import * as fc from 'fast-check';
import { choose, DECISION_SOURCES, type Candidate, type Choice, type RoutedRequest } from './route-choice';
import { inForm } from '../../../../test/support/form';

/** A target of four places whose worker is ready and idle. */
const ready = (profileId: string, overrides: Partial<Candidate> = {}): Candidate => ({
  profileId,
  tier: 'large',
  ready: true,
  capacity: 4,
  inFlight: 0,
  queued: 0,
  maxQueueDepth: 10,
  serviceMs: 100,
  start: 'asleep',
  readyInMs: null,
  overdue: false,
  ...overrides,
});
const full = (profileId: string, overrides: Partial<Candidate> = {}) => ready(profileId, { inFlight: 4, ...overrides });
const cold = (profileId: string, overrides: Partial<Candidate> = {}) =>
  ready(profileId, { ready: false, capacity: 0, readyInMs: 5_000, ...overrides });
const asleep = (profileId: string, overrides: Partial<Candidate> = {}) => cold(profileId, overrides);
const coming = (profileId: string, overrides: Partial<Candidate> = {}) =>
  cold(profileId, { start: 'coming', ...overrides });
/** Its start hangs. */
const overdue = (profileId: string, overrides: Partial<Candidate> = {}) =>
  coming(profileId, { readyInMs: 0, overdue: true, ...overrides });
const barred = (profileId: string, overrides: Partial<Candidate> = {}) =>
  cold(profileId, { start: 'barred', readyInMs: null, ...overrides });
/**
 * Its worker still answers, but it is drained or requested to be released: it is not ready for new requests.
 */
const leaving = (profileId: string, overrides: Partial<Candidate> = {}) =>
  cold(profileId, { start: 'leaving', ...overrides });
const small = { tier: 'small' };

type Case = [name: string, targets: Candidate[], request: Partial<RoutedRequest>, choice: string];

/**
 * The choice in one line: `serve a`, `serve b as fallback*, wake a` (`*`: another than the first), `wait for
 * a until 5000, wake a`.
 */
function lineOf(choice: Choice): string {
  const wakes = choice.wake === null ? '' : `, wake ${choice.wake}`;
  if (choice.kind === 'serve') {
    const source = choice.source === 'priority' ? '' : ` as ${choice.source}`;
    return `serve ${choice.profileId}${source}${choice.fallbackUsed ? '*' : ''}${wakes}`;
  }
  if (choice.kind === 'wait') return `wait for ${choice.profileId} until ${choice.retryAfterMs}${wakes}`;
  return `refuse for ${choice.reason} until ${choice.retryAfterMs}${wakes}`;
}

describe('a request', () => {
  const CASES: Case[] = [
    // Ready
    ['goes to the first target', [ready('a'), ready('b')], {}, 'serve a'],
    ['takes the last place of a target', [ready('a', { inFlight: 3 }), ready('b')], {}, 'serve a'],
    ['that may not wait is served too', [ready('a')], { timeLeftMs: 0 }, 'serve a'],
    ['goes to the only target', [ready('a')], {}, 'serve a'],

    // At its concurrency
    ['goes to the next target if the first is full', [full('a'), ready('b')], {}, 'serve b as fallback*'],
    [
      'goes to the next target if the first has more than it can take',
      [ready('a', { inFlight: 9 }), ready('b')],
      {},
      'serve b as fallback*',
    ],
    ['goes to the third target if two are full', [full('a'), full('b'), ready('c')], {}, 'serve c as fallback*'],
    ['waits for the first target if all are full', [full('a'), full('b')], {}, 'wait for a until 25'],
    ['waits longer if others wait already', [full('a', { queued: 7 })], {}, 'wait for a until 200'],
    [
      'waits for a place, however long requests usually take: one may end sooner',
      [full('a', { queued: 7 })],
      { timeLeftMs: 1 },
      'wait for a until 200',
    ],
    [
      'waits for a place that becomes free just in time',
      [full('a', { queued: 7 })],
      { timeLeftMs: 200 },
      'wait for a until 200',
    ],
    [
      'waits for the first target, even if the second is usually faster',
      [full('a', { serviceMs: 160_000 }), full('b')],
      {},
      'wait for a until 40000',
    ],

    // Cold
    ['wakes the first target, and waits for it', [asleep('a')], {}, 'wait for a until 5000, wake a'],
    ['waits for a current start, and wakes nothing', [coming('a')], {}, 'wait for a until 5000'],
    [
      'waits for a target with an unknown start time',
      [asleep('a', { readyInMs: null })],
      {},
      'wait for a until 30000, wake a',
    ],
    [
      'waits for the first target, even if the second is coming',
      [asleep('a'), coming('b', { readyInMs: 10 })],
      {},
      'wait for a until 5000, wake a',
    ],
    [
      'is served by a later target while the first is woken',
      [asleep('a'), ready('b')],
      {},
      'serve b as fallback*, wake a',
    ],
    ['is served by a later target while the first is coming', [coming('a'), ready('b')], {}, 'serve b as fallback*'],
    [
      'wakes only the first of two sleeping targets',
      [asleep('a'), asleep('b'), ready('c')],
      {},
      'serve c as fallback*, wake a',
    ],
    [
      'wakes nothing behind a target that is coming',
      [coming('a'), asleep('b'), ready('c')],
      {},
      'serve c as fallback*',
    ],
    ['wakes nothing behind the serving target', [ready('a'), asleep('b')], {}, 'serve a'],
    ['wakes a target behind a barred one', [barred('a'), asleep('b'), ready('c')], {}, 'serve c as fallback*, wake b'],
    ['wakes a target behind a full one', [full('a'), asleep('b'), ready('c')], {}, 'serve c as fallback*, wake b'],
    [
      'is served by a later target if the first cannot be ready in time',
      [asleep('a', { readyInMs: 90_000 }), ready('b')],
      {},
      'serve b as fallback*, wake a',
    ],

    // Overdue: it may never come
    ['waits for an overdue target if there is no other', [overdue('a')], {}, 'wait for a until 1000'],
    [
      'wakes the next target, and waits for it, while the first is overdue',
      [overdue('a'), asleep('b')],
      {},
      'wait for b until 5000, wake b',
    ],
    ['waits for a start behind an overdue one', [overdue('a'), coming('b')], {}, 'wait for b until 5000'],
    ['waits for a place behind an overdue target', [overdue('a'), full('b')], {}, 'wait for b until 25'],
    [
      'is served behind an overdue target, and wakes nothing else',
      [overdue('a'), ready('b'), asleep('c')],
      {},
      'serve b as fallback*',
    ],
    [
      'wakes a target behind an overdue one while a later one serves',
      [overdue('a'), asleep('b'), ready('c')],
      {},
      'serve c as fallback*, wake b',
    ],
    [
      'wakes one target behind an overdue one',
      [overdue('a'), coming('b'), asleep('c'), ready('d')],
      {},
      'serve d as fallback*',
    ],
    [
      'waits for an overdue target if the next cannot be ready in time, and wakes that',
      [overdue('a'), asleep('b', { readyInMs: 90_000 })],
      {},
      'wait for a until 1000, wake b',
    ],
    [
      'waits for an overdue target if the queue of the next is full',
      [overdue('a'), coming('b', { queued: 10 })],
      {},
      'wait for a until 1000',
    ],
    [
      'that is refused wakes the target behind an overdue one',
      [overdue('a'), asleep('b')],
      { timeLeftMs: 0 },
      'refuse for deadline until 1000, wake b',
    ],
    [
      'does not hurry back for a start that may end at any moment',
      [coming('a', { readyInMs: 3 })],
      {},
      'wait for a until 1000',
    ],

    // Suspended: it is asleep, as any other that nobody holds active.
    ['wakes a suspended target', [asleep('a', { readyInMs: 800 })], {}, 'wait for a until 800, wake a'],

    // Drained, being released, or failed just now
    ['passes over a drained target', [leaving('a'), ready('b')], {}, 'serve b as fallback*'],
    ['waits for a target being released, to request it afterwards', [leaving('a')], {}, 'wait for a until 5000'],
    [
      'prefers waiting for another target that is ready sooner',
      [leaving('a'), asleep('b')],
      {},
      'wait for b until 5000, wake b',
    ],
    ['prefers waiting for a place at another target', [leaving('a'), full('b')], {}, 'wait for b until 25'],
    [
      'waits for a target being released if the queue of the other is full',
      [leaving('a'), full('b', { queued: 10 })],
      {},
      'wait for a until 5000',
    ],
    [
      'does not wait for a released target that is ready again too late',
      [leaving('a')],
      { timeLeftMs: 4_999 },
      'refuse for deadline until 5000',
    ],
    ['does not wait for a barred target', [barred('a'), asleep('b')], {}, 'wait for b until 5000, wake b'],
    ['is refused if all targets are barred', [barred('a'), barred('b')], {}, 'refuse for no_target until 30000'],
    [
      'is refused until the first target is no longer barred',
      [barred('a', { readyInMs: 700 }), barred('b', { readyInMs: 300 })],
      {},
      'refuse for no_target until 300',
    ],
    ['is refused without targets', [], {}, 'refuse for no_target until 30000'],

    // The queue
    ['is refused if the queue is full', [coming('a', { queued: 10 })], {}, 'refuse for queue_full until 5000'],
    ['takes the last place in the queue', [coming('a', { queued: 9 })], {}, 'wait for a until 5000'],
    [
      'waits for the next target if the queue of the first is full',
      [coming('a', { queued: 10 }), asleep('b')],
      {},
      'wait for b until 5000, wake b',
    ],
    ['is refused with a queue of length 0', [full('a', { maxQueueDepth: 0 })], {}, 'refuse for queue_full until 25'],
    [
      'is refused for the full queue, even if the next target would be too late',
      [full('a', { queued: 10 }), asleep('b', { readyInMs: 90_000 })],
      {},
      'refuse for queue_full until 275',
    ],

    // The deadline
    ['waits for a target that is ready just in time', [coming('a')], { timeLeftMs: 5_000 }, 'wait for a until 5000'],
    [
      'is refused at once if no target can be ready in time',
      [coming('a')],
      { timeLeftMs: 4_999 },
      'refuse for deadline until 5000',
    ],
    [
      'that is refused wakes the first target for later requests',
      [asleep('a')],
      { timeLeftMs: 4_999 },
      'refuse for deadline until 5000, wake a',
    ],
    [
      'that is refused gets the earliest time',
      [asleep('a', { readyInMs: 90_000 }), coming('b')],
      { timeLeftMs: 100 },
      'refuse for deadline until 5000, wake a',
    ],
    [
      'goes to the second target if only that is ready in time',
      [coming('a', { readyInMs: 90_000 }), coming('b')],
      {},
      'wait for b until 5000',
    ],
    [
      'that may not wait is refused at once',
      [coming('a', { readyInMs: 0 })],
      { timeLeftMs: 0 },
      'refuse for deadline until 1000',
    ],
    [
      'that may not wait is refused for an unknown start time',
      [asleep('a', { readyInMs: null })],
      { timeLeftMs: 0 },
      'refuse for deadline until 30000, wake a',
    ],
    [
      'that may not wait does not wait for a place, and wakes nothing',
      [full('a'), asleep('b')],
      { timeLeftMs: 0 },
      'refuse for deadline until 25',
    ],

    // Whom it would rather have
    ['gets the target that it prefers', [ready('a'), ready('b')], { preferredProfileId: 'b' }, 'serve b as preferred'],
    [
      'that prefers the first target gets it',
      [ready('a'), ready('b')],
      { preferredProfileId: 'a' },
      'serve a as preferred',
    ],
    [
      'that prefers a full target is served in the order',
      [ready('a'), full('b')],
      { preferredProfileId: 'b' },
      'serve a',
    ],
    [
      'that prefers a cold target is served in the order',
      [ready('a'), asleep('b')],
      { preferredProfileId: 'b' },
      'serve a',
    ],
    [
      'that prefers a drained target is served in the order',
      [ready('a'), leaving('b')],
      { preferredProfileId: 'b' },
      'serve a',
    ],
    [
      'that prefers a target outside the route is served in the order',
      [ready('a')],
      { preferredProfileId: 'z' },
      'serve a',
    ],
    ['that prefers no target is served in the order', [ready('a')], { preferredProfileId: null }, 'serve a'],
    [
      'that prefers a target wakes none before it',
      [asleep('a'), ready('b')],
      { preferredProfileId: 'b' },
      'serve b as preferred',
    ],
    [
      'that prefers a failed target is served in the order',
      [ready('a'), ready('b')],
      { preferredProfileId: 'b', tried: new Set(['b']) },
      'serve a',
    ],
    [
      'prefers a target over the picked tier',
      [ready('a'), ready('b', small)],
      { preferredProfileId: 'a', tier: 'small' },
      'serve a as preferred',
    ],

    // What a classifier picks
    ['goes to the picked tier', [ready('a'), ready('b', small)], { tier: 'small' }, 'serve b as classifier'],
    [
      'goes to the first target of the picked tier',
      [ready('a'), ready('b', small), ready('c', small)],
      { tier: 'small' },
      'serve b as classifier',
    ],
    [
      'goes to the first target if that is of the picked tier',
      [ready('a'), ready('b', small)],
      { tier: 'large' },
      'serve a as classifier',
    ],
    [
      'goes to the next target of the picked tier before any other',
      [ready('a'), full('b', small), ready('c', small)],
      { tier: 'small' },
      'serve c as fallback*',
    ],
    [
      'goes to another tier if the picked one is full',
      [ready('a'), full('b', small)],
      { tier: 'small' },
      'serve a as fallback*',
    ],
    [
      'wakes the picked tier while another serves',
      [ready('a'), asleep('b', small)],
      { tier: 'small' },
      'serve a as fallback*, wake b',
    ],
    [
      'waits for the picked tier if none is ready',
      [coming('a'), asleep('b', small)],
      { tier: 'small' },
      'wait for b until 5000, wake b',
    ],
    [
      'of a tier that the route does not have goes by priority',
      [ready('a'), ready('b', small)],
      { tier: 'huge' },
      'serve a',
    ],
    ['whose classifier gave no answer goes by priority', [ready('a'), ready('b', small)], { tier: null }, 'serve a'],
    ['whose classifier was too slow goes by priority', [ready('a'), ready('b', small)], { tier: undefined }, 'serve a'],

    // After failed attempts
    [
      'that failed goes to the next target',
      [ready('a'), ready('b')],
      { tried: new Set(['a']) },
      'serve b as fallback*',
    ],
    [
      'that failed everywhere is refused',
      [ready('a'), ready('b')],
      { tried: new Set(['a', 'b']) },
      'refuse for no_target until 30000',
    ],
    [
      'that failed does not wake the target that failed',
      [asleep('a'), ready('b')],
      { tried: new Set(['a']) },
      'serve b as fallback*',
    ],
    [
      'that failed does not wait for the target that failed',
      [coming('a'), coming('b')],
      { tried: new Set(['a']) },
      'wait for b until 5000',
    ],
    [
      'that failed at the last target is served by the first',
      [ready('a'), ready('b')],
      { tried: new Set(['b']) },
      'serve a',
    ],
  ];

  it.each(CASES)('a request %s', (_name, targets, request, choice) => {
    expect(lineOf(choose(targets, { timeLeftMs: 30_000, ...request }))).toBe(choice);
  });
});

describe('a choice', () => {
  const IDS = ['a', 'b', 'c', 'd', 'e'];
  const TIERS = ['large', 'small', 'tiny'];
  const candidates: fc.Arbitrary<Candidate[]> = fc
    .subarray(IDS)
    .chain((ids) => fc.shuffledSubarray(ids, { minLength: ids.length }))
    .chain((ids) =>
      fc.tuple(
        ...ids.map((profileId) =>
          fc.record({
            profileId: fc.constant(profileId),
            tier: fc.constantFrom(...TIERS),
            ready: fc.boolean(),
            capacity: fc.nat({ max: 4 }),
            inFlight: fc.nat({ max: 6 }),
            queued: fc.nat({ max: 3 }),
            maxQueueDepth: fc.nat({ max: 3 }),
            serviceMs: fc.nat({ max: 10_000 }),
            start: fc.constantFrom('coming' as const, 'asleep' as const, 'leaving' as const, 'barred' as const),
            readyInMs: fc.option(fc.nat({ max: 60_000 })),
            overdue: fc.boolean(),
          }),
        ),
      ),
    );
  const requests: fc.Arbitrary<RoutedRequest> = fc.record(
    {
      preferredProfileId: fc.option(fc.constantFrom(...IDS, 'unknown')),
      tier: fc.option(fc.constantFrom(...TIERS, 'unknown')),
      timeLeftMs: fc.oneof(fc.constant(0), fc.nat({ max: 60_000 })),
      tried: fc.subarray(IDS, { maxLength: 2 }).map((ids) => new Set(ids)),
    },
    { requiredKeys: ['timeLeftMs'] },
  );
  const holds = (property: (choice: Choice, targets: readonly Candidate[], request: RoutedRequest) => void): void =>
    fc.assert(
      fc.property(candidates, requests, (targets, request) => {
        property(choose(targets, request), targets, request);
      }),
      { numRuns: inForm(250, 2_000) },
    );

  const eligible = ({ ready: up, inFlight, capacity }: Candidate): boolean => up && inFlight < capacity;
  const open = (targets: readonly Candidate[], { tried }: RoutedRequest): Candidate[] =>
    targets.filter(({ profileId }) => !tried?.has(profileId));
  /** The picked tier before the others; within each, as they stand. */
  const rank = (targets: readonly Candidate[], { tier }: RoutedRequest, profileId: string): number => {
    const place = targets.findIndex((target) => target.profileId === profileId);
    return (targets[place]?.tier === tier ? 0 : targets.length) + place;
  };

  it('serves whenever a target is ready, has room and has not failed it, and never otherwise', () =>
    holds((choice, targets, request) => {
      const may = open(targets, request).filter(eligible);
      expect(choice.kind === 'serve').toBe(may.length > 0);
      if (choice.kind === 'serve') expect(may.map(({ profileId }) => profileId)).toContain(choice.profileId);
    }));

  it('never passes over a better target that could serve', () =>
    holds((choice, targets, request) => {
      if (choice.kind !== 'serve') return;
      const may = open(targets, request).filter(eligible);
      if (may.some(({ profileId }) => profileId === request.preferredProfileId)) {
        expect([choice.profileId, choice.source]).toEqual([request.preferredProfileId, 'preferred']);
        return;
      }
      const best = Math.min(...may.map(({ profileId }) => rank(targets, request, profileId)));
      expect(rank(targets, request, choice.profileId)).toBe(best);
      expect(choice.source).not.toBe('preferred');
    }));

  it('states why: its source, and whether another than the first of the order serves', () =>
    holds((choice, targets, request) => {
      if (choice.kind !== 'serve') return;
      expect(DECISION_SOURCES).toContain(choice.source);
      expect(choice.fallbackUsed).toBe(choice.source === 'fallback');
      if (choice.source === 'preferred') return;
      const place = rank(targets, request, choice.profileId);
      const first = Math.min(...targets.map(({ profileId }) => rank(targets, request, profileId)));
      expect(choice.source === 'fallback').toBe(place !== first);
      const picked = targets.find(({ profileId }) => profileId === choice.profileId)?.tier === request.tier;
      if (place === first) expect(choice.source).toBe(picked ? 'classifier' : 'priority');
    }));

  it('wakes only sleeping targets that did not fail the request', () =>
    holds((choice, targets, request) => {
      if (choice.wake === null) return;
      const woken = open(targets, request).find(({ profileId }) => profileId === choice.wake);
      expect([woken?.ready, woken?.start]).toEqual([false, 'asleep']);
    }));

  it('wakes nothing for a request that the first of its order serves', () =>
    holds((choice) => {
      if (choice.kind === 'serve' && !choice.fallbackUsed) expect(choice.wake).toBeNull();
    }));

  it('keeps a request waiting only with a place in the queue and a chance in time', () =>
    holds((choice, targets, request) => {
      if (choice.kind !== 'wait') return;
      const target = open(targets, request).find(({ profileId }) => profileId === choice.profileId);
      expect(target).toBeDefined();
      if (!target) return;
      expect(request.timeLeftMs).toBeGreaterThan(0);
      expect(target.queued).toBeLessThan(target.maxQueueDepth);
      if (target.ready) expect(target.inFlight).toBeGreaterThanOrEqual(target.capacity);
      else {
        expect(target.start).not.toBe('barred');
        expect(target.readyInMs ?? 0).toBeLessThanOrEqual(request.timeLeftMs);
        const isOverdue = target.start === 'coming' && target.overdue;
        if (!isOverdue) expect(choice.wake).toBe(target.start === 'asleep' ? target.profileId : null);
      }
    }));

  it('refuses with the right reason', () =>
    holds((choice, targets, request) => {
      if (choice.kind !== 'refuse') return;
      const left = open(targets, request);
      const lost = left.every(({ ready: up, start }) => !up && start === 'barred');
      expect(choice.reason === 'no_target').toBe(lost);
      if (request.timeLeftMs === 0 && !lost) expect(choice.reason).toBe('deadline');
      expect(choice.retryAfterMs).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(choice.retryAfterMs)).toBe(true);
    }));

  it('is deterministic, and does not change its inputs', () =>
    fc.assert(
      fc.property(candidates, requests, (targets, request) => {
        const before = JSON.stringify([targets, request, [...(request.tried ?? [])]]);
        const choice = choose(targets, request);
        expect(choose(structuredClone(targets), structuredClone(request))).toEqual(choice);
        expect(JSON.stringify([targets, request, [...(request.tried ?? [])]])).toBe(before);
      }),
    ));
});
