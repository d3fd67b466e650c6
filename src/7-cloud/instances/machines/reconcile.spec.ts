import { newId } from '../../../1-platform/common/ids';
import type { Machine, MachineFacts } from '../providers/instance-provider';
import { recordIdOf, statusOf, tagOf, type Phase } from '../instance.states';
import { MAX_ORPHANS, MISSING_FOR_MS, reconcile, seen, unknown, UNSURE_FOR_MS, type KnownInstance } from './reconcile';

const NOW = new Date('2026-03-01T12:00:00Z');
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);

const ACCOUNT = 'the account';
const REPLY = { account: ACCOUNT, at: NOW };

const FACTS = { ip: null, hourlyPrice: 210 } as unknown as MachineFacts;

const record = (phase: Phase, overrides: Partial<KnownInstance> = {}): KnownInstance => ({
  orgId: newId(),
  id: newId(),
  phase,
  reason: null,
  askedAt: phase === 'recorded' ? null : ago(1_000),
  account: ACCOUNT,
  providerId: phase === 'placed' || phase === 'gone' ? newId() : null,
  providerStatus: null,
  facts: null,
  seenAt: null,
  missingSince: null,
  deleteWantedAt: null,
  endedAt: null,
  ...overrides,
});

const machine = (overrides: Partial<Machine> = {}): Machine => ({
  providerId: newId(),
  name: 'burst',
  cloud: 'cloud',
  region: 'region',
  type: 'A6000',
  status: 'active',
  tags: [],
  facts: FACTS,
  ...overrides,
});

const listed = (known: KnownInstance[], machines: Machine[], whole = true) =>
  reconcile(known, { machines, whole }, REPLY);

