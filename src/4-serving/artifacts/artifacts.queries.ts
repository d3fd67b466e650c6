import type { QueryResultRow } from 'pg';
import { takeTurn } from '../../1-platform/database/transactions/advisory-locks';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { RESTORED } from '../activations/starts/starts.queries';
import { Artifact } from './artifact.entity';
import type { ArtifactStatus, Mark, PromotionState, Tier } from './artifact.states';

/**
 * The tier that holds the bytes of a row of `artifacts` aliased `a`: until a promotion is confirmed, the
 * previous one.
 */
export const HELD_ON = `case
    when a.promotion_state = 'pending' then a.promotion_from
    else a.storage_tier
  end`;

const AT_PATHS = statement(
  'artifacts-at-paths',
  `
    select named.place, (
      select a.artifact_id from artifacts a
      where a.org_id = $org_id and a.profile_id = named.profile_id and a.uri = named.path
      order by a.status in ('deleted', 'expired'), a.created_at desc, a.artifact_id desc limit 1
    ) as artifact_id
    from json_to_recordset($paths::json) as named(profile_id text, path text, place int)
    order by named.place`,
);

/** The path of a checkpoint that a worker named. */
export interface NamedPath {
  readonly profileId: string;
  readonly path: string;
}

/** The artifact of the profile at each path; null if there is none. */
export async function artifactsAt(tx: Tx, paths: readonly NamedPath[]): Promise<(string | null)[]> {
  if (paths.length === 0) return [];
  const named = paths.map(({ profileId, path }, place) => ({ profile_id: profileId, path, place }));
  const rows = await tx.prepared<{ artifact_id: string | null }>(AT_PATHS, {
    org_id: tx.orgId,
    paths: JSON.stringify(named),
  });
  return rows.map(({ artifact_id: id }) => id);
}

export interface LockedArtifact {
  profile_id: string;
  status: ArtifactStatus;
  compatibility_key: string;
  storage_tier: Tier;
  promotion_state: PromotionState | null;
  expired_from: Mark | null;
}

const LOCKED_COLUMNS = 'profile_id, status, compatibility_key, storage_tier, promotion_state, expired_from';
const LOCK = `
  select ${LOCKED_COLUMNS} from artifacts where org_id = $org_id and artifact_id = $artifact_id for update`;
// Several transactions may hold it at once. A transaction that deletes or expires it waits for them.
const HOLD = `
  select ${LOCKED_COLUMNS} from artifacts where org_id = $org_id and artifact_id = $artifact_id for share`;

export async function lockArtifact(tx: Tx, artifactId: string): Promise<LockedArtifact | undefined> {
  const [row] = await tx.query<LockedArtifact & QueryResultRow>(LOCK, { org_id: tx.orgId, artifact_id: artifactId });
  return row;
}

/** Keeps an artifact unchanged until the transaction ends. */
export async function holdArtifact(tx: Tx, artifactId: string): Promise<LockedArtifact | undefined> {
  const [row] = await tx.query<LockedArtifact & QueryResultRow>(HOLD, { org_id: tx.orgId, artifact_id: artifactId });
  return row;
}

// In the order of the ids, so that two transactions that hold several artifacts cannot deadlock.
const HOLD_ALL = statement(
  'artifacts-hold',
  `
    select from artifacts where org_id = $org_id and artifact_id = any($artifact_ids::text[])
    order by artifact_id for share`,
);

// Two transactions that hold one for share, and then change it, would wait for each other.
const HOLD_ALL_TO_CHANGE = statement(
  'artifacts-hold-to-change',
  `
    select from artifacts where org_id = $org_id and artifact_id = any($artifact_ids::text[])
    order by artifact_id for no key update`,
);

/** As `holdArtifact`, for many. @param change the caller is about to change some of them */
export async function holdArtifacts(tx: Tx, artifactIds: readonly string[], change: boolean): Promise<void> {
  const values = { org_id: tx.orgId, artifact_ids: artifactIds };
  if (artifactIds.length > 0) await tx.prepared(change ? HOLD_ALL_TO_CHANGE : HOLD_ALL, values);
}

/** Maximal artifacts of one chain: a worker is restored from all of them. */
export const MAX_CHAIN = 1_000;

const CHAIN_LENGTH = statement(
  'artifact-chain-length',
  `
    with recursive chain as (
      select parent_artifact_id, 1 as length from artifacts
      where org_id = $org_id and artifact_id = $artifact_id
      union all
      select a.parent_artifact_id, chain.length + 1 from chain
        join artifacts a on a.org_id = $org_id and a.artifact_id = chain.parent_artifact_id
      where chain.length < ${MAX_CHAIN}
    )
    select max(length) as length from chain`,
);

