import type { Machine, MachineFacts, MachineListing } from '../providers/instance-provider';
import { DELETED, recordIdOf, type Phase } from '../instance.states';

/** How long after it was asked for a machine may still turn up; then a record without one has failed. */
export const UNSURE_FOR_MS = 15 * 60_000;

/** For how long listings must have lacked it, at the least: one alone decides nothing. */
export const MISSING_FOR_MS = 60_000;

/** Of orphans, so many are kept and shown; others are when there are fewer of them. */
export const MAX_ORPHANS = 1_000;

/** A machine of ours that no record owns. */
export interface Orphan {
  /** Of the organisation of the record that its tag names; null where there is no such record. */
  readonly orgId: string | null;
  readonly providerId: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly type: string;
  readonly status: string;
  readonly facts: MachineFacts;
}

/** Of a record, what a listing may change, and what that is decided by. */
export interface KnownInstance {
  readonly orgId: string;
  readonly id: string;
  readonly phase: Phase;
  readonly reason: string | null;
  readonly askedAt: Date | null;
  readonly providerId: string | null;
  readonly providerStatus: string | null;
  readonly facts: MachineFacts | null;
  readonly seenAt: Date | null;
  readonly missingSince: Date | null;
  readonly deleteWantedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface Reconciled {
  readonly changed: KnownInstance[];
  readonly orphans: Orphan[];
}

export const REASONS = {
  neverAsked: 'The service did not come to ask the marketplace: no machine was made.',
  noMachine: 'What the marketplace answered is not known, and it has no machine by the tag of this instance.',
  deletedElsewhere: 'It was deleted at the marketplace.',
} as const;

/**
 * What a listing says of records. Where it holds a machine, that counts; where it lacks one, no more follows
 * than that somebody looks: a listing may be older than the machine. A record that no machine was heard of is
 * given up when listings have lacked it for a while, long after it was asked for.
 *
 * @param known those that are under way, and whichever the listing names by tag or id
 * @param begunAt when the listing was asked for, by the database's clock
 */
export function reconcile(known: readonly KnownInstance[], listing: MachineListing, begunAt: Date): Reconciled {
  const byId = new Map(known.map((record) => [record.id, record]));
  const byProviderId = new Map(known.flatMap((record) => (record.providerId ? [[record.providerId, record]] : [])));
  const changed = new Map<string, KnownInstance>();
  const orphans: Orphan[] = [];
  const heard = new Set<string>();
  for (const machine of listing.machines) {
    // A machine is of one record, also where the provider tells of it twice and under other tags.
    if (heard.has(machine.providerId)) continue;
    heard.add(machine.providerId);
    const tagged = recordIdOf(machine.tags);
    // Without our tag it is somebody else's, unless it was ours when it was seen first.
    const record = byProviderId.get(machine.providerId) ?? free(byId.get(tagged ?? ''), changed);
    if (record) changed.set(record.id, seen(record, machine, begunAt));
    else if (tagged !== undefined && machine.status !== DELETED)
      orphans.push(orphanOf(machine, byId.get(tagged)?.orgId ?? null));
  }
  for (const record of known) {
    if (changed.has(record.id)) continue;
    const after = unseen(record, listing.whole, begunAt);
    if (after) changed.set(record.id, after);
  }
  return { changed: [...changed.values()], orphans: bounded(orphans) };
}

/** Those of nobody's record may be another installation's: they come last. */
const bounded = (orphans: readonly Orphan[]): Orphan[] =>
  [...orphans.filter(({ orgId }) => orgId !== null), ...orphans.filter(({ orgId }) => orgId === null)].slice(
    0,
    MAX_ORPHANS,
  );

/** A record is of one machine: a second one with its tag is an orphan. */
const free = (record: KnownInstance | undefined, taken: ReadonlyMap<string, unknown>): KnownInstance | undefined =>
  record && record.providerId === null && !taken.has(record.id) ? record : undefined;

/** A record of which a machine was heard. */
export function seen(record: KnownInstance, machine: Machine, at: Date): KnownInstance {
  const { providerId, status: providerStatus, facts } = machine;
  // What was heard later stands: of two answers that cross, the older one comes last.
  if (record.seenAt && record.seenAt > at) return record;
  const heard = { ...record, providerId, providerStatus, facts, seenAt: at, missingSince: null };
  if (providerStatus === DELETED) return gone(heard, at);
  // Told to be gone by an answer that this one is older than.
  if (record.phase === 'gone' && record.endedAt && record.endedAt >= at) return record;
  return { ...heard, phase: 'placed', reason: null, endedAt: null };
}

/** A record whose machine there is no longer. */
export function gone(record: KnownInstance, at: Date): KnownInstance {
  if (record.phase === 'gone') return record;
  const reason = record.deleteWantedAt ? null : REASONS.deletedElsewhere;
  return { ...record, phase: 'gone', reason, endedAt: at, missingSince: null };
}

/**
 * A record of which the provider was asked by its id, and knows nothing. A machine that is very new, and was
 * in no listing yet, may be one that not all of the provider has heard of.
 */
export const unknown = (record: KnownInstance, at: Date): KnownInstance | undefined =>
  record.phase === 'placed' && (record.seenAt || record.deleteWantedAt || !maybeOnItsWay(record, at))
    ? gone(record, at)
    : undefined;

function unseen(record: KnownInstance, whole: boolean, begunAt: Date): KnownInstance | undefined {
  if (!whole || (record.seenAt && record.seenAt > begunAt)) return undefined;
  const { phase, missingSince } = record;
  if (phase !== 'placed' && phase !== 'asked') return undefined;
  if (missingSince === null) return { ...record, missingSince: begunAt };
  const longMissing = begunAt.getTime() >= missingSince.getTime() + MISSING_FOR_MS;
  if (phase === 'asked' && longMissing && !maybeOnItsWay(record, begunAt))
    return { ...record, phase: 'failed', reason: REASONS.noMachine, endedAt: begunAt };
  return undefined;
}

const maybeOnItsWay = ({ askedAt }: KnownInstance, at: Date): boolean =>
  askedAt !== null && at.getTime() < askedAt.getTime() + UNSURE_FOR_MS;

const orphanOf = ({ providerId, name, cloud, region, type, status, facts }: Machine, orgId: string | null): Orphan => ({
  orgId,
  providerId,
  name,
  cloud,
  region,
  type,
  status,
  facts,
});