describe('a listing', () => {
  it.each<Phase>(['recorded', 'asked', 'failed'])('assigns a record that is %s the machine with its tag', (phase) => {
    const one = record(phase, { reason: 'because', missingSince: ago(5_000) });
    const found = machine({ tags: ['training', tagOf(one.id)] });
    expect(listed([one], [found])).toEqual({
      changed: [
        {
          ...one,
          phase: 'placed',
          reason: null,
          providerId: found.providerId,
          providerStatus: 'active',
          facts: FACTS,
          seenAt: NOW,
          missingSince: null,
          endedAt: null,
        },
      ],
      orphans: [],
      sameAccounts: [],
    });
  });

  it('updates a known machine by its id, whatever tags it has', () => {
    const one = record('placed');
    const { changed, orphans } = listed([one], [machine({ providerId: one.providerId ?? '', status: 'error' })]);
    expect([changed[0]?.providerStatus, orphans]).toEqual(['error', []]);
  });

  it("ignores machines without the service's tag", () => {
    const tags = ['', 'ccp-', 'ccp-1', 'CCP-' + newId(), `x${tagOf(newId())}`, `${tagOf(newId())} `];
    expect(listed([], [machine(), machine({ tags })])).toEqual({ changed: [], orphans: [], sameAccounts: [] });
  });

  it('has orphans: machines without a record, and of a record with another machine', () => {
    const one = record('placed');
    const nobodys = machine({ tags: [tagOf(newId())] });
    const second = machine({ tags: [tagOf(one.id)] });
    const own = machine({ providerId: one.providerId ?? '', tags: [tagOf(one.id)] });
    const { changed, orphans } = listed([one], [second, nobodys, own]);
    expect(changed.map(({ providerId }) => providerId)).toEqual([one.providerId]);
    expect(orphans.map(({ providerId, orgId }) => [providerId, orgId])).toEqual([
      [second.providerId, one.orgId],
      [nobodys.providerId, null],
    ]);
  });

  it('has a limited number of orphans, those of an organisation first', () => {
    const one = record('placed');
    const machines = Array.from({ length: MAX_ORPHANS }, () => machine({ tags: [tagOf(newId())] }));
    const { orphans } = listed([one], [...machines, machine({ tags: [tagOf(one.id)] })]);
    expect([orphans.length, orphans[0]?.orgId]).toEqual([MAX_ORPHANS, one.orgId]);
  });

  it('assigns a record one of two machines with its tag', () => {
    const one = record('asked');
    const [first, second] = [machine({ tags: [tagOf(one.id)] }), machine({ tags: [tagOf(one.id)] })];
    const { changed, orphans } = listed([one], [first, second]);
    expect(changed.map(({ providerId }) => providerId)).toEqual([first.providerId]);
    expect(orphans.map(({ providerId }) => providerId)).toEqual([second.providerId]);
  });

  it('counts a machine once that it contains twice', () => {
    const [one, other] = [record('asked'), record('asked')];
    const twice = [one, other].map(({ id }) => machine({ providerId: 'm-1', tags: [tagOf(id)] }));
    const { changed, orphans } = listed([one, other], twice);
    expect(changed.map(({ id, providerId }) => [id, providerId])).toEqual([
      [one.id, 'm-1'],
      [other.id, null],
    ]);
    expect(orphans).toEqual([]);
  });

  it('ends a record whose machine is deleted, and states who did it', () => {
    const [wanted, unwanted] = [record('placed', { deleteWantedAt: ago(1_000) }), record('placed')];
    const deleted = ({ providerId }: KnownInstance) => machine({ providerId: providerId ?? '', status: 'deleted' });
    const { changed } = listed([wanted, unwanted], [deleted(wanted), deleted(unwanted)]);
    expect(changed.map(({ phase, reason, endedAt }) => [phase, reason, endedAt])).toEqual([
      ['gone', null, NOW],
      ['gone', 'It was deleted at the marketplace.', NOW],
    ]);
  });

  it('has no orphan for a deleted machine', () => {
    expect(listed([], [machine({ tags: [tagOf(newId())], status: 'deleted' })]).orphans).toEqual([]);
  });

  it('revives a record whose machine is listed again', () => {
    const one = record('gone', { endedAt: ago(1_000), reason: 'because' });
    const { changed } = listed([one], [machine({ providerId: one.providerId ?? '' })]);
    expect(changed[0]).toMatchObject({ phase: 'placed', reason: null, endedAt: null });
  });

  it('a listing that is older than the known state changes nothing', () => {
    const gone = record('gone', { endedAt: NOW });
    const later = record('placed', { seenAt: new Date(NOW.getTime() + 1), providerStatus: 'deleting' });
    const { changed } = listed(
      [gone, later],
      [gone, later].map(({ providerId }) => machine({ providerId: providerId ?? '' })),
    );
    expect(changed).toEqual([gone, later]);
    expect(listed([later], []).changed).toEqual([]);
  });

  it('a listing that lacks a machine only notes its absence', () => {
    const one = record('placed', { seenAt: ago(10_000), askedAt: ago(10 * UNSURE_FOR_MS) });
    expect(listed([one], []).changed).toEqual([{ ...one, missingSince: NOW }]);
    const missing = { ...one, missingSince: ago(5 * UNSURE_FOR_MS) };
    expect(listed([missing], []).changed).toEqual([]);
  });

  it('gives up a record whose machine is missing for long, long after the request', () => {
    const lost = record('asked', { askedAt: ago(UNSURE_FOR_MS), missingSince: ago(MISSING_FOR_MS) });
    expect(listed([lost], []).changed).toEqual([
      {
        ...lost,
        phase: 'failed',
        reason: 'The reply of the marketplace is not known, and it has no machine with the tag of this instance.',
        endedAt: NOW,
      },
    ]);
    for (const early of [
      { ...lost, askedAt: ago(UNSURE_FOR_MS - 1) },
      { ...lost, missingSince: ago(MISSING_FOR_MS - 1) },
    ])
      expect(listed([early], []).changed).toEqual([]);
    // After an outage the first listing decides nothing.
    const unlisted = { ...lost, missingSince: null };
    expect(listed([unlisted], []).changed).toEqual([{ ...unlisted, missingSince: NOW }]);
  });

  it('a listing that is partly unreadable decides nothing about missing machines', () => {
    const known = [
      record('asked', { askedAt: ago(UNSURE_FOR_MS), missingSince: ago(MISSING_FOR_MS) }),
      record('placed', { seenAt: ago(1_000) }),
    ];
    expect(listed(known, [], false).changed).toEqual([]);
  });

  it.each<[string, Phase, string | null, boolean]>([
    ['another account', 'placed', 'another', false],
    ['another account, and is not known to exist', 'asked', 'another', false],
    ['an account that is not known', 'placed', null, true],
  ])(
    'notes the absence of a machine unless it belongs to another account: %s, %s, %s',
    (_what, phase, account, decides) => {
      const lost = record(phase, { account, askedAt: ago(UNSURE_FOR_MS), missingSince: ago(MISSING_FOR_MS) });
      expect(listed([lost], []).changed).toEqual([]);
      const unlisted = { ...lost, missingSince: null };
      expect(listed([unlisted], []).changed).toEqual(decides ? [{ ...unlisted, missingSince: NOW }] : []);
    },
  );

  it.each(['another', null])('adopts a machine that it has for its account: %s', (account) => {
    const [placed, asked] = [record('placed', { account }), record('asked', { account })];
    const machines = [machine({ providerId: placed.providerId ?? '' }), machine({ tags: [tagOf(asked.id)] })];
    expect(listed([placed, asked], machines).changed).toMatchObject([
      { id: placed.id, phase: 'placed', account: ACCOUNT },
      { id: asked.id, phase: 'placed', account: ACCOUNT },
    ]);
  });

  it.each<Phase>(['recorded', 'failed', 'gone'])(
    'decides nothing about a record that is %s and has no machine',
    (phase) => {
      expect(listed([record(phase)], []).changed).toEqual([]);
    },
  );
});

