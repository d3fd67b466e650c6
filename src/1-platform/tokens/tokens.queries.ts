import { TOKEN_REVOKED } from '../auth/bearers/token-verifier';
import type { Tx } from '../database/transactions/tx';
import type { Scope } from '../endpoints/access';

const AHEAD = 'select $moment::timestamptz > clock_timestamp() as ahead';

/** By the database's clock, which also decides on every use of a token: the clocks of replicas may differ. */
export async function isAhead(tx: Tx, moment: Date): Promise<boolean> {
  const [row] = await tx.query<{ ahead: boolean }>(AHEAD, { moment });
  return row?.ahead === true;
}

// An admin of platform scope revokes tokens of every organisation, so this names none: see `actAsSystem`.
const REVOKE = `
  update access_tokens set revoked_at = coalesce(revoked_at, $now) where id = $id
  returning scope`;
const NOTIFY = 'select pg_notify($channel, $id)';

/** @returns the scope of the token; undefined if the transaction sees no such token */
export async function revokeToken(tx: Tx, id: string, now: Date): Promise<Scope | undefined> {
  const [row] = await tx.query<{ scope: Scope }>(REVOKE, { id, now });
  return row?.scope;
}

/** Replicas drop the token from their caches when the transaction is committed. */
export async function notifyRevoked(tx: Tx, id: string): Promise<void> {
  await tx.query(NOTIFY, { channel: TOKEN_REVOKED, id });
}

const ACT_AS_SYSTEM = "select set_config('app.system', 'on', true)";

/** The change is one of the admin's organisation, as its audit entry says; the row may be another's. */
export async function actAsSystem(tx: Tx): Promise<void> {
  await tx.query(ACT_AS_SYSTEM);
}

const LOCK_ORGANISATIONS = 'lock table organisations in share row exclusive mode';

/** If replicas start together, one of them prepares the database. The others wait and find it prepared. */
export async function lockOrganisations(tx: Tx): Promise<void> {
  await tx.query(LOCK_ORGANISATIONS);
}

const WORKS = `
  select from access_tokens
  where digest = $digest and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;

/** Over all organisations. */
export const tokenWorks = async (tx: Tx, digest: Buffer): Promise<boolean> =>
  (await tx.query(WORKS, { digest })).length > 0;
