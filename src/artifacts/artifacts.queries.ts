import type { QueryResultRow } from 'pg';
import { SILENT_AFTER } from '../clusters/clusters.queries';
import { MAX_PAGE_BYTES, Page, type Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import { eventsWrittenFrom } from '../outbox/outbox';
import { residencies, type HoldingNode, type Residency, type ResidencyFacts } from './artifact-residency';
import { isLive, type ArtifactStatus, type PromotionState, type Tier } from './artifact.states';
import { ARTIFACT_EVENTS } from './artifacts.events';

/** The tier that holds the bytes, of a row of `artifacts` aliased `a`: until a promotion is confirmed, the one before. */
export const HELD_ON = `case when a.promotion_state = 'pending' then a.promotion_from else a.storage_tier end`;

/** An artefact with what is worked out when it is read. */
export interface ArtifactRow {
  artifact_id: string;
  profile_id: string;
  logical_model: string;
  exact_model: string;
  hosting_mode: string;
  compatibility_key: string;
  profile_compatibility_key: string;
  checkpoint_mode: string;
  storage_tier: Tier;
  held_on: Tier;
  uri: string;
  source: string;
  status: ArtifactStatus;
  checksum: string | null;
  parent_artifact_id: string | null;
  logical_bytes: number | null;
  physical_bytes: number | null;
  reused_bytes: number | null;
  written_bytes: number | null;
  restore_count: number;
  metadata: unknown;
  promotion_from: Tier | null;
  promotion_requested_at: Date | null;
  promotion_deadline: Date | null;
  promotion_state: PromotionState | null;
  expiry_policy_id: string | null;
  expiry_reason: string | null;
  created_at: Date;
  updated_at: Date;
  observed_restores: number;
  observed_restore_attempts: number;
  last_restored_at: Date | null;
  node_name: string | null;
  node_boot_id: string | null;
  flags: string | null;
  profile_flags: string | null;
  flags_verified: boolean | null;
  node: HoldingNode | null;
  residency: Residency;
}

/** Flags that a reason shows, in characters. */
const SHOWN_FLAGS = 160;

const PAGE_COLUMNS = `a.compatibility_key, a.checkpoint_mode, a.source, a.checksum, a.logical_bytes, a.physical_bytes, a.reused_bytes,
  a.written_bytes, a.restore_count, a.promotion_from, a.promotion_requested_at, a.promotion_deadline, a.promotion_state,
  a.expiry_policy_id, a.expiry_reason, a.created_at, a.updated_at, a.storage_tier`;

/** What an artefact's residency is judged on: of its row `a`, its profile `p` and the node `n` that holds it. */
const FACTS = `a.artifact_id, a.profile_id, a.parent_artifact_id, a.status, a.uri, ${HELD_ON} as held_on, a.node_name, a.node_boot_id,
    n.status as node_status, n.boot_id as node_boot, n.synced_at as node_last_sync, n.deleted as node_deleted,
    n.synced_at <= clock_timestamp() - ${SILENT_AFTER} as node_silent,
    left(a.engine_flags, ${SHOWN_FLAGS}) as flags, left(p.engine_flags, ${SHOWN_FLAGS}) as profile_flags, a.engine_flags = p.engine_flags as flags_verified`;

const WITH_PROFILE_AND_NODE = `
  join profiles p on p.org_id = $1 and p.profile_id = a.profile_id
  left join lateral (
    select * from nodes n where n.org_id = $1 and n.name = a.node_name and (a.cluster_id is null or n.cluster_id = a.cluster_id)
    order by n.deleted, n.synced_at desc limit 1
  ) n on a.node_name is not null`;

/** The artefacts of `page` and every ancestor of theirs, once each, as a part of a recursive `with`. */
const REACH = `
  reach as (
    select artifact_id from page
    union
    select a.parent_artifact_id from reach join artifacts a on a.org_id = $1 and a.artifact_id = reach.artifact_id
    where a.parent_artifact_id is not null
  )`;

/**
 * Artefacts with their residency and the starts from them, in one statement for however many. Their ancestors are read with
 * them: they decide whether a difference can be restored.
 *
 * @param found a query of `artifact_id` and `place`, its number in the answer, of the organisation `$1`; it may name further
 * parts of the `with` in `before`
 */
const described = (found: string, before = ''): string => `
  with recursive ${before} found as materialized (${found}), sized as (
    select f.artifact_id, f.place, sum(octet_length(a.metadata::text)) over (order by f.place) - octet_length(a.metadata::text) as before
    from found f join artifacts a on a.org_id = $1 and a.artifact_id = f.artifact_id
  ), page as materialized (
    select artifact_id, place from sized where before < ${MAX_PAGE_BYTES}
  ), ${REACH}
  select (select count(*) from found) as found, page.place, ${FACTS},
    ${PAGE_COLUMNS}, case when page.place is not null then a.metadata end as metadata,
    p.logical_model, p.exact_model, p.hosting_mode, p.compatibility_key as profile_compatibility_key,
    s.restores as observed_restores, s.attempts as observed_restore_attempts, s.last_ready as last_restored_at
  from reach
  join artifacts a on a.org_id = $1 and a.artifact_id = reach.artifact_id ${WITH_PROFILE_AND_NODE}
  left join page on page.artifact_id = a.artifact_id
  left join lateral (
    select count(*) as attempts, count(s.ready_at) as restores, max(s.ready_at) as last_ready
    from starts s where s.org_id = $1 and s.artifact_id = a.artifact_id
  ) s on page.place is not null
  order by page.place`;

interface FactsRow {
  artifact_id: string;
  profile_id: string;
  parent_artifact_id: string | null;
  status: ArtifactStatus;
  uri: string;
  held_on: Tier;
  node_name: string | null;
  node_boot_id: string | null;
  flags: string | null;
  flags_verified: boolean | null;
  node_status: string | null;
  node_boot: string | null;
  node_last_sync: Date | null;
  node_deleted: boolean | null;
  node_silent: boolean | null;
  profile_flags: string | null;
}

interface DescribedRow extends FactsRow, Omit<ArtifactRow, 'node' | 'residency' | keyof FactsRow> {
  found: number;
  place: number | null;
}

const nodeOf = (row: FactsRow): HoldingNode | null =>
  row.node_last_sync === null
    ? null
    : {
        status: row.node_status ?? '',
        bootId: row.node_boot ?? '',
        lastSync: row.node_last_sync,
        deleted: row.node_deleted === true,
        silent: row.node_silent === true,
      };

const factsOf = (row: FactsRow): ResidencyFacts => ({
  artifactId: row.artifact_id,
  parentId: row.parent_artifact_id,
  status: row.status,
  uri: row.uri,
  tier: row.held_on,
  nodeName: row.node_name,
  bootId: row.node_boot_id,
  node: nodeOf(row),
  flags: row.flags,
  profileFlags: row.profile_flags,
  flagsVerified: row.flags_verified,
});

async function read(tx: Tx, statement: string, values: unknown[]): Promise<{ rows: ArtifactRow[]; found: number }> {
  const all = await tx.query<DescribedRow & QueryResultRow>(statement, [tx.orgId, ...values]);
  const residencyOf = residencies(all.map(factsOf));
  const rows = all.flatMap((row) => {
    const residency = residencyOf.get(row.artifact_id);
    return row.place === null || !residency ? [] : [{ ...row, node: nodeOf(row), residency }];
  });
  return { rows, found: all[0]?.found ?? 0 };
}

export interface ArtifactFilter {
  readonly profileId?: string;
  readonly status?: string;
  readonly mode?: string;
}

const LIST = described(`
  select artifact_id, row_number() over (order by created_at desc, artifact_id desc) as place from (
    select artifact_id, created_at from artifacts
    where org_id = $1 and ($2::text is null or profile_id = $2) and ($3::text is null or status = $3)
      and ($4::text is null or checkpoint_mode = $4)
    order by created_at desc, artifact_id desc limit $5 offset $6
  ) newest`);

/** The newest first. */
export async function listArtifacts(
  tx: Tx,
  { profileId, status, mode }: ArtifactFilter,
  slice: Slice,
): Promise<Page<ArtifactRow>> {
  const values = [profileId ?? null, status ?? null, mode ?? null, slice.limit + 1, slice.offset];
  return Page.within(await read(tx, LIST, values), slice);
}

const GET = described('select artifact_id, 1::bigint as place from artifacts where org_id = $1 and artifact_id = $2');

export async function getArtifact(tx: Tx, artifactId: string): Promise<ArtifactRow | undefined> {
  return (await read(tx, GET, [artifactId])).rows[0];
}

/** Artefacts that one chain may have. */
const MAX_CHAIN = 1_000;

// A circle, which cannot be registered, would end where it closes.
const ANCESTRY = described(
  `select artifact_id, row_number() over (order by depth desc) as place from chain where not circle limit ${MAX_CHAIN}`,
  `chain as (
    select artifact_id, parent_artifact_id, 1 as depth from artifacts where org_id = $1 and artifact_id = $2
    union all
    select a.artifact_id, a.parent_artifact_id, chain.depth + 1 from chain
      join artifacts a on a.org_id = $1 and a.artifact_id = chain.parent_artifact_id
  ) cycle artifact_id set circle using path,`,
);

/** An artefact behind its ancestors, the oldest first; empty when there is none. */
export const artifactAncestry = async (tx: Tx, artifactId: string): Promise<ArtifactRow[]> =>
  (await read(tx, ANCESTRY, [artifactId])).rows;

/** Artefacts of each tier that a look-up weighs: the newest. What lies on nodes that are gone hides nothing of another tier. */
const MAX_CANDIDATES = 100;

const CANDIDATES = described(`
  select artifact_id, row_number() over (order by created_at desc, artifact_id desc) as place from (
    select artifact_id, created_at,
      row_number() over (partition by ${HELD_ON} order by status = 'quarantined', created_at desc, artifact_id desc) as newer
    from artifacts a
    where org_id = $1 and status in ('ready', 'golden', 'quarantined') and (profile_id = $2 or compatibility_key = $3)
  ) newest where newer <= ${MAX_CANDIDATES}`);

/** What a worker might be restored from, the newest first. */
export const candidateArtifacts = async (
  tx: Tx,
  profileId: string | null,
  compatibilityKey: string | null,
): Promise<ArtifactRow[]> => (await read(tx, CANDIDATES, [profileId, compatibilityKey])).rows;

const BY_URI = {
  name: 'artifact-by-uri',
  text: `
    select artifact_id from artifacts where org_id = $1 and profile_id = $2 and uri = $3 order by created_at desc, artifact_id desc limit 1`,
};

/** The artefact of a profile that lies at a place. */
export async function artifactAt(tx: Tx, profileId: string, uri: string): Promise<string | undefined> {
  const [row] = await tx.prepared<{ artifact_id: string }>(BY_URI, [tx.orgId, profileId, uri]);
  return row?.artifact_id;
}

export interface LockedArtifact {
  profile_id: string;
  status: ArtifactStatus;
  compatibility_key: string;
  storage_tier: Tier;
  promotion_state: PromotionState | null;
}

const LOCKED_COLUMNS = 'profile_id, status, compatibility_key, storage_tier, promotion_state';
const LOCK = `select ${LOCKED_COLUMNS} from artifacts where org_id = $1 and artifact_id = $2 for update`;
// Others may hold on to it too; whoever wants to delete it, or let it expire, waits.
const HOLD = `select ${LOCKED_COLUMNS} from artifacts where org_id = $1 and artifact_id = $2 for share`;

export async function lockArtifact(tx: Tx, artifactId: string): Promise<LockedArtifact | undefined> {
  const [row] = await tx.query<LockedArtifact & QueryResultRow>(LOCK, [tx.orgId, artifactId]);
  return row;
}

/** Keeps an artefact as it is until the transaction ends. */
export async function holdArtifact(tx: Tx, artifactId: string): Promise<LockedArtifact | undefined> {
  const [row] = await tx.query<LockedArtifact & QueryResultRow>(HOLD, [tx.orgId, artifactId]);
  return row;
}

export interface Placement {
  readonly clusterId: string | null;
  readonly nodeName: string | null;
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

const INSERT = `
  insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status, checksum,
    parent_artifact_id, logical_bytes, physical_bytes, reused_bytes, written_bytes, metadata, engine_flags, cluster_id, node_name, node_boot_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, 'ready', $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
  on conflict (org_id, artifact_id) do nothing returning artifact_id`;

/** @returns false when an artefact of this id is registered */
export async function insertArtifact(tx: Tx, artifact: NewArtifact, placement: Placement): Promise<boolean> {
  const inserted = await tx.query(INSERT, [
    tx.orgId,
    artifact.artifactId,
    artifact.profileId,
    artifact.compatibilityKey,
    artifact.checkpointMode,
    artifact.storageTier,
    artifact.uri,
    artifact.source,
    artifact.checksum,
    artifact.parentArtifactId,
    artifact.logicalBytes,
    artifact.physicalBytes,
    artifact.reusedBytes,
    artifact.writtenBytes,
    JSON.stringify(artifact.metadata),
    artifact.engineFlags,
    placement.clusterId,
    placement.nodeName,
    placement.bootId,
  ]);
  return inserted.length > 0;
}

// In the space of `lockNumber`, with a number of its own.
const TURN = {
  name: 'artifact-turn',
  text: "select pg_advisory_xact_lock(hashtextextended($1::text || '/' || $2::text, 2))",
};

/**
 * Makes the registration of an artefact and the end of its checkpoint take turns: whichever is second sees the first. Neither
 * has a row that the other could wait for.
 */
export async function takeTurn(tx: Tx, artifactId: string): Promise<void> {
  await tx.prepared(TURN, [tx.orgId, artifactId]);
}

const PLACE = `
  update artifacts set cluster_id = $3, node_name = $4, node_boot_id = $5, updated_at = clock_timestamp()
  where org_id = $1 and artifact_id = $2`;

export async function placeArtifact(
  tx: Tx,
  artifactId: string,
  { clusterId, nodeName, bootId }: Placement,
): Promise<void> {
  await tx.query(PLACE, [tx.orgId, artifactId, clusterId, nodeName, bootId]);
}

const LIVE_CHILD = `
  select artifact_id from artifacts where org_id = $1 and parent_artifact_id = $2 and status not in ('deleted', 'expired') limit 1`;

/** An artefact whose bytes are kept and that holds only the difference to this one. */
export async function liveChild(tx: Tx, artifactId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ artifact_id: string }>(LIVE_CHILD, [tx.orgId, artifactId]);
  return row?.artifact_id;
}

// A status that a report tells is nobody's expiry but its own.
const SET_STATUS = `
  update artifacts set status = $3, expiry_policy_id = null, expiry_reason = null, updated_at = clock_timestamp()
  where org_id = $1 and artifact_id = $2`;

export async function setStatus(tx: Tx, artifactId: string, status: ArtifactStatus): Promise<void> {
  await tx.query(SET_STATUS, [tx.orgId, artifactId, status]);
}

const COUNT_RESTORE = 'update artifacts set restore_count = restore_count + 1 where org_id = $1 and artifact_id = $2';

export async function countRestore(tx: Tx, artifactId: string): Promise<void> {
  await tx.query(COUNT_RESTORE, [tx.orgId, artifactId]);
}

// What lies where stays the same when it is asked for a still hotter tier.
const PROMOTE = `
  update artifacts a set promotion_from = ${HELD_ON}, storage_tier = $3, promotion_state = 'pending',
    promotion_requested_at = clock_timestamp(), promotion_deadline = clock_timestamp() + make_interval(secs => $4::double precision / 1000),
    updated_at = clock_timestamp()
  where org_id = $1 and artifact_id = $2`;

export async function promote(tx: Tx, artifactId: string, tier: Tier, deadlineMs: number | null): Promise<void> {
  await tx.query(PROMOTE, [tx.orgId, artifactId, tier, deadlineMs]);
}

const END_PROMOTION = `
  update artifacts set promotion_state = $3, storage_tier = case when $3 = 'failed' then promotion_from else storage_tier end,
    updated_at = clock_timestamp()
  where org_id = $1 and artifact_id = $2 and promotion_state = 'pending' returning artifact_id`;

/** @returns false when none is pending */
export const endPromotion = async (tx: Tx, artifactId: string, outcome: 'confirmed' | 'failed'): Promise<boolean> =>
  (await tx.query(END_PROMOTION, [tx.orgId, artifactId, outcome])).length > 0;

/** Promotions that one statement ends. */
export const PROMOTIONS_AT_ONCE = 500;
const FAIL_OVERDUE = {
  name: 'artifacts-overdue-promotions',
  text: `
    with due as (
      select org_id, artifact_id from artifacts where promotion_state = 'pending' and promotion_deadline <= clock_timestamp()
      order by promotion_deadline limit ${PROMOTIONS_AT_ONCE} for update skip locked
    )
    update artifacts a set promotion_state = 'failed', storage_tier = promotion_from, updated_at = clock_timestamp()
    from due where a.org_id = due.org_id and a.artifact_id = due.artifact_id returning a.artifact_id`,
};

/** Over all organisations. @returns how many promotions have failed because their deadline passed */
export const failOverduePromotions = async (tx: Tx): Promise<number> => (await tx.prepared(FAIL_OVERDUE, [])).length;

/** An artefact as retention sees it. */
export interface RetentionFacts {
  readonly artifactId: string;
  readonly profileId: string;
  /** The next ancestor whose bytes are kept: one between that is gone may be told as ready again. */
  readonly parentId: string | null;
  readonly tier: Tier;
  readonly golden: boolean;
  readonly ageSeconds: number;
  readonly restorable: boolean;
  /** A worker that was started from it has not ended. */
  readonly inUse: boolean;
}

const RETENTION_FACTS = `
  with recursive page as (
    select artifact_id from artifacts where org_id = $1 and status in ('ready', 'golden', 'quarantined')
  ), ${REACH}
  select ${FACTS}, extract(epoch from statement_timestamp() - a.created_at)::double precision as age_seconds,
    a.artifact_id in (select s.artifact_id from starts s where s.org_id = $1 and s.ended_at is null and s.artifact_id is not null) as in_use
  from reach join artifacts a on a.org_id = $1 and a.artifact_id = reach.artifact_id ${WITH_PROFILE_AND_NODE}
  order by a.created_at desc, a.artifact_id desc`;

/** Every artefact whose bytes are kept, the newest first. */
export async function retentionFacts(tx: Tx): Promise<RetentionFacts[]> {
  const rows = await tx.query<FactsRow & QueryResultRow & { age_seconds: number; in_use: boolean }>(RETENTION_FACTS, [
    tx.orgId,
  ]);
  const residencyOf = residencies(rows.map(factsOf));
  const firstLive = liveFrom(rows);
  return rows
    .filter(({ status }) => isLive(status))
    .map((row) => ({
      artifactId: row.artifact_id,
      profileId: row.profile_id,
      parentId: firstLive(row.parent_artifact_id),
      tier: row.held_on,
      golden: row.status === 'golden',
      ageSeconds: row.age_seconds,
      restorable: residencyOf.get(row.artifact_id)?.state === 'restorable',
      inUse: row.in_use,
    }));
}

/** What finds the first that is live, from an artefact up. */
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

const LOCK_LIVE = `
  select artifact_id from artifacts where org_id = $1 and artifact_id = any($2::text[]) and status in ('ready', 'quarantined')
  order by artifact_id for update skip locked`;

/** Locks those that nobody else is busy with. @returns their ids */
export async function lockFreeArtifacts(tx: Tx, artifactIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ artifact_id: string }>(LOCK_LIVE, [tx.orgId, artifactIds]);
  return new Set(rows.map(({ artifact_id: id }) => id));
}