describe('a reply that knows no such machine', () => {
  it.each<[string, Partial<KnownInstance>, boolean]>([
    ['was listed before', { seenAt: ago(1_000) }, true],
    ['is to be deleted', { deleteWantedAt: ago(1_000) }, true],
    ['was requested long ago', { askedAt: ago(UNSURE_FOR_MS) }, true],
    ['was requested just now', {}, false],
  ])('ends one that %s: %s', (_what, overrides, ends) => {
    expect(unknown(record('placed', overrides), NOW)?.phase).toBe(ends ? 'gone' : undefined);
  });

  it('decides nothing about one that has no machine any more', () => {
    expect(unknown(record('gone', { seenAt: ago(1) }), NOW)).toBeUndefined();
  });
});

it('a machine that is listed is no longer missing', () => {
  const one = record('placed', { missingSince: ago(1_000) });
  expect(seen(one, machine({ providerId: one.providerId ?? '' }), REPLY)).toMatchObject({
    missingSince: null,
    seenAt: NOW,
  });
});

describe('the shown status of a record', () => {
  it.each<[Phase, string | null, boolean, string]>([
    ['recorded', null, false, 'pending'],
    ['asked', null, false, 'pending'],
    ['asked', null, true, 'deleting'],
    ['placed', null, false, 'creating'],
    ['placed', 'pending_provider', false, 'pending_provider'],
    ['placed', 'active', true, 'deleting'],
    ['failed', null, false, 'error'],
    ['failed', null, true, 'deleted'],
    ['gone', 'deleted', false, 'deleted'],
    ['gone', 'active', true, 'deleted'],
  ])('shows a record that is %s, as %s, to be deleted %s, as %s', (phase, providerStatus, deleteWanted, status) => {
    expect(statusOf({ phase, providerStatus, deleteWanted })).toBe(status);
  });
});

it('a tag names its record', () => {
  const id = newId();
  expect(recordIdOf(['a', tagOf(id), tagOf(newId())])).toBe(id);
});
