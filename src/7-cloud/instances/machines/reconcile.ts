import type { Machine, MachineFacts, MachineListing, ProviderFault } from '../providers/instance-provider';
import { DELETED, DELETING, recordIdOf, type Phase } from '../instance.states';

/** How long after the request a machine may still appear; then a record without one has failed. */
export const UNSURE_FOR_MS = 15 * 60_000;

/** How long listings must have lacked it, at least: one alone decides nothing. */
export const MISSING_FOR_MS = 60_000;

/** Maximal orphans that are kept and shown; further ones follow when there are fewer. */
export const MAX_ORPHANS = 1_000;

/** A machine with the service's tag that no record owns. */
export interface Orphan {
  /** The organisation of the record in its tag; null if there is no such record. */
  readonly orgId: string | null;
  readonly providerId: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly type: string;
  readonly status: string;
  readonly facts: MachineFacts;
}

/** The members of a record that a listing may change, or that decide the change. */
export interface KnownInstance {
  readonly orgId: string;
  readonly id: string;
  readonly phase: Phase;
  readonly reason: string | null;
  readonly askedAt: Date | null;
  /** Null: not known. */
  readonly account: string | null;
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
  /** Earlier keys of the same account: it lists a machine that a record of theirs has tagged. */
  readonly sameAccounts: string[];
}

/** A reply of the provider about machines. */
export interface Reply {
  /** The account that was asked. */
  readonly account: string;
  /** When it was asked, by the database's clock. */
  readonly at: Date;
}

/** Whether the absence of a machine from an account means anything for a record. */
export const isOf = (record: Pick<KnownInstance, 'account'>, account: string): boolean =>
  record.account === null || record.account === account;

export const REASONS = {
  neverAsked: 'The service never sent the request to the marketplace: no machine was created.',
  noMachine: 'The reply of the marketplace is not known, and it has no machine with the tag of this instance.',
  deletedElsewhere: 'It was deleted at the marketplace.',
  forgotten: 'It was forgotten: no configured key of the marketplace could delete it. The machine may run on.',
} as const;

/**
 * The changes to records after a listing. A listed machine exists. A missing one is only looked up: a listing
 * may be older than the machine. A record without a machine is given up when listings have lacked it for a
 * while, long after the request. That a machine of another account is missing means nothing, but a listed one
 * belongs to the account that was asked: another key of the same account lists them all again.
 *
 * @param known those in progress, and those that the listing names by tag or id
 */
export function reconcile(known: readonly KnownInstance[], listing: MachineListing, reply: Reply): Reconciled {
  const byId = new Map(known.map((record) => [record.id, record]));
  const byProviderId = new Map(known.flatMap((record) => (record.providerId ? [[record.providerId, record]] : [])));
  const changed = new Map<string, KnownInstance>();
  const orphans: Orphan[] = [];
  const sameAccounts = new Set<string>();
  const done = new Set<string>();
  for (const machine of listing.machines) {
    // A machine belongs to one record, even if the provider lists it twice and under other tags.
    if (done.has(machine.providerId)) continue;
    done.add(machine.providerId);
    const tagged = recordIdOf(machine.tags);
    // Without the service's tag it is foreign, unless it had the tag when it was first seen.
    const record = byProviderId.get(machine.providerId) ?? free(byId.get(tagged ?? ''), changed);
    // The tag, because another marketplace may have the same ids of machines.
    if (record && record.id === tagged && !isOf(record, reply.account)) sameAccounts.add(record.account ?? '');
    if (record) changed.set(record.id, seen(record, machine, reply));
    else if (tagged !== undefined && machine.status !== DELETED)
      orphans.push(orphanOf(machine, byId.get(tagged)?.orgId ?? null));
  }
  for (const record of known) {
    if (changed.has(record.id) || !isOf(record, reply.account)) continue;
    const after = unseen(record, listing.whole, reply.at);
    if (after) changed.set(record.id, after);
  }
  return { changed: [...changed.values()], orphans: bounded(orphans), sameAccounts: [...sameAccounts] };
}

/** Those without a record may belong to another installation: they come last. */
const bounded = (orphans: readonly Orphan[]): Orphan[] =>
  [...orphans.filter(({ orgId }) => orgId !== null), ...orphans.filter(({ orgId }) => orgId === null)].slice(
    0,
    MAX_ORPHANS,
  );

/** A record has one machine: a second one with its tag is an orphan. */
const free = (record: KnownInstance | undefined, taken: ReadonlyMap<string, unknown>): KnownInstance | undefined =>
  record && record.providerId === null && !taken.has(record.id) ? record : undefined;

/** A record whose machine was seen. */
export function seen(record: KnownInstance, machine: Machine, { account, at }: Reply): KnownInstance {
  const { providerId, status: providerStatus, facts } = machine;
  // The later information counts: of two crossing replies, the older one arrives last.
  if (record.seenAt && record.seenAt > at) return record;
  const current = { ...record, account, providerId, providerStatus, facts, seenAt: at, missingSince: null };
  if (providerStatus === DELETED) return gone(current, at);
  // A reply that is newer than this one said that it is gone.
  if (record.phase === 'gone' && record.endedAt && record.endedAt >= at) return record;
  // What keeps it from being deleted holds until a deletion is accepted.
  const reason = record.phase === 'placed' && providerStatus !== DELETING ? record.reason : null;
  return { ...current, phase: 'placed', reason, endedAt: null };
}

/** Why a machine that is to be deleted may stay. */
export function notDeleted(fault: ProviderFault): string {
  const details = [fault.status, fault.words()].filter((detail) => detail !== undefined).join(': ');
  return `The marketplace has not confirmed its deletion: ${fault.message}${details === '' ? '' : ` (${details})`}.`;
}

/**
 * A record after a request to delete its machine. One that is being deleted needs no further request.
 * @param refusal null if the request was accepted
 */
export function deletionAnswered(record: KnownInstance, refusal: string | null): KnownInstance | undefined {
  const reason = record.providerStatus === DELETING ? null : refusal;
  return record.phase === 'placed' && record.reason !== reason ? { ...record, reason } : undefined;
}

/** A record whose machine no longer exists. */
export function gone(record: KnownInstance, at: Date): KnownInstance {
  if (record.phase === 'gone') return record;
  const reason = record.deleteWantedAt ? null : REASONS.deletedElsewhere;
  return { ...record, phase: 'gone', reason, endedAt: at, missingSince: null };
}

/**
 * A record whose machine the provider does not know by its id. A very new machine that was in no listing yet
 * may not be known to every part of the provider.
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
