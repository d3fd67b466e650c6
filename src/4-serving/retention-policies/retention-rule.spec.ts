import fc from 'fast-check';
import { TIERS } from '../artifacts/artifact.states';
import type { KeptArtifact } from '../artifacts/residency/kept-artifacts.queries';
import { decideRetention, withoutAncestorsOfOthers, type RetentionLimits } from './retention-rule';
import { inForm } from '../../../test/support/form';

const DAY = 86_400;

const artifact = (artifactId: string, members: Partial<KeptArtifact> = {}): KeptArtifact => ({
  artifactId,
  profileId: 'p',
  parentId: null,
  tier: 'object',
  golden: false,
  ageSeconds: 0,
  restorable: false,
  mayBeRestorable: members.restorable ?? false,
  bootId: null,
  clusterId: null,
  inUse: false,
  ...members,
});

/** Older than a week. */
const old = (artifactId: string, members: Partial<KeptArtifact> = {}): KeptArtifact =>
  artifact(artifactId, { ageSeconds: 8 * DAY, ...members });

const policy = (members: Partial<RetentionLimits> = {}): RetentionLimits => ({
  policyId: 'policy',
  name: 'a policy',
  enabled: true,
  maxAgeDays: null,
  maxCount: null,
  minTier: null,
  profileId: null,
  ...members,
});

const expiredOf = (artifacts: readonly KeptArtifact[], policies: readonly RetentionLimits[]): string[] =>
  decideRetention(artifacts, policies)
    .filter(({ decision }) => decision === 'expire')
    .map(({ artifactId }) => artifactId);

