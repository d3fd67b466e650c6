import {
  mayBeRestorable,
  RESIDENCY_STATES,
  residencies,
  type HoldingNode,
  type ResidencyFacts,
} from './artifact-residency';
import { ARTIFACT_STATUSES, TIERS } from '../artifact.states';

const LAST_SYNC = new Date('2026-06-01T10:00:00.000Z');

const node = (members: Partial<HoldingNode> = {}): HoldingNode => ({
  status: 'Ready',
  bootId: 'boot-1',
  lastSync: LAST_SYNC,
  deleted: false,
  silent: false,
  ...members,
});

/** An artifact on a node in its boot, which is restorable. */
const artifact = (members: Partial<ResidencyFacts> = {}): ResidencyFacts => ({
  artifactId: 'a',
  parentId: null,
  status: 'ready',
  uri: 's3://a',
  tier: 'local',
  originalTier: null,
  nodeName: 'node-1',
  bootId: 'boot-1',
  node: node(),
  goneCluster: null,
  flags: '["--a"]',
  profileFlags: '["--a"]',
  flagsVerified: true,
  restoreFailure: null,
  ...members,
});

const durable: Partial<ResidencyFacts> = { tier: 'object', nodeName: null, bootId: null, node: null };

/** That of the last facts. */
function residencyOf(...all: ResidencyFacts[]) {
  const found = residencies(all).get(all.at(-1)?.artifactId ?? '');
  if (!found) throw new Error('it has no residency');
  return found;
}

/**
 * Facts that make each check fail, in the order of the checks, and the part of the reason that names them.
 */
const FAULTS: [state: string, members: Partial<ResidencyFacts>, evidence: string[]][] = [
  ['deleted', { status: 'deleted' }, ['deleted']],
  ['not_ready', { status: 'quarantined' }, ['quarantined']],
  ['no_uri', { uri: '' }, ['without a location']],
  ['parent_missing', { parentId: 'lost' }, ['lost', 'not known']],
  ['node_unknown', { nodeName: null }, ['local', 'its node is not known']],
  ['node_gone', { node: node({ silent: true }) }, ['node-1', LAST_SYNC.toISOString()]],
  ['node_not_ready', { node: node({ status: 'NotReady' }) }, ['node-1', 'NotReady']],
  ['node_rebooted', { bootId: 'boot-0' }, ['node-1', 'boot-0', 'boot-1']],
  [
    'flags_changed',
    { flagsVerified: false, flags: '["--old"]', profileFlags: '["--new"]' },
    ['["--old"]', '["--new"]'],
  ],
  [
    'restore_failed',
    { restoreFailure: { at: LAST_SYNC, reason: 'A file has another size.' } },
    [LAST_SYNC.toISOString(), 'A file has another size.'],
  ],
];

