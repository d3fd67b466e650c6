import type { QueryResultRow } from 'pg';
import type { Tier } from '../../4-serving/artifacts/artifact.states';
import type { Tx } from '../../1-platform/database/transactions/tx';

export interface TierRow extends QueryResultRow {
  tier: Tier;
  artifacts: number;
  bytes: string;
  residency_hours: number;
  transfers: number;
}

/*
 * Per tier that holds, or held, artifacts; during a pending promotion, the previous tier holds them:
 *   artifacts       = those stored there now                                           [artifacts]
 *   bytes           = Σ of their physical bytes, or logical if only those are known     [bytes]
 *   residency_hours = Σ over all stays of (until, or now) − since                       [artifact-hours]
 *   transfers       = stays that began with a move from another tier                    [moves]
 */
const TIERS = `
  select s.tier, count(*) filter (where s.until is null) as artifacts,
    coalesce(sum(coalesce(a.physical_bytes, a.logical_bytes)) filter (where s.until is null),
      0)::text as bytes,
    (sum(extract(epoch from coalesce(s.until, clock_timestamp()) - s.since))
      / 3600)::float8 as residency_hours,
    count(*) filter (where s.moved) as transfers
  from artifact_stays s join artifacts a on a.org_id = $org_id and a.artifact_id = s.artifact_id
  where s.org_id = $org_id group by s.tier`;

export const tiers = (tx: Tx): Promise<TierRow[]> => tx.query<TierRow>(TIERS, { org_id: tx.orgId });