/** An artefact that a policy lets expire, and why. */
export interface Expiry {
  readonly artifact_id: string;
  readonly policy_id: string | null;
  readonly reason: string;
}

const EXPIRE = {
  name: 'artifacts-expire',
  text: `
    with expired as (
      update artifacts a set status = 'expired', expiry_policy_id = told.policy_id, expiry_reason = told.reason, updated_at = clock_timestamp()
      from json_to_recordset($2::json) as told(artifact_id text, policy_id text, reason text)
      where a.org_id = $1 and a.artifact_id = told.artifact_id and a.status in ('ready', 'quarantined')
      returning a.org_id, a.artifact_id, a.profile_id
    ), ${eventsWrittenFrom(`
      select org_id, '${ARTIFACT_EVENTS.expired}' as type, artifact_id as aggregate_id, null::uuid as cluster_id,
        json_build_object('artifact_id', artifact_id, 'profile_id', profile_id) as payload from expired`)}
    select (select count(*) from expired) as expired, (select count(*) from events_notified) as told`,
};

/** @returns how many it let expire, each with its event */
export async function expireArtifacts(tx: Tx, expiries: readonly Expiry[]): Promise<number> {
  const [row] = await tx.prepared<{ expired: number }>(EXPIRE, [tx.orgId, JSON.stringify(expiries)]);
  return row?.expired ?? 0;
}