describe('the residency of an artifact', () => {
  it('has the states of the interface in the order of the checks', () => {
    expect(RESIDENCY_STATES).toEqual(['restorable', ...FAULTS.map(([state]) => state)]);
  });

  it.each(FAULTS)('is %s, with a sentence that names the evidence', (state, members, evidence) => {
    const residency = residencyOf(artifact(members));
    expect(residency.state).toBe(state);
    for (const words of evidence) expect(residency.reason).toContain(words);
    expect(residency.reason).toMatch(/^[A-Z][^\n]*\.$/);
  });

  it('is the first of any two failing checks', () => {
    // Two values of the same member cannot be combined.
    const together = FAULTS.flatMap(([first, one], i) =>
      FAULTS.slice(i + 1)
        .filter(([, other]) => !Object.keys(other).some((member) => member in one))
        .map(([, other]) => [first, { ...one, ...other }] as const),
    );
    expect(together).toHaveLength(43);
    for (const [first, members] of together) expect(residencyOf(artifact(members)).state).toBe(first);
    const everything = Object.assign({}, ...FAULTS.map(([, members]) => members).reverse()) as Partial<ResidencyFacts>;
    expect(residencyOf(artifact(everything)).state).toBe('deleted');
  });

  it.each([
    ['a node that no cluster has reported', { node: null }, 'node_unknown', 'node-1'],
    ['a node that its cluster reported as deleted', { node: node({ deleted: true }) }, 'node_gone', 'deleted at 2026'],
    ['a node without any information', { node: node({ status: 'Unknown' }) }, 'node_not_ready', 'Unknown'],
    ['a cluster that is gone', { node: null, goneCluster: 'c-1' }, 'node_gone', 'node node-1 in the cluster c-1'],
    [
      'a cluster that is gone, and no node',
      { nodeName: null, node: null, goneCluster: 'c-1' },
      'node_gone',
      'a node in the cluster c-1',
    ],
    ['an unknown boot of the artifact', { bootId: null }, 'node_unknown', 'the boot in which it was taken'],
    [
      'a node whose cluster does not report its boot',
      { node: node({ bootId: '' }) },
      'node_unknown',
      'does not report its boot',
    ],
    ['flags that only one of the two has', { flagsVerified: null, profileFlags: null }, 'restorable', 'boot-1'],
  ] as const)('is decided with %s', (_case, members, state, evidence) => {
    const residency = residencyOf(artifact(members));
    expect(residency.state).toBe(state);
    expect(residency.reason).toContain(evidence);
  });

  it.each(ARTIFACT_STATUSES)('is decided for the status %s', (status) => {
    const state = { ready: 'restorable', golden: 'restorable', deleted: 'deleted' }[status as string] ?? 'not_ready';
    expect(residencyOf(artifact({ status })).state).toBe(state);
    expect(residencyOf(artifact({ ...durable, status })).state).toBe(state);
  });

  it.each(TIERS)('depends on the node of an artifact on the tier %s only if a reboot deletes its bytes', (tier) => {
    const lost = [
      { nodeName: null },
      { node: null },
      { node: node({ silent: true }) },
      { bootId: 'boot-0' },
      { goneCluster: 'c-1' },
    ];
    const states = lost.map((members) => residencyOf(artifact({ tier, ...members })).state);
    const tied = tier === 'memory' || tier === 'local';
    expect(states).toEqual(
      tied ? ['node_unknown', 'node_unknown', 'node_gone', 'node_rebooted', 'node_gone'] : lost.map(() => 'restorable'),
    );
    expect(residencyOf(artifact({ tier })).reason).toContain(tied ? `${tier} tier of the node node-1` : `${tier} tier`);
  });
});

describe('the residency of a copy whose original is kept', () => {
  const copy = (members: Partial<ResidencyFacts> = {}) => artifact({ originalTier: 'object', ...members });
  const GONE: [string, Partial<ResidencyFacts>, string][] = [
    ['rebooted', { bootId: 'boot-0' }, 'boot-0'],
    ['is silent', { node: node({ silent: true }) }, 'last reported'],
    ['was deleted', { node: node({ deleted: true }) }, 'deleted'],
    ['is not known', { nodeName: null, node: null }, 'its node is not known'],
    ['went with its cluster', { node: null, goneCluster: 'c-1' }, 'c-1'],
  ];

  it('is decided by the copy while that is there', () => {
    expect(residencyOf(copy())).toMatchObject({
      ...{ state: 'restorable', tier: 'local', reason: expect.stringContaining('local tier of the node node-1') },
    });
  });

  it.each(GONE)('is decided by the original once the node %s', (_case, members, evidence) => {
    const residency = residencyOf(copy(members));
    expect(residency).toMatchObject({ state: 'restorable', tier: 'object' });
    expect(residency.reason).toMatch(/^It is ready on the object tier, .* its copy is not there: it lies .*\.$/);
    expect(residency.reason).toContain(evidence);
    expect(mayBeRestorable([copy(members)])).toEqual(new Set(['a']));
    const child = artifact({ artifactId: 'child', parentId: 'a', ...durable });
    expect(residencyOf(copy(members), child).state).toBe('restorable');
  });

  it.each([
    ['deleted', { status: 'deleted' }],
    ['not_ready', { status: 'quarantined' }],
    ['no_uri', { uri: '' }],
    ['parent_missing', { parentId: 'lost' }],
    ['flags_changed', { flagsVerified: false }],
    ['restore_failed', { restoreFailure: { at: LAST_SYNC, reason: 'It is damaged.' } }],
  ] as const)('is %s as that of any other', (state, members) => {
    expect(residencyOf(copy({ bootId: 'boot-0', ...members })).state).toBe(state);
  });
});