/** @returns how many artifacts end with this one, counted up to the maximum */
export async function chainLength(tx: Tx, artifactId: string): Promise<number> {
  const [row] = await tx.prepared<{ length: number }>(CHAIN_LENGTH, { org_id: tx.orgId, artifact_id: artifactId });
  return row?.length ?? 0;
}

export interface Placement {
  readonly clusterId: string | null;
  readonly nodeName: string | null;
  /** Only if the name of the node is unknown. */
  readonly nodeUid: string | null;
  readonly bootId: string | null;
}

export interface NewArtifact {
  readonly artifactId: string;
  readonly profileId: string;
  readonly compatibilityKey: string;
  readonly checkpointMode: string;
  readonly storageTier: Tier;
  readonly uri: string;
  readonly source: string;
  readonly checksum: string | null;
  readonly parentArtifactId: string | null;
  readonly logicalBytes: number | null;
  readonly physicalBytes: number | null;
  readonly reusedBytes: number | null;
  readonly writtenBytes: number | null;
  readonly metadata: unknown;
  readonly engineFlags: string | null;
}

/** @returns false when an artifact of this id is registered */
export const insertArtifact = async (tx: Tx, artifact: NewArtifact, placement: Placement): Promise<boolean> =>
  (await tx.store(Artifact).insertMissing({
    ...artifact,
    metadata: artifact.metadata as object,
    status: 'ready',
    ...placedAt(placement),
  })) > 0;

const placedAt = ({ clusterId, nodeName, nodeUid, bootId }: Placement) => ({
  clusterId,
  nodeName,
  nodeUid,
  nodeBootId: bootId,
});

/**
 * Serialises the registration of an artifact and the end of its checkpoint, so that the later one sees the
 * earlier one. There may be no row to lock yet.
 */
export const takeArtifactTurn = (tx: Tx, artifactId: string): Promise<void> =>
  takeTurn(tx, 'artifact', `${tx.orgId}/${artifactId}`);

/** Changes only an artifact of this profile. */
export async function placeArtifact(
  tx: Tx,
  artifactId: string,
  profileId: string,
  placement: Placement,
): Promise<void> {
  await tx
    .store(Artifact)
    .update({ artifactId, profileId }, { ...placedAt(placement), updatedAt: () => 'clock_timestamp()' });
}

const LIVE_CHILD = `
  select artifact_id from artifacts
  where org_id = $org_id and parent_artifact_id = $artifact_id and status not in ('deleted', 'expired')
  limit 1`;

/** An artifact whose bytes are kept, and whose parent is this one. */
export async function liveChild(tx: Tx, artifactId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ artifact_id: string }>(LIVE_CHILD, { org_id: tx.orgId, artifact_id: artifactId });
  return row?.artifact_id;
}

/** Keeps the operator's mark of an expiring artifact. */
export const MARK_KEPT = `case when a.status in ('golden', 'quarantined') then a.status end`;

// A reported status removes the record of an earlier expiry. Bytes that come back are not gone.
const SET_STATUS = `
  update artifacts a set status = $status,
    bytes_removed_at = case when $status in ('deleted', 'expired') then bytes_removed_at end,
    expired_from = case $status when 'expired' then ${MARK_KEPT} when 'deleted' then expired_from end,
    expiry_policy_id = null, expiry_reason = null, updated_at = clock_timestamp()
  where org_id = $org_id and artifact_id = $artifact_id`;

export async function setStatus(tx: Tx, artifactId: string, status: ArtifactStatus): Promise<void> {
  await tx.query(SET_STATUS, { org_id: tx.orgId, artifact_id: artifactId, status });
}

// The condition on the status is checked again behind whoever changes the row, so that the bytes of an
// artifact that is ready again are never said to be gone.
const CONFIRM_REMOVAL = `
  update artifacts set bytes_removed_at = clock_timestamp(), updated_at = clock_timestamp()
  where org_id = $org_id and artifact_id = $artifact_id and status in ('deleted', 'expired')
    and bytes_removed_at is null
  returning bytes_removed_at`;

/**
 * Notes that the bytes of a deleted or expired artifact are gone.
 * @returns when; undefined if that is noted already, or there is no such artifact
 */
export async function confirmRemoval(tx: Tx, artifactId: string): Promise<Date | undefined> {
  const values = { org_id: tx.orgId, artifact_id: artifactId };
  const [row] = await tx.query<{ bytes_removed_at: Date }>(CONFIRM_REMOVAL, values);
  return row?.bytes_removed_at;
}

const RESTORE_FAILED = `
  update artifacts set restore_failed_at = $at, restore_failure = $reason
  where org_id = $org_id and artifact_id = $artifact_id
    and (restore_failed_at is null or restore_failed_at <= $at)
    and not exists (
      select from starts s
      where s.org_id = $org_id and s.artifact_id = $artifact_id and s.ready_at > $at and ${RESTORED}
    )`;

