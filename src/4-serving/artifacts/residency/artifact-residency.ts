import { isBootTied, isUsable, type ArtifactStatus, type Tier } from '../artifact.states';

export const RESIDENCY_STATES = [
  'restorable',
  'deleted',
  'not_ready',
  'no_uri',
  'parent_missing',
  'node_unknown',
  'node_gone',
  'node_not_ready',
  'node_rebooted',
  'flags_changed',
  'restore_failed',
] as const;
export type ResidencyState = (typeof RESIDENCY_STATES)[number];

/** A node as its cluster last reported it. */
export interface HoldingNode {
  readonly status: string;
  /** Empty if its cluster does not report it. */
  readonly bootId: string;
  readonly lastSync: Date;
  /** Its cluster reported the deletion. */
  readonly deleted: boolean;
  /** Not reported for 5 minutes. */
  readonly silent: boolean;
}

/** The inputs of an artifact's residency. */
export interface ResidencyFacts {
  readonly artifactId: string;
  readonly parentId: string | null;
  readonly status: ArtifactStatus;
  readonly uri: string;
  /** The tier that holds the bytes. */
  readonly tier: Tier;
  /** The tier that still holds the original, if those bytes are a copy. Reboots leave it alone. */
  readonly originalTier: Tier | null;
  readonly nodeName: string | null;
  readonly bootId: string | null;
  readonly node: HoldingNode | null;
  /** Its cluster, if that is not registered any more: its nodes went with it. */
  readonly goneCluster: string | null;
  /** Its engine flags and those of the profile, shortened; null if there are none. */
  readonly flags: string | null;
  readonly profileFlags: string | null;
  /** Whether both are equal; null if one of them is missing. */
  readonly flagsVerified: boolean | null;
  /** The last restore of it, if that failed within the last hour. */
  readonly restoreFailure: { readonly at: Date; readonly reason: string } | null;
}

export interface Residency {
  readonly state: ResidencyState;
  /** The tier of the bytes that decide: those of the original, once the copy is not there. */
  readonly tier: Tier;
  /** The tier that holds bytes; of a copy that is lost for good, that of the original. */
  readonly keptOn: Tier;
  /** One sentence that names the evidence. */
  readonly reason: string;
}

type Fault = Pick<Residency, 'state' | 'reason'> | undefined;

/**
 * Whether artifacts can be restored from, and why not: the first check that fails. An artifact holds only the
 * difference to its parent, so it needs a restorable parent.
 * @param all the artifacts and all of their ancestors
 */
export function residencies(all: readonly ResidencyFacts[]): Map<string, Residency> {
  const known = new Map(all.map((facts) => [facts.artifactId, facts]));
  const chains = chainFaults(known);
  return new Map(all.map((facts) => [facts.artifactId, residencyOf(facts, chains)]));
}

/**
 * The artifacts that can be restored from, or may be again: what is unknown, or may pass, counts as well. A
 * silent node may still hold its bytes, and the next restore may succeed.
 * @param all the artifacts and all of their ancestors
 */
export function mayBeRestorable(all: readonly ResidencyFacts[]): Set<string> {
  const best = residencies(all.map(atBest));
  return new Set([...best].filter(([, { state }]) => state === 'restorable').map(([id]) => id));
}

/** Whether its node has lost the bytes for good. */
function isLost({ tier, node, bootId, goneCluster }: ResidencyFacts): boolean {
  const rebooted = !!node?.bootId && bootId !== null && node.bootId !== bootId;
  return isBootTied(tier) && (rebooted || node?.deleted === true || goneCluster !== null);
}

/** The facts without those that may pass: of a node, only that it has lost the bytes stays. */
const atBest = (facts: ResidencyFacts): ResidencyFacts => ({
  ...facts,
  tier: isLost(facts) ? facts.tier : 'object',
  restoreFailure: null,
});

function residencyOf(facts: ResidencyFacts, chains: ReadonlyMap<string, string | undefined>): Residency {
  const broken = facts.parentId === null ? undefined : chains.get(facts.parentId);
  const parent: Fault =
    broken === undefined
      ? undefined
      : { state: 'parent_missing', reason: `It holds only what differs from its parent, and ${broken}` };
  const copy = nodeFault(facts);
  const fault = statusFault(facts) ?? parent ?? bytesFault(facts, copy) ?? flagsFault(facts) ?? restoreFault(facts);
  const tier = (copy && facts.originalTier) ?? facts.tier;
  const keptOn = (isLost(facts) ? facts.originalTier : null) ?? facts.tier;
  return { ...(fault ?? { state: 'restorable', reason: restorableReason(facts, copy) }), tier, keptOn };
}