describe('the residency of an artifact with a parent', () => {
  const child = artifact({ artifactId: 'child', parentId: 'parent', ...durable });
  const base = (members: Partial<ResidencyFacts> = {}) => artifact({ artifactId: 'base', ...durable, ...members });
  const parent = (members: Partial<ResidencyFacts> = {}) =>
    artifact({ artifactId: 'parent', parentId: 'base', ...durable, ...members });

  it('is restorable if its whole chain is', () => {
    expect(residencyOf(base(), parent(), child).state).toBe('restorable');
    // Ready on its node, and with other flags: the parent is only read.
    const read = parent({ ...artifact(), artifactId: 'parent', parentId: 'base', flagsVerified: false });
    expect(residencyOf(base({ status: 'golden' }), read, child).state).toBe('restorable');
  });

  const BROKEN: [string, Partial<ResidencyFacts>, string][] = [
    ['deleted', { status: 'deleted' }, 'deleted'],
    ['expired', { status: 'expired' }, 'expired'],
    ['quarantined', { status: 'quarantined' }, 'quarantined'],
    ['nowhere', { uri: '' }, 'without a location'],
    ['on a rebooted node', { tier: 'memory', nodeName: 'n', bootId: 'b0', node: node({ bootId: 'b1' }) }, 'boot b0'],
    ['on a node that is gone', { tier: 'local', nodeName: 'n', bootId: 'b', node: node({ silent: true }) }, 'node n'],
    ['on an unknown node', { tier: 'local', nodeName: 'n9', bootId: 'b' }, 'n9'],
  ];

  it.each(BROKEN)('is parent_missing if the parent is %s', (_case, members, evidence) => {
    const residency = residencyOf(base(), parent(members), child);
    expect(residency.state).toBe('parent_missing');
    expect(residency.reason).toContain('parent is not there');
    expect(residency.reason).toContain(evidence);
  });

  it.each(BROKEN)('is parent_missing if an ancestor two levels up is %s', (_case, members, evidence) => {
    const all = residencies([child, parent(), base(members)]);
    for (const id of ['child', 'parent']) {
      expect(all.get(id)?.state).toBe('parent_missing');
      expect(all.get(id)?.reason).toContain('base is not there');
      expect(all.get(id)?.reason).toContain(evidence);
    }
    expect(all.get('base')?.state).not.toBe('parent_missing');
  });

  it('is parent_missing if an ancestor is not known, and names it', () => {
    expect(residencyOf(parent(), child)).toMatchObject({
      state: 'parent_missing',
      reason: expect.stringContaining('base is not known'),
    });
  });

  it('ignores artifacts beside its chain', () => {
    const sibling = artifact({ artifactId: 'sibling', parentId: 'base', ...durable, status: 'deleted' });
    const below = artifact({ artifactId: 'below', parentId: 'child', ...durable, status: 'deleted' });
    expect(residencies([below, sibling, base(), parent(), child]).get('child')?.state).toBe('restorable');
  });

  it.each([1, 2, 3, 50])('finds no root in a cycle of %i parents', (length) => {
    const circle = Array.from({ length }, (_, i) =>
      artifact({ artifactId: `c${i}`, parentId: `c${(i + 1) % length}`, ...durable }),
    );
    const leading = artifact({ artifactId: 'leading', parentId: 'c0', ...durable });
    for (const order of [[leading, ...circle], [...circle].reverse().concat(leading)]) {
      const all = residencies(order);
      expect(new Set(order.map(({ artifactId }) => all.get(artifactId)?.state))).toEqual(new Set(['parent_missing']));
      expect(all.get('leading')?.reason).toContain("each other's parents");
    }
  });

  const chain = (length: number, members: Partial<ResidencyFacts>) =>
    Array.from({ length }, (_, i) =>
      artifact({
        artifactId: `a${i}`,
        parentId: i === 0 ? null : `a${i - 1}`,
        ...durable,
        ...(i === 0 ? members : {}),
      }),
    );

  it('is known for a chain of 10,000, in any order', () => {
    const good = chain(10_000, {});
    const bad = chain(10_000, { status: 'deleted' });
    for (const ordered of [(all: ResidencyFacts[]) => all, (all: ResidencyFacts[]) => [...all].reverse()]) {
      expect([...residencies(ordered(good)).values()].every(({ state }) => state === 'restorable')).toBe(true);
      const states = [...residencies(ordered(bad)).values()].map(({ state }) => state);
      expect(states.filter((state) => state === 'parent_missing')).toHaveLength(9_999);
      expect(states.filter((state) => state === 'deleted')).toHaveLength(1);
    }
  });

  it('takes time in proportion to the length of the chain', () => {
    // Each parent is looked up once from each child, and once as an artifact: more would mean a walk for
    // each.
    let looks = 0;
    const counted = chain(5_000, {}).map((facts) => ({
      ...facts,
      get parentId() {
        looks++;
        return facts.parentId;
      },
    }));
    residencies(counted);
    expect(looks).toBeLessThan(5 * counted.length);
  });
});
