import type { QueryResultRow } from 'pg';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { KEY_CHANGED } from '../../1-platform/auth/bearers/key-verifier';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { ChangeableKeyMembers, CreateInferenceKeyBody, InferenceKeyView } from './inference-keys.dto';

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

const LOCK = `
  select name, models, budget_usd::float8 as budget_usd, rate_limit_rps, tenant_id from inference_keys
  where org_id = $org_id and id = $id and revoked_at is null for no key update`;

/**
 * Locks a key until the transaction ends: whoever changes it waits, and so do admissions.
 * @returns undefined if there is no such key, or it is revoked
 */
export async function lockKey(tx: Tx, id: string): Promise<Required<ChangeableKeyMembers> | undefined> {
  const [row] = await tx.query<Required<ChangeableKeyMembers> & QueryResultRow>(LOCK, { org_id: tx.orgId, id });
  return row;
}

// Admissions and settlements take turns with it on the row: whatever it waits for, it counts from what they
// have left. Another rate begins with the tokens that the bucket has now, and a first one with none: whoever
// changes it again and again gets no second burst. `now` may be before the last admission, if this waited for
// it.
const UPDATE = `
  with before as (
    select id, models, rate_limit_rps from inference_keys
    where org_id = $org_id and id = $id and revoked_at is null for no key update
  ), changed as (
    update inference_keys k set
      name = coalesce($name, k.name),
      models = coalesce($models::text[], k.models),
      tenant_id = case when $sets_tenant then $tenant_id else k.tenant_id end,
      budget_usd = case when $sets_budget then $budget_usd::numeric else k.budget_usd end,
      admitted_usd = k.spent_usd + k.reserved_usd,
      rate_limit_rps = case when $sets_rate then $rate_limit_rps::bigint else k.rate_limit_rps end,
      bucket_tokens = case
        when not $sets_rate or k.rate_limit_rps is not distinct from $rate_limit_rps::bigint
          then k.bucket_tokens
        when k.rate_limit_rps is null then 0
        else least($rate_limit_rps::bigint, k.rate_limit_rps, k.bucket_tokens
          + greatest(extract(epoch from t.now - k.bucket_at), 0)::float8 * k.rate_limit_rps)
      end,
      bucket_at = case
        when not $sets_rate or k.rate_limit_rps is not distinct from $rate_limit_rps::bigint then k.bucket_at
        else greatest(k.bucket_at, t.now)
      end
    from before b, (select clock_timestamp() as now) t
    where k.org_id = $org_id and k.id = b.id
    returning k.*
  ), notified as materialized (
    select pg_notify('${KEY_CHANGED}', c.id::text) from changed c join before b on b.id = c.id
    where c.models <> b.models or c.rate_limit_rps is distinct from b.rate_limit_rps
  )
  select ${COLUMNS}, (select count(*) from notified) > 0 as notified from changed`;

/** A key after a change. */
interface UpdatedKey {
  readonly key: InferenceKeyView;
  /** Replicas hear of it: what they may remember of the key has changed. */
  readonly isNotified: boolean;
}

/**
 * Members that are undefined stay. Notifies every replica at the commit if its models or its rate changed.
 * @returns undefined if there is no such key, or it is revoked
 */
export async function updateKey(
  tx: Tx,
  id: string,
  { name, models, budget_usd, rate_limit_rps, tenant_id }: ChangeableKeyMembers,
): Promise<UpdatedKey | undefined> {
  const [row] = await tx.query<KeyRow & { notified: boolean }>(UPDATE, {
    org_id: tx.orgId,
    id,
    name: name ?? null,
    models: models ?? null,
    sets_budget: budget_usd !== undefined,
    budget_usd: budget_usd ?? null,
    sets_rate: rate_limit_rps !== undefined,
    rate_limit_rps: rate_limit_rps ?? null,
    sets_tenant: tenant_id !== undefined,
    tenant_id: tenant_id ?? null,
  });
  if (!row) return undefined;
  const { notified: isNotified, ...key } = row;
  return { key, isNotified };
}

const REVOKE = `
  with revoked as (
    update inference_keys set revoked_at = coalesce(revoked_at, clock_timestamp())
    where org_id = $org_id and id = $id returning id
  )
  select id::text as key_id, pg_notify('${KEY_CHANGED}', id::text) from revoked`;

/** Notifies every replica at the commit. @returns the stored id; undefined if there is no such key */
export const revokeKey = async (tx: Tx, id: string): Promise<string | undefined> =>
  (await tx.query<{ key_id: string }>(REVOKE, { org_id: tx.orgId, id }))[0]?.key_id;
