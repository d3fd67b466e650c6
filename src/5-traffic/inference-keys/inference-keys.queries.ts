import type { QueryResultRow } from 'pg';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { KEY_REVOKED } from '../../1-platform/auth/bearers/key-verifier';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { CreateInferenceKeyBody, InferenceKeyView } from './inference-keys.dto';

// The ledger keeps the amounts within and beyond the reservations apart. The API shows their sum as
// `spent_usd`.
const COLUMNS = `id::text as key_id, name, models, created_at, budget_usd::float8 as budget_usd,
  rate_limit_rps, revoked_at, tenant_id, (spent_usd + overrun_usd)::float8 as spent_usd,
  reserved_usd::float8 as reserved_usd, overrun_usd::float8 as overrun_usd`;

type KeyRow = InferenceKeyView & QueryResultRow;

// The bucket is full at first.
const INSERT = `
  insert into inference_keys (org_id, id, name, digest, models, budget_usd, rate_limit_rps, tenant_id,
    bucket_tokens)
  values ($org_id, $id, $name, $digest, $models, $budget_usd, $rate_limit_rps::bigint, $tenant_id,
    coalesce($rate_limit_rps, 0))
  returning ${COLUMNS}`;

export async function insertKey(
  tx: Tx,
  id: string,
  digest: Buffer,
  body: CreateInferenceKeyBody,
): Promise<InferenceKeyView> {
  const { name, models = [], budget_usd = null, rate_limit_rps = null, tenant_id = null } = body;
  const values = { org_id: tx.orgId, id, name, digest, models, budget_usd, rate_limit_rps, tenant_id };
  return (await tx.query<KeyRow>(INSERT, values))[0] as KeyRow;
}

const LIST = `
  select ${COLUMNS} from inference_keys where org_id = $org_id
  order by created_at desc, id desc limit $limit offset $offset`;

export const listKeys = async (tx: Tx, slice: Slice): Promise<Page<InferenceKeyView>> =>
  Page.of(await tx.query<KeyRow>(LIST, { org_id: tx.orgId, ...rowsOf(slice) }), slice);

const REVOKE = `
  with revoked as (
    update inference_keys set revoked_at = coalesce(revoked_at, clock_timestamp())
    where org_id = $org_id and id = $id returning id
  )
  select pg_notify('${KEY_REVOKED}', id::text) from revoked`;

/** Notifies every replica at the commit. @returns false if there is no such key */
export const revokeKey = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.query(REVOKE, { org_id: tx.orgId, id })).length > 0;
