import { TIERS, type Tier } from '../artifacts/artifact.states';
import type { KeptArtifact } from '../artifacts/residency/kept-artifacts.queries';

/** What of a policy decides. Without a limit it lets nothing expire. */
export interface RetentionLimits {
  /** Null for one that is only tried out. */
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
  readonly decision: 'keep' | 'expire';
  /** One sentence. */
  readonly reason: string;
  /** The policy that lets it expire, or would but for the reason. */
  readonly policyId: string | null;
}

const DAY_SECONDS = 86_400;

interface Verdict {
  readonly policy: RetentionLimits;
  readonly reason: string;
}

/**
 * What becomes of each artefact. One is let go when a policy that covers it says that it is too old, or that
 * its profile has enough newer ones. Kept all the same are golden ones, those in use, the newest of each
 * profile that can be restored from, and every ancestor of what is kept.
 * @param artifacts every one whose bytes are kept, the newest first
 */
export function decideRetention(
  artifacts: readonly KeptArtifact[],
  policies: readonly RetentionLimits[],
): RetentionDecision[] {
  const verdicts = verdictsOf(artifacts, policies);
  const reasons = keptReasons(artifacts, verdicts);
  return artifacts.map(({ artifactId }) => {
    const verdict = verdicts.get(artifactId);
    const kept = reasons.get(artifactId);
    const policyId = verdict?.policy.policyId ?? null;
    return kept === undefined
      ? { artifactId, decision: 'expire', reason: verdict?.reason ?? '', policyId }
      : { artifactId, decision: 'keep', reason: kept, policyId };
  });
}

/**
 * Those of some that may go now: not the ancestors of any that stays for now, whatever was decided on it.
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
    // Up to the first that does not go: one that stays has its own turn, one that was taken out has had it.
    let at: string | null | undefined = parentId;
    while (at != null && going.delete(at)) at = parentOf.get(at);
  }
  return going;
}

const covers = ({ enabled, profileId, minTier }: RetentionLimits, artifact: KeptArtifact): boolean =>
  enabled &&
  (profileId === null || profileId === artifact.profileId) &&
  (minTier === null || TIERS.indexOf(artifact.tier) >= TIERS.indexOf(minTier));

/** By artefact, the first policy that lets it go. */
function verdictsOf(artifacts: readonly KeptArtifact[], policies: readonly RetentionLimits[]): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const policy of policies) {
    const { maxAgeDays, maxCount } = policy;
    const newer = new Map<string, number>();
    for (const artifact of artifacts) {
      if (!covers(policy, artifact)) continue;
      const { artifactId, profileId, ageSeconds } = artifact;
      const before = newer.get(profileId) ?? 0;
      // Golden ones are kept beside the count, and take nobody's place.
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

/** By artefact, why it is kept. */
function keptReasons(artifacts: readonly KeptArtifact[], verdicts: ReadonlyMap<string, Verdict>): Map<string, string> {
  const reasons = new Map<string, string>();
  const restorableFound = new Set<string>();
  for (const { artifactId, profileId, golden, inUse, restorable } of artifacts) {
    const newestRestorable = restorable && !restorableFound.has(profileId);
    if (newestRestorable) restorableFound.add(profileId);
    if (golden) reasons.set(artifactId, 'It is golden.');
    else if (inUse) reasons.set(artifactId, 'A worker is running from it.');
    else if (newestRestorable) reasons.set(artifactId, 'It is the newest of its profile that can be restored from.');
    else if (!verdicts.has(artifactId)) reasons.set(artifactId, 'No policy lets it expire.');
  }
  const parentOf = new Map(artifacts.map(({ artifactId, parentId }) => [artifactId, parentId]));
  for (const kept of [...reasons.keys()]) {
    // Up to the first ancestor that is known to be kept: all above it are, or will be when it has its turn.
    let at = parentOf.get(kept);
    while (at != null && parentOf.has(at) && !reasons.has(at)) {
      reasons.set(at, `${kept}, which is kept, holds only what differs from it or from one that descends from it.`);
      at = parentOf.get(at);
    }
  }
  return reasons;
}