/** By artifact, why its chain cannot be restored up to it; undefined if it can. */
function chainFaults(known: ReadonlyMap<string, ResidencyFacts>): Map<string, string | undefined> {
  const faults = new Map<string, string | undefined>();
  for (const start of known.keys()) {
    // From the artifact to the first ancestor that is decided, or has no parent; then back, oldest first.
    const chain: ResidencyFacts[] = [];
    const seen = new Set<string>();
    let at: string | null = start;
    while (at !== null && !faults.has(at) && !seen.has(at)) {
      const facts = known.get(at);
      seen.add(at);
      if (!facts) {
        faults.set(at, `the artifact ${at} is not known.`);
        break;
      }
      chain.push(facts);
      at = facts.parentId;
    }
    // A cycle has no root to restore from.
    const circle = at !== null && seen.has(at) && !faults.has(at);
    let fault =
      at === null ? undefined : circle ? `the artifacts up to ${at} are each other's parents.` : faults.get(at);
    for (const facts of chain.reverse()) {
      const own = statusFault(facts) ?? bytesFault(facts, nodeFault(facts));
      fault ??= own && `${facts.artifactId} is not there: ${continued(own.reason)}`;
      faults.set(facts.artifactId, fault);
    }
  }
  return faults;
}

function statusFault({ status, uri }: ResidencyFacts): Fault {
  if (status === 'deleted') return { state: 'deleted', reason: 'It was deleted.' };
  if (!isUsable(status)) return { state: 'not_ready', reason: `Its status is ${status}.` };
  if (uri === '') return { state: 'no_uri', reason: 'It was registered without a location.' };
  return undefined;
}

/** @param copy why the bytes on its tier are not there */
const bytesFault = ({ originalTier }: ResidencyFacts, copy: Fault): Fault => (originalTier === null ? copy : undefined);

function nodeFault({ tier, nodeName, bootId, node, goneCluster }: ResidencyFacts): Fault {
  if (!isBootTied(tier)) return undefined;
  const lies = `It lies on the ${tier} tier`;
  if (goneCluster !== null) {
    const on = nodeName === null ? 'a node' : `the node ${nodeName}`;
    const reason = `${lies} of ${on} in the cluster ${goneCluster}, which is not registered any more.`;
    return { state: 'node_gone', reason };
  }
  if (nodeName === null) return { state: 'node_unknown', reason: `${lies}, and its node is not known.` };
  if (!node)
    return { state: 'node_unknown', reason: `${lies} of the node ${nodeName}, which no cluster has reported.` };
  const on = `${lies} of the node ${nodeName}`;
  const { lastSync, status } = node;
  if (node.deleted)
    return { state: 'node_gone', reason: `${on}, which its cluster reported as deleted at ${lastSync.toISOString()}.` };
  if (node.silent)
    return { state: 'node_gone', reason: `${on}, which was last reported at ${lastSync.toISOString()}.` };
  if (status !== 'Ready') return { state: 'node_not_ready', reason: `${on}, which is ${status}.` };
  if (bootId === null)
    return { state: 'node_unknown', reason: `${on}, and the boot in which it was taken is not known.` };
  if (node.bootId === '') return { state: 'node_unknown', reason: `${on}, whose cluster does not report its boot.` };
  if (node.bootId !== bootId)
    return {
      state: 'node_rebooted',
      reason: `${on} since its boot ${bootId}, and that is in boot ${node.bootId} now.`,
    };
  return undefined;
}

const flagsFault = ({ flagsVerified, flags, profileFlags }: ResidencyFacts): Fault =>
  flagsVerified === false
    ? {
        state: 'flags_changed',
        reason: `It was taken from an engine with the flags ${flags}, and the profile starts engines with ${profileFlags}.`,
      }
    : undefined;

const restoreFault = ({ restoreFailure }: ResidencyFacts): Fault =>
  restoreFailure
    ? {
        state: 'restore_failed',
        reason: `The last restore of it failed at ${restoreFailure.at.toISOString()}: ${restoreFailure.reason}`,
      }
    : undefined;

const continued = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

function restorableReason({ tier, originalTier, status, nodeName, bootId }: ResidencyFacts, copy: Fault): string {
  if (copy)
    return `It is ${status} on the ${originalTier} tier, which outlives reboots; its copy is not there: ${continued(copy.reason)}`;
  if (!isBootTied(tier)) return `It is ${status} on the ${tier} tier, which outlives reboots.`;
  return `It is ${status} on the ${tier} tier of the node ${nodeName}, which is ready and still in boot ${bootId}.`;
}