describe('a retention policy', () => {
  const by = (members: Partial<RetentionLimits>) => [policy(members)];
  const q = { profileId: 'q' };
  const week = by({ maxAgeDays: 7 });
  const CASES: [string, KeptArtifact[], RetentionLimits[], string[]][] = [
    ['nothing without limits', [old('a')], by({ minTier: 'object', profileId: 'p' }), []],
    ['nothing while it is disabled', [old('a')], by({ enabled: false, maxAgeDays: 1 }), []],
    ['older artifacts', [artifact('a'), old('b')], week, ['b']],
    ['no artifact of exactly the maximal age', [artifact('a', { ageSeconds: 7 * DAY })], week, []],
    ['everything older than 0 days', [artifact('a', { ageSeconds: 0.5 })], by({ maxAgeDays: 0 }), ['a']],
    ['artifacts beyond the count', ['a', 'b', 'c'].map((id) => artifact(id)), by({ maxCount: 2 }), ['c']],
    ['everything for a count of 0', ['a', 'b'].map((id) => artifact(id)), by({ maxCount: 0 }), ['a', 'b']],
    [
      'artifacts beyond the count of their profile',
      [artifact('a'), artifact('b', q), artifact('c')],
      by({ maxCount: 1 }),
      ['c'],
    ],
    [
      'artifacts beyond the count of those that are not golden',
      [artifact('a', { golden: true }), artifact('b'), artifact('c', { golden: true }), artifact('d'), artifact('e')],
      by({ maxCount: 2 }),
      ['e'],
    ],
    ['only artifacts of its profile', [old('a'), old('b', q)], by({ maxAgeDays: 7, profileId: 'q' }), ['b']],
    [
      'only artifacts on its tier or a colder one',
      TIERS.map((tier) => old(tier, { tier })),
      by({ maxAgeDays: 7, minTier: 'shared' }),
      ['shared', 'object'],
    ],
    [
      'artifacts beyond the count of those that it covers',
      [artifact('a', { tier: 'memory' }), artifact('b'), artifact('c')],
      by({ maxCount: 1, minTier: 'local' }),
      ['c'],
    ],
    [
      'artifacts that one of several policies expires',
      [old('a')],
      [policy({ maxCount: 5 }), policy({ maxAgeDays: 7 })],
      ['a'],
    ],
    ['no golden artifact', [old('a', { golden: true }), old('b')], week, ['b']],
    ['no artifact that a worker runs from', [old('a', { inUse: true })], by({ maxCount: 0 }), []],
    [
      'not the newest restorable artifact of a profile',
      [
        old('newer'),
        old('newest restorable', { restorable: true }),
        old('older', { restorable: true }),
        old('of another', { restorable: true, profileId: 'q' }),
      ],
      week,
      ['newer', 'older'],
    ],
    [
      'not the newest artifact of a profile that may be restorable again',
      [
        old('newer'),
        old('newest that may', { mayBeRestorable: true, bootId: 'x' }),
        old('older', { mayBeRestorable: true, bootId: 'y' }),
        old('newest restorable', { restorable: true }),
        old('of another', { mayBeRestorable: true, profileId: 'q' }),
      ],
      week,
      ['newer', 'older'],
    ],
    [
      'not the newest of each boot of a node that may be restorable again while a profile has no restorable one',
      [
        old('newest of x', { mayBeRestorable: true, bootId: 'x' }),
        old('older of x', { mayBeRestorable: true, bootId: 'x' }),
        old('newest of y', { mayBeRestorable: true, bootId: 'y' }),
        old('lost', { bootId: 'z' }),
        old('restorable one of another', { restorable: true, profileId: 'q' }),
      ],
      week,
      ['older of x', 'lost'],
    ],
    [
      'no ancestor of a kept artifact, of any profile',
      [
        artifact('kept', { parentId: 'parent' }),
        old('parent', { parentId: 'base', profileId: 'q' }),
        old('beside', { parentId: 'base' }),
        old('base'),
      ],
      week,
      ['beside'],
    ],
    ['a whole chain that nothing keeps', [old('child', { parentId: 'base' }), old('base')], week, ['child', 'base']],
    [
      'an old child of a kept artifact',
      [artifact('a', { parentId: 'unknown' }), old('b', { parentId: 'c' }), artifact('c', { golden: true })],
      week,
      ['b'],
    ],
  ];

  it.each(CASES)('expires %s', (_case, artifacts, policies, expired) => {
    expect(expiredOf(artifacts, policies)).toEqual(expired);
  });

  it('states why', () => {
    const artifacts = [
      artifact('golden', { golden: true }),
      artifact('used', { inUse: true }),
      artifact('silent', { mayBeRestorable: true }),
      artifact('restorable', { restorable: true }),
      artifact('young'),
      artifact('child', { inUse: true, parentId: 'needed' }),
      old('needed'),
      artifact('old', { ageSeconds: 8.26 * DAY }),
      artifact('beyond'),
    ];
    const policies = [
      policy({ policyId: 'A', name: 'a week', maxAgeDays: 7 }),
      policy({ policyId: 'C', name: 'seven', maxCount: 7 }),
      // Another one of the same artifacts: the first one is named.
      policy({ policyId: 'D', name: 'a day', maxAgeDays: 1 }),
    ];
    const rows = decideRetention(artifacts, policies);
    expect(rows.map((row) => [row.artifactId, row.decision, row.policyId, row.reason])).toEqual([
      ['golden', 'keep', null, 'It is golden.'],
      ['used', 'keep', null, 'A worker is running from it.'],
      ['silent', 'keep', null, 'It is the newest of its profile that may be restorable again.'],
      ['restorable', 'keep', null, 'It is the newest of its profile that can be restored from.'],
      ['young', 'keep', null, 'No policy lets it expire.'],
      ['child', 'keep', null, 'A worker is running from it.'],
      ['needed', 'keep', 'A', expect.stringMatching(/^child, which is kept, .*\.$/)],
      ['old', 'expire', 'A', 'It is 8.3 days old, and a week keeps 7.'],
      ['beyond', 'expire', 'C', 'Its profile has 7 newer ones that are not golden, and seven keeps 7.'],
    ]);
  });

  it('decides on a chain of 100,000', () => {
    const artifacts = Array.from({ length: 100_000 }, (_, i) =>
      artifact(`a${i}`, { ageSeconds: 8 * DAY, parentId: `a${i + 1}`, golden: i === 50_000 }),
    );
    expect(expiredOf(artifacts, week)).toHaveLength(50_000);
  });

  it('stops at a cycle', () => {
    const circle = (golden: boolean) =>
      [0, 1, 2].map((i) => artifact(`a${i}`, { parentId: `a${(i + 1) % 3}`, golden: golden && i === 1 }));
    expect(expiredOf(circle(true), [policy({ maxCount: 0 })])).toEqual([]);
    expect(expiredOf(circle(false), [policy({ maxCount: 0 })])).toEqual(['a0', 'a1', 'a2']);
  });
});

