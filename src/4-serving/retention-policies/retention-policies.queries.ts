import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import type { Tier } from '../artifacts/artifact.states';
import type { Expiry } from '../artifacts/residency/kept-artifacts.queries';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { RetentionPolicy } from './retention-policy.entity';
import type { RetentionLimits } from './retention-rule';
import { RetentionRun } from './retention-run.entity';

export interface RetentionPolicyRow {
  policy_id: string;
  name: string;
  enabled: boolean;
  max_age_days: number | null;
  max_count: number | null;
  min_tier: Tier | null;
  profile_id: string | null;
}

type Row = RetentionPolicyRow & QueryResultRow;

const COLUMNS = 'policy_id, name, enabled, max_age_days, max_count, min_tier, profile_id';

const SAVE = `
  insert into retention_policies (org_id, ${COLUMNS})
  values ($org_id, $policy_id, $name, $enabled, $max_age_days, $max_count, $min_tier, $profile_id)
  on conflict (org_id, policy_id) do update set name = excluded.name, enabled = excluded.enabled,
    max_age_days = excluded.max_age_days, max_count = excluded.max_count, min_tier = excluded.min_tier,
    profile_id = excluded.profile_id, updated_at = clock_timestamp()
  returning ${COLUMNS}`;

export async function savePolicy(tx: Tx, policy: RetentionPolicyRow): Promise<RetentionPolicyRow> {
  const { policy_id, name, enabled, max_age_days, max_count, min_tier, profile_id } = policy;
  const values = { org_id: tx.orgId, policy_id, name, enabled, max_age_days, max_count, min_tier, profile_id };
  const [row] = await tx.query<Row>(SAVE, values);
  invariant(row, 'a saved policy is there');
  return row;
}

const LIST = `
  select ${COLUMNS} from retention_policies where org_id = $org_id
  order by created_at, policy_id limit $limit offset $offset`;

export const listPolicies = async (tx: Tx, slice: Slice): Promise<Page<RetentionPolicyRow>> =>
  Page.of(await tx.query<Row>(LIST, { org_id: tx.orgId, ...rowsOf(slice) }), slice);

export const deletePolicy = async (tx: Tx, policyId: string): Promise<boolean> =>
  (await tx.store(RetentionPolicy).delete({ policyId })) > 0;

const ENABLED = `
  select ${COLUMNS} from retention_policies where org_id = $org_id and enabled
  order by created_at, policy_id`;

/** Enabled policies, in the order in which they are applied to artifacts. */
export const enabledLimits = async (tx: Tx): Promise<RetentionLimits[]> =>
  (await tx.query<Row>(ENABLED, { org_id: tx.orgId })).map(limitsOf);

/** The deciding members of a policy, stored or not. */
export const limitsOf = (
  policy: Omit<RetentionPolicyRow, 'policy_id'> & { policy_id: string | null },
): RetentionLimits => ({
  policyId: policy.policy_id,
  name: policy.name,
  enabled: policy.enabled,
  maxAgeDays: policy.max_age_days,
  maxCount: policy.max_count,
  minTier: policy.min_tier,
  profileId: policy.profile_id,
});

const WITH_LIMITS = statement(
  'retention-organisations',
  `
    select distinct org_id from retention_policies
    where enabled and (max_age_days is not null or max_count is not null)`,
);

/** Organisations with a policy that has a limit. Over all organisations. */
export const organisationsWithLimits = async (tx: Tx): Promise<string[]> =>
  (await tx.prepared<{ org_id: string }>(WITH_LIMITS, {})).map(({ org_id: orgId }) => orgId);

export async function recordRun(tx: Tx, id: string, considered: number, expired: readonly Expiry[]): Promise<void> {
  await tx.store(RetentionRun).insert({ id, considered, expired });
}

/** Runs of retention. */
export const OLD_RUNS: AgingRows = { table: 'retention_runs', at: 'ran_at', key: { id: 'uuid' } };
