import type { QueryResultRow } from 'pg';
import { TOKEN_REVOKED } from '../auth/bearers/token-verifier';
import type { Slice } from '../common/answers/paging';
import { rowsOf } from '../database/rows/bounded-page';
import { likeContaining } from '../database/rows/like-pattern';
import type { Tx } from '../database/transactions/tx';
import type { Role, Scope } from '../endpoints/access';
import type { ListedTokenView, TokenStatus } from './tokens.dto';

const STATUS = `
  case when t.revoked_at is not null then 'revoked' when t.expires_at <= clock_timestamp() then 'expired'
    else 'active' end`;

/** @param whose a condition on a row `t` */
const listOf = (whose: string): string => `
  select t.id as token_id, t.name, t.role, t.scope, t.org_id as organisation_id, o.name as organisation_name,
    ${STATUS} as status, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
  from access_tokens t join organisations o on o.id = t.org_id
  where ${whose} and ($status::text is null or ${STATUS} = $status)
    and ($name::text is null or t.name ilike $name)
  order by t.created_at desc, t.id desc limit $limit offset $offset`;
const LIST = listOf('t.org_id = $org_id');
// Only for an admin of platform scope, in a transaction of the system.
const LIST_OF_ALL = listOf('true');

export interface TokenFilter {
  readonly status?: TokenStatus;
  /** A part of it. */
  readonly name?: string;
}

/** @param orgId undefined: of every organisation */
export const listTokens = (
  tx: Tx,
  orgId: string | undefined,
  { status, name }: TokenFilter,
  slice: Slice,
): Promise<ListedTokenView[]> => {
  const values = { status: status ?? null, name: likeContaining(name), ...rowsOf(slice) };
  return orgId === undefined
    ? tx.query<ListedTokenView & QueryResultRow>(LIST_OF_ALL, values)
    : tx.query<ListedTokenView & QueryResultRow>(LIST, { org_id: orgId, ...values });
};

const AHEAD = 'select $moment::timestamptz > clock_timestamp() as ahead';

/** By the database's clock, which also decides on every use of a token: the clocks of replicas may differ. */
export async function isAhead(tx: Tx, moment: Date): Promise<boolean> {
  const [row] = await tx.query<{ ahead: boolean }>(AHEAD, { moment });
  return row?.ahead === true;
}

// An admin of platform scope revokes tokens of every organisation, so this names none: see `actAsSystem`.
const REVOKE = `
  update access_tokens set revoked_at = coalesce(revoked_at, $now) where id = $id
  returning org_id, name, role, scope`;
const NOTIFY = 'select pg_notify($channel, $id)';

export interface RevokedToken {
  readonly org_id: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: Scope;
}

/** @returns undefined if the transaction sees no such token */
export const revokeToken = async (tx: Tx, id: string, now: Date): Promise<RevokedToken | undefined> =>
  (await tx.query<RevokedToken & QueryResultRow>(REVOKE, { id, now }))[0];

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