/** A direct model of the documented rule, without regard to speed. */
function modelled(artifacts: readonly KeptArtifact[], policies: readonly RetentionLimits[]): Set<string> {
  const coldness = { memory: 0, local: 1, shared: 2, object: 3 };
  const covered = (by: RetentionLimits, { profileId, tier }: KeptArtifact) =>
    by.enabled && [null, profileId].includes(by.profileId) && coldness[tier] >= coldness[by.minTier ?? 'memory'];
  const letGo = (of: KeptArtifact, i: number) =>
    policies.some((by) => {
      if (!covered(by, of)) return false;
      const counted = (other: KeptArtifact) => !other.golden && other.profileId === of.profileId && covered(by, other);
      const newer = artifacts.slice(0, i).filter(counted);
      const tooOld = by.maxAgeDays !== null && of.ageSeconds / DAY > by.maxAgeDays;
      return tooOld || (by.maxCount !== null && newer.length + 1 > by.maxCount);
    });
  const newestRestorable = (of: KeptArtifact) =>
    artifacts.find(({ profileId, restorable }) => restorable && profileId === of.profileId) === of;
  const newestThatMay = (of: KeptArtifact) => {
    const those = artifacts.filter(({ profileId, mayBeRestorable }) => mayBeRestorable && profileId === of.profileId);
    return those.some(({ restorable }) => restorable)
      ? those[0] === of
      : those.find(({ bootId }) => bootId === of.bootId) === of;
  };
  const kept = artifacts.filter(
    (of, i) => of.golden || of.inUse || newestRestorable(of) || newestThatMay(of) || !letGo(of, i),
  );
  for (const { parentId } of kept) {
    const parent = artifacts.find(({ artifactId }) => artifactId === parentId);
    // Artifacts added here are visited too.
    if (parent && !kept.includes(parent)) kept.push(parent);
  }
  return new Set(artifacts.filter((of) => !kept.includes(of)).map(({ artifactId }) => artifactId));
}

