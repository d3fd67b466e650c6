import { TIERS, type Tier } from '../artifacts/artifact.states';
import type { KeptArtifact } from '../artifacts/residency/kept-artifacts.queries';

/** The deciding members of a policy. Without a limit it expires nothing. */
export interface RetentionLimits {
  /** Null for a previewed policy. */
  readonly policyId: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly maxAgeDays: number | null;
  readonly maxCount: number | null;
  readonly minTier: Tier | null;
  readonly profileId: string | null;
}

export interface RetentionDecision {
  readonly artifactId: string;
  readonly profileId: string;
  readonly decision: 'keep' | 'expire';
  /** One sentence. */
  readonly reason: string;
  /** The policy that expires it, or would without the reason. */
  readonly policyId: string | null;
}

const DAY_SECONDS = 86_400;

interface Verdict {
  readonly policy: RetentionLimits;
  readonly reason: string;
}

/**
 * The decision on each artifact. A policy that covers it expires it if it is too old, or if its profile has
 * enough newer ones. Golden artifacts are kept, and those in use, the newest of each profile that can be
 * restored from, the newest that may be again, and all ancestors of kept ones. While a profile has none that
 * can be restored from, the newest that may be is kept of each boot of a node: not every node returns.
 * @param artifacts every one whose bytes are kept, newest first
 */
export function decideRetention(
  artifacts: readonly KeptArtifact[],
  policies: readonly RetentionLimits[],
): RetentionDecision[] {
  const verdicts = verdictsOf(artifacts, policies);
  const reasons = keptReasons(artifacts, verdicts);
  return artifacts.map(({ artifactId, profileId }) => {
    const verdict = verdicts.get(artifactId);
    const kept = reasons.get(artifactId);
    const policyId = verdict?.policy.policyId ?? null;
    return kept === undefined
      ? { artifactId, profileId, decision: 'expire', reason: verdict?.reason ?? '', policyId }
      : { artifactId, profileId, decision: 'keep', reason: kept, policyId };
  });
}

/**
 * The artifacts of `some` that may expire now: no ancestors of one that stays for now, whatever was decided
 * on it.
 * @param artifacts every one whose bytes are kept
 */
export function withoutAncestorsOfOthers(
  artifacts: readonly KeptArtifact[],
  some: ReadonlySet<string>,
): ReadonlySet<string> {
  const parentOf = new Map(artifacts.map(({ artifactId, parentId }) => [artifactId, parentId]));
  const going = new Set(some);
  for (const { artifactId, parentId } of artifacts) {
    if (some.has(artifactId)) continue;
    // Walks up to the first ancestor that does not expire: that one is visited itself, or was before.
    let at: string | null | undefined = parentId;
    while (at != null && going.delete(at)) at = parentOf.get(at);
  }
  return going;
}

const covers = ({ enabled, profileId, minTier }: RetentionLimits, artifact: KeptArtifact): boolean =>
  enabled &&
  (profileId === null || profileId === artifact.profileId) &&
  (minTier === null || TIERS.indexOf(artifact.tier) >= TIERS.indexOf(minTier));

/** By artifact, the first policy that expires it. */
function verdictsOf(artifacts: readonly KeptArtifact[], policies: readonly RetentionLimits[]): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const policy of policies) {
    const { maxAgeDays, maxCount } = policy;
    const newer = new Map<string, number>();
    for (const artifact of artifacts) {
      if (!covers(policy, artifact)) continue;
      const { artifactId, profileId, ageSeconds } = artifact;
      const before = newer.get(profileId) ?? 0;
      // Golden artifacts are kept in addition to the count.
      if (!artifact.golden) newer.set(profileId, before + 1);
      if (verdicts.has(artifactId)) continue;
      if (maxAgeDays !== null && ageSeconds > maxAgeDays * DAY_SECONDS) {
        const days = (ageSeconds / DAY_SECONDS).toFixed(1);
        verdicts.set(artifactId, { policy, reason: `It is ${days} days old, and ${policy.name} keeps ${maxAgeDays}.` });
      } else if (maxCount !== null && before >= maxCount) {
        const reason = `Its profile has ${before} newer ones that are not golden, and ${policy.name} keeps ${maxCount}.`;
        verdicts.set(artifactId, { policy, reason });
      }
    }
  }
  return verdicts;
}

/** By artifact, why it is kept. */
function keptReasons(artifacts: readonly KeptArtifact[], verdicts: ReadonlyMap<string, Verdict>): Map<string, string> {
  const reasons = new Map<string, string>();
  const restored = new Set(artifacts.filter(({ restorable }) => restorable).map(({ profileId }) => profileId));
  const found = new Set<string>();
  const isFirst = (...kind: unknown[]): boolean => found.size < found.add(JSON.stringify(kind)).size;
  for (const { artifactId, profileId, golden, inUse, restorable, mayBeRestorable, bootId } of artifacts) {
    const newest = restorable && isFirst('restorable', profileId);
    const newestThatMay = mayBeRestorable && isFirst('may be', profileId, restored.has(profileId) ? null : bootId);
    if (golden) reasons.set(artifactId, 'It is golden.');
    else if (inUse) reasons.set(artifactId, 'A worker is running from it.');
    else if (newest) reasons.set(artifactId, 'It is the newest of its profile that can be restored from.');
    else if (newestThatMay) reasons.set(artifactId, 'It is the newest of its profile that may be restorable again.');
    else if (!verdicts.has(artifactId)) reasons.set(artifactId, 'No policy lets it expire.');
  }
  const parentOf = new Map(artifacts.map(({ artifactId, parentId }) => [artifactId, parentId]));
  for (const kept of [...reasons.keys()]) {
    // Walks up to the first ancestor that is known to be kept: its own ancestors are kept, or will be when it
    // is visited.
    let at = parentOf.get(kept);
    while (at != null && parentOf.has(at) && !reasons.has(at)) {
      reasons.set(at, `${kept}, which is kept, holds only what differs from it or from one that descends from it.`);
      at = parentOf.get(at);
    }
  }
  return reasons;
}
