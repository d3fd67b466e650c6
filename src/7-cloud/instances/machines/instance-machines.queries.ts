import type { QueryResultRow } from 'pg';
import { invariant } from '../../../1-platform/common/invariant';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { KNOWN } from '../instances.queries';
import { REASONS, type KnownInstance } from './reconcile';

/** Applies the provider's replies to records: of every organisation, in the service's own transactions. */

// That a listing lacks a machine of another account means nothing.
const OF_ACCOUNT = '(i.account is null or i.account = $account)';

const LOCK_KNOWN = `
  select ${KNOWN} from instances i
  where (i.phase in ('asked', 'placed') and ${OF_ACCOUNT}) or i.id = any ($ids::uuid[])
    or i.provider_id = any ($provider_ids::text[])
  order by i.org_id, i.id for update`;

/** What a listing names: records by the tags of machines, and machines. */
export interface Named {
  readonly ids: readonly string[];
  readonly providerIds: readonly string[];
}

/** Of every organisation: the account's records in progress, and all that a listing names. */
export const lockKnown = (tx: Tx, account: string, { ids, providerIds }: Named): Promise<KnownInstance[]> =>
  tx.query<KnownInstance & QueryResultRow>(LOCK_KNOWN, { account, ids, provider_ids: providerIds });

const LOCK_ONE = `select ${KNOWN} from instances i where i.org_id = $org_id and i.id = $id for update`;

export async function lockOne(tx: Tx, orgId: string, id: string): Promise<KnownInstance | undefined> {
  const [row] = await tx.query<KnownInstance & QueryResultRow>(LOCK_ONE, { org_id: orgId, id });
  return row;
}

const WRITE = `
  update instances as i set phase = w.phase, reason = w.reason, account = w.account,
    provider_id = w."providerId", provider_status = w."providerStatus",
    facts = w.facts, seen_at = w."seenAt", missing_since = w."missingSince", ended_at = w."endedAt"
  from json_to_recordset($changed::json) as w("orgId" uuid, id uuid, phase text, reason text,
    account text, "providerId" text, "providerStatus" text,
    facts json, "seenAt" timestamptz, "missingSince" timestamptz, "endedAt" timestamptz)
  where i.org_id = w."orgId" and i.id = w.id`;

/** Of records that this transaction has locked. */
export async function writeKnown(tx: Tx, changed: readonly KnownInstance[]): Promise<void> {
  if (changed.length > 0) await tx.query(WRITE, { changed: JSON.stringify(changed) });
}

const JOIN_ACCOUNTS = `
  update instances set account = $account
  where account = any ($accounts::text[]) and phase in ('asked', 'placed')`;

/**
 * Records of earlier keys of an account, also those without a machine: what the account lacks means something
 * for them from the next listing on.
 */
export async function joinAccounts(tx: Tx, accounts: readonly string[], account: string): Promise<void> {
  if (accounts.length > 0) await tx.query(JOIN_ACCOUNTS, { accounts, account });
}

const GIVE_UP = `
  update instances set phase = 'failed', reason = $reason, ended_at = clock_timestamp()
  where phase = 'recorded' and created_at < clock_timestamp() - make_interval(secs => $seconds) returning id`;

/**
 * Records whose request was not sent in time. A sender that is too late finds this out before it sends
 * anything.
 */
export const failNeverAsked = async (tx: Tx, seconds: number): Promise<number> =>
  (await tx.query(GIVE_UP, { reason: REASONS.neverAsked, seconds })).length;

const DATABASE_TIME = 'select clock_timestamp()::timestamptz(3) as at';

/** The time of the request, for listings and replies. */
export async function databaseTime(tx: Tx): Promise<Date> {
  const [row] = await tx.query<{ at: Date }>(DATABASE_TIME);
  invariant(row, 'the database tells the time');
  return row.at;
}

// `now()`, because an index needs a constant time.
const OPEN = `
  select coalesce(bool_or(${OF_ACCOUNT} and (i.phase = 'asked' or i.missing_since is not null
    or (i.phase = 'placed' and i.delete_wanted_at is not null))), false) as urgent,
    count(*)::int as open
  from instances i where i.phase in ('asked', 'placed')
    or i.ended_at > now() - make_interval(secs => $late_seconds)`;

/**
 * Whether a listing is expected to change anything, and how many machines it may contain: also those of other
 * accounts, because another key may be one of the same account.
 * @param lateSeconds how long a machine of an ended record may still appear
 */
export async function openInstances(
  tx: Tx,
  account: string,
  lateSeconds: number,
): Promise<{ urgent: boolean; open: number }> {
  const values = { account, late_seconds: lateSeconds };
  const [row] = await tx.query<{ urgent: boolean; open: number }>(OPEN, values);
  return row ?? { urgent: false, open: 0 };
}

export interface PlacedInstance {
  readonly orgId: string;
  readonly id: string;
  readonly providerId: string;
}

// The deletion of a machine is repeated only when it takes very long.
const DELETE_DUE = `
  i.phase = 'placed' and i.delete_wanted_at is not null
    and (i.delete_asked_at is null or i.delete_asked_at < clock_timestamp()
    - case when i.provider_status = 'deleting' then interval '10 minutes' else interval '30 seconds' end)`;

const DUE = `
  select i.org_id as "orgId", i.id, i.provider_id as "providerId" from instances i
  where ${DELETE_DUE} and ${OF_ACCOUNT}
  order by i.delete_asked_at nulls first limit $limit`;

export const dueDeletions = (tx: Tx, account: string, limit: number): Promise<PlacedInstance[]> =>
  tx.query<PlacedInstance & QueryResultRow>(DUE, { account, limit });

const CLAIM = `
  update instances as i set delete_asked_at = clock_timestamp()
  where i.org_id = $org_id and i.id = $id and ${DELETE_DUE} returning i.id`;

/** @returns false if another replica asks, or has just asked */
export const claimDeletion = async (tx: Tx, { orgId, id }: PlacedInstance): Promise<boolean> =>
  (await tx.query(CLAIM, { org_id: orgId, id })).length > 0;

const MISSING = `
  select i.org_id as "orgId", i.id, i.provider_id as "providerId" from instances i
  where i.phase = 'placed' and i.missing_since is not null and ${OF_ACCOUNT}
  order by random() limit $limit`;

/** In random order, so that unknown machines do not delay others. */
export const missingInstances = (tx: Tx, account: string, limit: number): Promise<PlacedInstance[]> =>
  tx.query<PlacedInstance & QueryResultRow>(MISSING, { account, limit });
