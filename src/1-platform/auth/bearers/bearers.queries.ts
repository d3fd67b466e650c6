import type { StatementPool } from '../../database/connections/statement-pool';
import { unscoped } from '../../database/transactions/statement';
import type { Role, Scope } from '../../endpoints/access';

/**
 * Every request waits for its bearer first. This limits how long it waits if the database does not answer.
 */
const TIMING = { query_timeout: 1_500 };

// The last use is stored to the minute, so a busy token costs one write a minute. The database's clock
// decides whether the token has expired.
const FIND_TOKEN = unscoped(
  'verify-token',
  `
    with token as (
      select org_id, id, role, scope, last_used_at, expires_at from access_tokens
      where digest = $digest and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    ), used as (
      update access_tokens t set last_used_at = clock_timestamp() from token
      where t.org_id = token.org_id and t.id = token.id
        and (token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute')
    )
    select org_id, id, role, scope,
      (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as lives_ms
    from token`,
  TIMING,
);

export interface TokenRow {
  org_id: string;
  id: string;
  role: Role;
  scope: Scope;
  lives_ms: number | null;
}

export async function findToken(statements: StatementPool, digest: Buffer): Promise<TokenRow | undefined> {
  const [row] = await statements.run<TokenRow & Record<string, unknown>>(FIND_TOKEN, { digest });
  return row;
}

const FIND_KEY = unscoped(
  'verify-inference-key',
  'select org_id, id, models from inference_keys where digest = $digest and revoked_at is null',
  TIMING,
);

export interface KeyRow {
  org_id: string;
  id: string;
  models: string[];
}

export async function findKey(statements: StatementPool, digest: Buffer): Promise<KeyRow | undefined> {
  const [row] = await statements.run<KeyRow & Record<string, unknown>>(FIND_KEY, { digest });
  return row;
}

const ORGANISATION = unscoped('organisation-exists', 'select from organisations where id = $org_id');

export const organisationExists = async (statements: StatementPool, orgId: string): Promise<boolean> =>
  (await statements.run(ORGANISATION, { org_id: orgId })).length > 0;
