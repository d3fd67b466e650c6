import type { QueryResultRow } from 'pg';
import { invariant } from '../../../1-platform/common/invariant';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { Orphan } from '../machines/reconcile';

/** The known state of an account. */
export interface AccountState {
  readonly account: string;
  readonly verdict: 'accepted' | 'refused' | null;
  readonly listedAt: Date | null;
  readonly failingSince: Date | null;
  readonly failure: string | null;
  readonly orphans: readonly Orphan[];
  /** Time since the last listing request, whatever its result; null: there was none. */
  readonly triedMsAgo: number | null;
}

const NOTHING_KNOWN: Omit<AccountState, 'account'> = {
  verdict: null,
  listedAt: null,
  failingSince: null,
  failure: null,
  orphans: [],
  triedMsAgo: null,
};

const READ = `
  select account, verdict, listed_at as "listedAt", failing_since as "failingSince", failure, orphans,
    (extract(epoch from clock_timestamp() - tried_at) * 1000)::float8 as "triedMsAgo"
  from provider_accounts where account = $account`;

export async function readAccount(tx: Tx, account: string): Promise<AccountState> {
  const [row] = await tx.query<AccountState & QueryResultRow>(READ, { account });
  return row ?? { account, ...NOTHING_KNOWN };
}

const BEGIN = `
  insert into provider_accounts as a (account, tried_at, orphans) values ($account, clock_timestamp(), '[]')
  on conflict (account) do update set tried_at = excluded.tried_at returning a.tried_at as at`;

/** Notes a listing request. @returns its time, by the database's clock */
export async function beginListing(tx: Tx, account: string): Promise<Date> {
  const [row] = await tx.query<{ at: Date }>(BEGIN, { account });
  invariant(row, 'an account is there once it was asked');
  return row.at;
}

// Listings are applied one after the other, and never one that is older than the last applied one.
const TAKE_IN = `
  update provider_accounts set listed_at = $begun_at, verdict = 'accepted', failing_since = null,
    failure = null
  where account = $account and (listed_at is null or listed_at < $begun_at) returning account`;

/** Locks the account. @returns false if a later listing has been applied */
export const takeInListing = async (tx: Tx, account: string, begunAt: Date): Promise<boolean> =>
  (await tx.query(TAKE_IN, { account, begun_at: begunAt })).length > 0;

const KEEP_ORPHANS = 'update provider_accounts set orphans = $orphans where account = $account';

export async function keepOrphans(tx: Tx, account: string, orphans: readonly Orphan[]): Promise<void> {
  await tx.query(KEEP_ORPHANS, { account, orphans: JSON.stringify(orphans) });
}

// A refused key is a valid reply; a failure keeps the known state of the key.
const NOTE_FAILURE = `
  insert into provider_accounts as a (account, tried_at, orphans, failing_since, failure, verdict)
  values ($account, clock_timestamp(), '[]', clock_timestamp(), $failure,
    case when $failure = 'key_refused' then 'refused' end)
  on conflict (account) do update set failing_since = coalesce(a.failing_since, excluded.failing_since),
    failure = excluded.failure, verdict = coalesce(excluded.verdict, a.verdict)
  where $begun_at::timestamptz is null or a.listed_at is null or a.listed_at < $begun_at`;

/** @param begunAt of the failed listing; a later listing that was applied takes precedence */
export async function noteFailure(tx: Tx, account: string, failure: string, begunAt: Date | null): Promise<void> {
  await tx.query(NOTE_FAILURE, { account, failure, begun_at: begunAt });
}