/** A later failure stands, and so does a worker that was restored later, whichever is reported first. */
export async function noteFailedRestore(tx: Tx, artifactId: string, at: Date, reason: string): Promise<void> {
  await tx.query(RESTORE_FAILED, { org_id: tx.orgId, artifact_id: artifactId, at, reason });
}

const RESTORED_AGAIN = `
  update artifacts set restore_failed_at = null, restore_failure = null
  where org_id = $org_id and artifact_id = $artifact_id
    and ($at::timestamptz is null or restore_failed_at <= $at)`;

/** Failures up to that time no longer count. @param at null: all of them */
export async function forgetFailedRestore(tx: Tx, artifactId: string, at: Date | null): Promise<void> {
  await tx.query(RESTORED_AGAIN, { org_id: tx.orgId, artifact_id: artifactId, at });
}

export async function countRestore(tx: Tx, artifactId: string): Promise<void> {
  await tx.store(Artifact).update({ artifactId }, { restoreCount: () => 'restore_count + 1' });
}

// The tier that holds the bytes (`promotion_from`) stays the same when a still hotter tier is requested.
const PROMOTE = `
  update artifacts set promotion_from = $from, storage_tier = $storage_tier,
    promotion_state = 'pending', promotion_requested_at = clock_timestamp(),
    promotion_deadline = clock_timestamp() + make_interval(secs => $deadline_ms::double precision / 1000),
    updated_at = clock_timestamp()
  where org_id = $org_id and artifact_id = $artifact_id`;

export interface Promotion {
  /** The tier that holds the bytes. */
  readonly from: Tier;
  readonly tier: Tier;
  readonly deadlineMs: number | null;
}

export async function promote(tx: Tx, artifactId: string, { from, tier, deadlineMs }: Promotion): Promise<void> {
  const values = { org_id: tx.orgId, artifact_id: artifactId, from, storage_tier: tier, deadline_ms: deadlineMs };
  await tx.query(PROMOTE, values);
}

// A boot is one of its node: that of another node says nothing about the copy. The cluster stays, because its
// controllers promote and remove what it has registered. Whoever names the node of the copy tells it apart
// from the original, which stays; otherwise the bytes may have been moved. A promotion to a still hotter tier
// may have been requested during the copy: the result of the earlier one says nothing about it.
const END_PROMOTION = `
  update artifacts set promotion_state = $outcome,
    storage_tier = case when $outcome = 'failed' then promotion_from else storage_tier end,
    original_tier = case
      when $outcome = 'confirmed' and $node_name::text is not null and promotion_from in ('shared', 'object')
      then promotion_from else original_tier
    end,
    node_name = coalesce($node_name, node_name),
    node_uid = case when $node_name::text is null then node_uid end,
    node_boot_id = coalesce($node_boot_id, case
      when $node_name::text is null or node_name = $node_name or node_name is null and node_uid is null
      then node_boot_id
    end),
    updated_at = clock_timestamp()
  where org_id = $org_id and artifact_id = $artifact_id and promotion_state = 'pending'
    and ($tier::text is null or storage_tier = $tier)
  returning artifact_id`;

export interface PromotionEnd {
  readonly outcome: 'confirmed' | 'failed';
  /** The tier of the promotion; null: it is not named, and whichever is pending ends. */
  readonly tier: Tier | null;
  /** The node that holds the copy; null: it is not said, and stays as it was. */
  readonly nodeName: string | null;
  /** Null: the known one if the node stays the same, otherwise unknown. */
  readonly bootId: string | null;
}

/** @returns false if no such promotion is pending */
export async function endPromotion(tx: Tx, artifactId: string, end: PromotionEnd): Promise<boolean> {
  const { outcome, tier, nodeName, bootId } = end;
  const place = { node_name: nodeName, node_boot_id: bootId };
  const values = { org_id: tx.orgId, artifact_id: artifactId, outcome, tier, ...place };
  return (await tx.query(END_PROMOTION, values)).length > 0;
}

/** Promotions that one statement ends. */
export const PROMOTIONS_AT_ONCE = 500;
const FAIL_OVERDUE = statement(
  'artifacts-overdue-promotions',
  `
    with due as (
      select org_id, artifact_id from artifacts
      where promotion_state = 'pending' and promotion_deadline <= clock_timestamp()
      order by promotion_deadline limit ${PROMOTIONS_AT_ONCE} for update skip locked
    )
    update artifacts a set promotion_state = 'failed', storage_tier = promotion_from,
      updated_at = clock_timestamp()
    from due where a.org_id = due.org_id and a.artifact_id = due.artifact_id returning a.artifact_id`,
);

/** Over all organisations. @returns how many promotions have failed because their deadline passed */
export const failOverduePromotions = async (tx: Tx): Promise<number> => (await tx.prepared(FAIL_OVERDUE, {})).length;
