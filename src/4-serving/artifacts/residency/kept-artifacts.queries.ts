import type { QueryResultRow } from 'pg';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { eventsWrittenFrom } from '../../../1-platform/outbox/outbox.queries';
import { FACTS, factsOf, REACH, WITH_PROFILE_AND_NODE, type FactsRow } from '../artifact-reads.queries';
import { mayBeRestorable, residencies } from './artifact-residency';
import { isBootTied, isLive, type Tier } from '../artifact.states';
import { ARTIFACT_EVENTS } from '../artifacts.events';
import { HELD_ON, MARK_KEPT } from '../artifacts.queries';

/** An artifact whose bytes are kept, with the inputs of the decision on it. */
export interface KeptArtifact {
  readonly artifactId: string;
  readonly profileId: string;
  /**
   * The next ancestor whose bytes are kept. Expired ancestors between are skipped: they may be reported as
   * ready again.
   */
  readonly parentId: string | null;
  /** That holds its bytes; of a copy that is lost for good, that of the original. */
  readonly tier: Tier;
  readonly golden: boolean;
  readonly ageSeconds: number;
  /** Now. */
  readonly restorable: boolean;
  /** Now, or when its node has returned, or when the next restore succeeds. */
  readonly mayBeRestorable: boolean;
  /** The boot of the node that holds its bytes; null if that is not known, or if they outlive reboots. */
  readonly bootId: string | null;
  /** The cluster of that node; the same holds. */
  readonly clusterId: string | null;
  /** A worker that started from it has neither ended nor failed. */
  readonly inUse: boolean;
}

const KEPT = `
  with recursive page as (
    select artifact_id from artifacts
    where org_id = $org_id and status in ('ready', 'golden', 'quarantined')
      and ($profile_id::text is null or profile_id = $profile_id)
  ), ${REACH}
  select ${FACTS}, a.cluster_id,
    extract(epoch from statement_timestamp() - a.created_at)::double precision as age_seconds,
    a.artifact_id in (
      select s.artifact_id from starts s
      where s.org_id = $org_id and s.ended_at is null and s.failed_at is null and s.artifact_id is not null
    ) as in_use
  from reach join artifacts a on a.org_id = $org_id and a.artifact_id = reach.artifact_id
  ${WITH_PROFILE_AND_NODE}
  order by a.created_at desc, a.artifact_id desc`;

type KeptRow = FactsRow & QueryResultRow & { cluster_id: string | null; age_seconds: number; in_use: boolean };

/**
 * Every artifact whose bytes are kept, newest first. @param profileId of this profile, with the ancestors of
 * its own
 */
export async function keptArtifacts(tx: Tx, profileId: string | null = null): Promise<KeptArtifact[]> {
  const rows = await tx.query<KeptRow>(KEPT, { org_id: tx.orgId, profile_id: profileId });
  const facts = rows.map(factsOf);
  const residencyOf = residencies(facts);
  const hopeful = mayBeRestorable(facts);
  const firstLive = liveFrom(rows);
  const holderOf = (row: KeptRow) => {
    const isTied = isBootTied(row.original_tier ?? row.held_on);
    return { bootId: isTied ? row.node_boot_id : null, clusterId: isTied ? row.cluster_id : null };
  };
  return rows
    .filter(({ status }) => isLive(status))
    .map((row) => ({
      artifactId: row.artifact_id,
      profileId: row.profile_id,
      parentId: firstLive(row.parent_artifact_id),
      tier: residencyOf.get(row.artifact_id)?.keptOn ?? row.held_on,
      golden: row.status === 'golden',
      ageSeconds: row.age_seconds,
      restorable: residencyOf.get(row.artifact_id)?.state === 'restorable',
      mayBeRestorable: hopeful.has(row.artifact_id),
      ...holderOf(row),
      inUse: row.in_use,
    }));
}

/** Finds the first live ancestor of an artifact, including itself. */
function liveFrom(rows: readonly FactsRow[]): (artifactId: string | null) => string | null {
  const parentOf = new Map(rows.map((row) => [row.artifact_id, row.parent_artifact_id]));
  const live = rows.filter(({ status }) => isLive(status)).map(({ artifact_id: id }) => id);
  const found = new Map<string, string | null>(live.map((id) => [id, id]));
  return (start) => {
    const gone: string[] = [];
    let at = start;
    while (at !== null && !found.has(at)) {
      found.set(at, null);
      gone.push(at);
      at = parentOf.get(at) ?? null;
    }
    const first = at === null ? null : (found.get(at) ?? null);
    for (const id of gone) found.set(id, first);
    return first;
  };
}

const holders = (columns: string, condition: string): string => `
  select distinct ${columns} from artifacts a
  where a.org_id = $org_id and a.status in ('ready', 'golden', 'quarantined')
    and ${HELD_ON} in ('memory', 'local') and ${condition}`;

/**
 * Condition on a row of `nodes`, aliased `r`, in the organisation `$org_id`: it holds no bytes that are kept.
 * Only the row of a node shows that it was deleted; otherwise it may never have been reported. The nodes that
 * hold something are found once, and not for each row.
 */
export const HOLDS_NO_ARTIFACT = `
  (r.cluster_id, r.name) not in (
    ${holders('a.cluster_id, a.node_name', 'a.cluster_id is not null and a.node_name is not null')}
  )
  and r.name not in (${holders('a.node_name', 'a.cluster_id is null and a.node_name is not null')})
  and (r.cluster_id, r.uid) not in (
    ${holders('a.cluster_id, a.node_uid::text', 'a.cluster_id is not null and a.node_uid is not null')}
  )`;

const LOCK_FREE = `
  select artifact_id from artifacts where org_id = $org_id and artifact_id = any($artifact_ids::text[])
  order by artifact_id for update skip locked`;

/** Locks the artifacts that are not locked, whatever their status is now. @returns their ids */
export async function lockFreeArtifacts(tx: Tx, artifactIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ artifact_id: string }>(LOCK_FREE, { org_id: tx.orgId, artifact_ids: artifactIds });
  return new Set(rows.map(({ artifact_id: id }) => id));
}

/** An artifact that a policy expires, and why. */
export interface Expiry {
  readonly artifact_id: string;
  readonly policy_id: string | null;
  readonly reason: string;
}

const EXPIRED_EVENTS = `
  select org_id, '${ARTIFACT_EVENTS.expired}' as type, artifact_id as aggregate_id, null::uuid as cluster_id,
    json_build_object('artifact_id', artifact_id, 'profile_id', profile_id) as payload
  from expired`;

const EXPIRE = statement(
  'artifacts-expire',
  `
    with expired as (
      update artifacts a set status = 'expired', expired_from = ${MARK_KEPT},
        expiry_policy_id = expiry.policy_id, expiry_reason = expiry.reason, updated_at = clock_timestamp()
      from json_to_recordset($expiries::json) as expiry(artifact_id text, policy_id text, reason text)
      where a.org_id = $org_id and a.artifact_id = expiry.artifact_id and a.status in ('ready', 'quarantined')
      returning a.org_id, a.artifact_id, a.profile_id
    ), ${eventsWrittenFrom(EXPIRED_EVENTS)}
    select count(*) as notified from events_notified`,
);

/** Expires artifacts, and writes an event for each. */
export async function expireArtifacts(tx: Tx, expiries: readonly Expiry[]): Promise<void> {
  await tx.prepared(EXPIRE, { org_id: tx.orgId, expiries: JSON.stringify(expiries) });
}