describe('the retention rule', () => {
  const forests = fc
    .array(
      fc.record({
        profileId: fc.constantFrom('p', 'q', 'r'),
        parent: fc.option(fc.nat({ max: 5 }), { freq: 2 }),
        tier: fc.constantFrom(...TIERS),
        rare: fc.nat({ max: 15 }),
        pause: fc.double({ min: 0, max: 3, noNaN: true }),
        // Most profiles have a restorable one, and some have none.
        residency: fc.nat({ max: 11 }).map((number) => ({ restorable: number < 2, mayBeRestorable: number < 4 })),
        bootId: fc.constantFrom(null, 'x', 'y'),
        clusterId: fc.constant(null),
      }),
      { maxLength: 24, size: 'max' },
    )
    .map((rows) => {
      let ageSeconds = 0;
      // Newest first: a parent is older than its child, or is not among them.
      return rows.map(({ parent, rare, pause, residency, ...row }, i): KeptArtifact => {
        ageSeconds += pause * DAY;
        const parentId = parent === null ? null : `a${i + 1 + parent}`;
        const found = { ...row, ...residency, golden: rare === 0, inUse: rare === 1 };
        return { ...found, artifactId: `a${i}`, parentId, ageSeconds };
      });
    });
  const limits = fc.record({
    policyId: fc.uuid(),
    name: fc.constant('a policy'),
    enabled: fc.nat({ max: 4 }).map((number) => number > 0),
    maxAgeDays: fc.option(fc.nat({ max: 30 })),
    maxCount: fc.option(fc.nat({ max: 6 })),
    minTier: fc.option(fc.constantFrom(...TIERS), { freq: 2 }),
    profileId: fc.option(fc.constantFrom('p', 'q', 'r'), { freq: 2 }),
  });
  const policySets = fc.array(limits, { maxLength: 4, size: 'max' });
  const runs = { numRuns: inForm(250, 2_000) };

  it('decides as the model does', () => {
    let expired = 0;
    let all = 0;
    fc.assert(
      fc.property(forests, policySets, (artifacts, policies) => {
        const decided = expiredOf(artifacts, policies);
        expect(new Set(decided)).toEqual(modelled(artifacts, policies));
        expired += decided.length;
        all += artifacts.length;
      }),
      runs,
    );
    // Neither result is rare.
    expect(expired / all).toBeGreaterThan(0.1);
    expect(expired / all).toBeLessThan(0.9);
  });

  it('decides on each artifact once, in order, with a sentence; expired ones name their policy', () => {
    fc.assert(
      fc.property(forests, policySets, (artifacts, policies) => {
        const decisions = decideRetention(artifacts, policies);
        expect(decisions.map(({ artifactId }) => artifactId)).toEqual(artifacts.map(({ artifactId }) => artifactId));
        for (const { decision, reason, policyId } of decisions) {
          expect(reason).toMatch(/^\S.*\.$/);
          if (decision === 'expire')
            expect(policies.filter((by) => by.enabled).map((by) => by.policyId)).toContain(policyId);
        }
      }),
      runs,
    );
  });

  it('keeps golden artifacts, those in use, the newest restorable one of each profile, and all ancestors of kept ones', () => {
    fc.assert(
      fc.property(forests, policySets, (artifacts, policies) => {
        const expired = new Set(expiredOf(artifacts, policies));
        const seen = new Set<string>();
        for (const { artifactId, parentId, profileId, golden, inUse, restorable } of artifacts) {
          const newest = restorable && !seen.has(profileId);
          if (restorable) seen.add(profileId);
          if (golden || inUse || newest) expect(expired).not.toContain(artifactId);
          if (!expired.has(artifactId)) expect(expired).not.toContain(parentId);
        }
      }),
      runs,
    );
  });

  it('expires nothing without a limit', () => {
    fc.assert(
      fc.property(forests, policySets, (artifacts, policies) => {
        const unlimited = policies.map((by) => ({ ...by, maxAgeDays: null, maxCount: null }));
        expect(expiredOf(artifacts, unlimited)).toEqual([]);
      }),
    );
  });

  it('is not changed by a disabled policy', () => {
    fc.assert(
      fc.property(forests, policySets, limits, fc.nat(), (artifacts, policies, more, place) => {
        const at = place % (policies.length + 1);
        const disabled = { ...more, enabled: false };
        const among = [...policies.slice(0, at), disabled, ...policies.slice(at)];
        expect(decideRetention(artifacts, among)).toEqual(decideRetention(artifacts, policies));
      }),
      runs,
    );
  });

  it('expires the same artifacts in any order of the policies', () => {
    const shuffled = policySets.chain((policies) =>
      fc.tuple(fc.constant(policies), fc.shuffledSubarray(policies, { minLength: policies.length })),
    );
    fc.assert(
      fc.property(forests, shuffled, (artifacts, [policies, others]) => {
        expect(expiredOf(artifacts, others)).toEqual(expiredOf(artifacts, policies));
      }),
      runs,
    );
  });

  it('expires now only artifacts without remaining descendants', () => {
    let [held, going] = [0, 0];
    fc.assert(
      fc.property(forests, fc.array(fc.nat({ max: 23 }), { maxLength: 24, size: 'max' }), (artifacts, places) => {
        const some = new Set(artifacts.filter((_, i) => places.includes(i)).map(({ artifactId }) => artifactId));
        const needs = (of: KeptArtifact, id: string): boolean =>
          of.parentId === id || artifacts.some((parent) => parent.artifactId === of.parentId && needs(parent, id));
        const staying = artifacts.filter(({ artifactId }) => !some.has(artifactId));
        const expected = [...some].filter((id) => !staying.some((of) => needs(of, id)));
        expect(withoutAncestorsOfOthers(artifacts, some)).toEqual(new Set(expected));
        held += some.size - expected.length;
        going += expected.length;
      }),
      runs,
    );
    // Neither result is rare.
    expect(Math.min(held, going)).toBeGreaterThan((held + going) / 10);
  });
});
