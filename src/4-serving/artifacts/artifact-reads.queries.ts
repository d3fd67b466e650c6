import type { QueryResultRow } from 'pg';
import { RESTORED } from '../activations/starts/starts.queries';
import { SILENT_AFTER } from '../../2-inventory/clusters/clusters.queries';
import { MAX_PAGE_BYTES, Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { residencies, type HoldingNode, type Residency, type ResidencyFacts } from './residency/artifact-residency';
import type { ArtifactStatus, PromotionState, Tier } from './artifact.states';
import { HELD_ON, MAX_CHAIN } from './artifacts.queries';

/** An artifact with its computed members. */
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
  original_tier: Tier | null;
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
  bytes_removed_at: Date | null;
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

/** Maximal characters of the flags in a reason. */
const SHOWN_FLAGS = 160;

const PAGE_COLUMNS = `a.compatibility_key, a.checkpoint_mode, a.source, a.checksum, a.logical_bytes,
  a.physical_bytes, a.reused_bytes, a.written_bytes, a.restore_count, a.promotion_from,
  a.promotion_requested_at, a.promotion_deadline, a.promotion_state, a.expiry_policy_id, a.expiry_reason,
  a.bytes_removed_at, a.created_at, a.updated_at, a.storage_tier`;

/**
 * The columns that decide the residency of an artifact: of its row `a`, its profile `p` and the node `n` that
 * holds it.
 */
export const FACTS = `a.artifact_id, a.profile_id, a.parent_artifact_id, a.status, a.uri,
  ${HELD_ON} as held_on, nullif(a.original_tier, ${HELD_ON}) as original_tier,
  coalesce(a.node_name, n.name) as node_name, a.node_boot_id,
  n.status as node_status, n.boot_id as node_boot, n.synced_at as node_last_sync, n.deleted as node_deleted,
  n.synced_at <= clock_timestamp() - ${SILENT_AFTER} as node_silent,
  case
    when not exists (select from clusters c where c.org_id = $org_id and c.id = a.cluster_id)
    then a.cluster_id
  end as gone_cluster,
  left(a.engine_flags, ${SHOWN_FLAGS}) as flags, left(p.engine_flags, ${SHOWN_FLAGS}) as profile_flags,
  a.engine_flags = p.engine_flags as flags_verified,
  case
    when a.restore_failed_at > clock_timestamp() - interval '1 hour' then a.restore_failed_at
  end as restore_failed_at, a.restore_failure`;

export const WITH_PROFILE_AND_NODE = `
  join profiles p on p.org_id = $org_id and p.profile_id = a.profile_id
  left join lateral (
    select * from nodes n
    where n.org_id = $org_id and (a.cluster_id is null or n.cluster_id = a.cluster_id)
      and n.name = coalesce(a.node_name, (
        select u.name from nodes u
        where u.org_id = $org_id and u.cluster_id = a.cluster_id and u.uid = a.node_uid::text limit 1
      ))
    order by n.deleted, n.synced_at desc limit 1
  ) n on a.node_name is not null or a.node_uid is not null`;

/**
 * The row of an artifact that another relation names. One by one: the planner expects thousands of rows for a
 * page, and would read the whole table while it is small.
 */
export const artifactOf = (relation: string): string => `(
    select * from artifacts one
    where one.org_id = $org_id and one.artifact_id = ${relation}.artifact_id limit 1
  )`;

/** The artifacts of `page` and all of their ancestors, once each, as a part of a recursive `with`. */
export const REACH = `
  reach as (
    select artifact_id from page
    union
    select a.parent_artifact_id from reach cross join lateral ${artifactOf('reach')} a
    where a.parent_artifact_id is not null
  )`;

/**
 * Artifacts with their residency and with the starts from them, in one statement for any number. Their
 * ancestors are read too, because an artifact that holds a difference needs them.
 *
 * @param found a query of `artifact_id` and `place` (the position in the answer) in the organisation
 * `$org_id`; it may use further parts of the `with` that are in `before`
 * @param columns more of them, which begin with a comma
 */
const described = (found: string, before = '', columns = ''): string => `
  with recursive ${before} found as materialized (${found}), sized as (
    select f.artifact_id, f.place,
      sum(octet_length(a.metadata::text)) over (order by f.place) - octet_length(a.metadata::text) as before
    from found f cross join lateral ${artifactOf('f')} a
  ), page as materialized (
    select artifact_id, place from sized where before < ${MAX_PAGE_BYTES}
  ), ${REACH}
  select (select count(*) from found) as found, page.place, ${FACTS},
    ${PAGE_COLUMNS}, case when page.place is not null then a.metadata end as metadata,
    p.logical_model, p.exact_model, p.hosting_mode, p.compatibility_key as profile_compatibility_key,
    s.restores as observed_restores, s.attempts as observed_restore_attempts, s.last_ready as last_restored_at
    ${columns}
  from reach cross join lateral ${artifactOf('reach')} a ${WITH_PROFILE_AND_NODE}
  left join page on page.artifact_id = a.artifact_id
  left join lateral (
    -- With those that retention has removed.
    select coalesce(sum(attempts), 0)::bigint as attempts, coalesce(sum(restores), 0)::bigint as restores,
      max(last_ready) as last_ready
    from (
      select count(*) as attempts, count(s.ready_at) filter (where ${RESTORED}) as restores,
        max(s.ready_at) filter (where ${RESTORED}) as last_ready
      from starts s where s.org_id = $org_id and s.artifact_id = a.artifact_id
      union all
      select p.attempts, p.restores, p.last_restored_at from past_starts p
      where p.org_id = $org_id and p.artifact_id = a.artifact_id
    ) counted
  ) s on page.place is not null
  order by page.place`;

export interface FactsRow {
  artifact_id: string;
  profile_id: string;
  parent_artifact_id: string | null;
  status: ArtifactStatus;
  uri: string;
  held_on: Tier;
  original_tier: Tier | null;
  node_name: string | null;
  node_boot_id: string | null;
  flags: string | null;
  flags_verified: boolean | null;
  node_status: string | null;
  node_boot: string | null;
  node_last_sync: Date | null;
  node_deleted: boolean | null;
  node_silent: boolean | null;
  gone_cluster: string | null;
  profile_flags: string | null;
  /** Null if it did not fail, or longer ago than counts. */
  restore_failed_at: Date | null;
  restore_failure: string | null;
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

export const factsOf = (row: FactsRow): ResidencyFacts => ({
  artifactId: row.artifact_id,
  parentId: row.parent_artifact_id,
  status: row.status,
  uri: row.uri,
  tier: row.held_on,
  originalTier: row.original_tier,
  nodeName: row.node_name,
  bootId: row.node_boot_id,
  node: nodeOf(row),
  goneCluster: row.gone_cluster,
  flags: row.flags,
  profileFlags: row.profile_flags,
  flagsVerified: row.flags_verified,
  restoreFailure: row.restore_failed_at && { at: row.restore_failed_at, reason: row.restore_failure ?? '' },
});

async function read(tx: Tx, text: string, values: Values): Promise<{ rows: ArtifactRow[]; found: number }> {
  const all = await tx.query<DescribedRow & QueryResultRow>(text, { org_id: tx.orgId, ...values });
  return { rows: withResidency(all), found: all[0]?.found ?? 0 };
}

function withResidency<Row extends DescribedRow>(all: readonly Row[]) {
  const residencyOf = residencies(all.map(factsOf));
  return all.flatMap((row) => {
    const residency = residencyOf.get(row.artifact_id);
    return row.place === null || !residency ? [] : [{ ...row, node: nodeOf(row), residency }];
  });
}

export interface ArtifactFilter {
  readonly artifactId?: string;
  readonly profileId?: string;
  readonly uri?: string;
  readonly status?: string;
  readonly mode?: string;
  readonly clusterId?: string;
}

// Every artifact has such a time. The index of their order serves only statements that compare it.
const LIST = described(`
  select artifact_id, row_number() over (order by created_at desc, artifact_id desc) as place from (
    select artifact_id, created_at from artifacts
    where org_id = $org_id and created_at >= '-infinity'
      and ($artifact_id::text is null or artifact_id = $artifact_id)
      and ($profile_id::text is null or profile_id = $profile_id)
      and ($uri::text is null or uri = $uri)
      and ($status::text is null or status = $status)
      and ($checkpoint_mode::text is null or checkpoint_mode = $checkpoint_mode)
      and ($cluster_id::uuid is null or cluster_id = $cluster_id)
    order by created_at desc, artifact_id desc limit $limit offset $offset
  ) newest`);

// A statement of its own, for its index: controllers ask again and again, mostly for nothing.
const LIST_AWAITING_REMOVAL = described(`
  select artifact_id, row_number() over (order by created_at desc, artifact_id desc) as place from (
    select artifact_id, created_at from artifacts
    where org_id = $org_id and status in ('deleted', 'expired') and bytes_removed_at is null
      and ($cluster_id::uuid is null or cluster_id = $cluster_id)
      and ($artifact_id::text is null or artifact_id = $artifact_id)
      and ($profile_id::text is null or profile_id = $profile_id)
      and ($uri::text is null or uri = $uri)
      and ($status::text is null or status = $status)
      and ($checkpoint_mode::text is null or checkpoint_mode = $checkpoint_mode)
    order by created_at desc, artifact_id desc limit $limit offset $offset
  ) newest`);

/**
 * Newest first. @param awaitingRemoval only those that are deleted or expired, and whose bytes nobody has
 * confirmed to be gone
 */
export async function listArtifacts(
  tx: Tx,
  { artifactId, profileId, uri, status, mode, clusterId }: ArtifactFilter,
  slice: Slice,
  awaitingRemoval: boolean,
): Promise<Page<ArtifactRow>> {
  const values = {
    artifact_id: artifactId ?? null,
    profile_id: profileId ?? null,
    uri: uri ?? null,
    status: status ?? null,
    checkpoint_mode: mode ?? null,
    cluster_id: clusterId ?? null,
    ...rowsOf(slice),
  };
  return Page.within(await read(tx, awaitingRemoval ? LIST_AWAITING_REMOVAL : LIST, values), slice);
}

const GET = described(
  `
    select artifact_id, 1::bigint as place from artifacts
    where org_id = $org_id and artifact_id = $artifact_id`,
);

export async function getArtifact(tx: Tx, artifactId: string): Promise<ArtifactRow | undefined> {
  return (await read(tx, GET, { artifact_id: artifactId })).rows[0];
}

// A cycle cannot be registered; if there were one, the walk would end where it closes.
const ANCESTRY = described(
  `
    select artifact_id, row_number() over (order by depth desc) as place from chain
    where not circle limit ${MAX_CHAIN + 1}`,
  `chain as (
    select artifact_id, parent_artifact_id, 1 as depth from artifacts
    where org_id = $org_id and artifact_id = $artifact_id
    union all
    select a.artifact_id, a.parent_artifact_id, chain.depth + 1 from chain
      join artifacts a on a.org_id = $org_id and a.artifact_id = chain.parent_artifact_id
  ) cycle artifact_id set circle using path,`,
);

/**
 * An artifact after its ancestors, oldest first; empty if it does not exist.
 * @returns undefined if they are too many, or too large, for one answer
 */
export async function artifactAncestry(tx: Tx, artifactId: string): Promise<ArtifactRow[] | undefined> {
  const { rows, found } = await read(tx, ANCESTRY, { artifact_id: artifactId });
  return found > MAX_CHAIN || found > rows.length ? undefined : rows;
}

/**
 * Maximal artifacts per tier that a look-up considers: the newest ones of the profile, and as many of others
 * with its compatibility key. So many artifacts on lost nodes hide neither those of another tier, nor its
 * own, nor those of others.
 */
const MAX_CANDIDATES = 100;

const CANDIDATES = described(
  `
    select artifact_id, row_number() over (order by created_at desc, artifact_id desc) as place from (
      select artifact_id, created_at,
        row_number() over (
          partition by ${HELD_ON}, profile_id is distinct from $profile_id
          order by status = 'quarantined', created_at desc, artifact_id desc
        ) as newer
      from artifacts a
      where org_id = $org_id and status in ('ready', 'golden', 'quarantined')
        and (profile_id = $profile_id or compatibility_key = $compatibility_key)
    ) newest where newer <= ${MAX_CANDIDATES}`,
  '',
  `, left($engine_flags::text, ${SHOWN_FLAGS}) as wanted_flags,
    a.engine_flags = $engine_flags as wanted_flags_verified`,
);

/** The flags of its own profile decide the residency of an artifact; a look-up may be for another profile. */
export interface CandidateRow extends ArtifactRow {
  /** Those of the profile that is asked for, shortened. */
  wanted_flags: string | null;
  wanted_flags_verified: boolean | null;
  /** Without regard to flags. */
  residency_beside_flags: Residency | undefined;
}

/** The artifacts that a worker might be restored from, newest first. */
export async function candidateArtifacts(
  tx: Tx,
  profile: { readonly profile_id: string; readonly engine_flags: string | null } | undefined,
  compatibilityKey: string,
): Promise<CandidateRow[]> {
  const all = await tx.query<DescribedRow & Omit<CandidateRow, 'residency_beside_flags'> & QueryResultRow>(CANDIDATES, {
    org_id: tx.orgId,
    profile_id: profile?.profile_id ?? null,
    engine_flags: profile?.engine_flags ?? null,
    compatibility_key: compatibilityKey,
  });
  const besideFlags = residencies(all.map((row) => ({ ...factsOf(row), flagsVerified: null })));
  return withResidency(all).map((row) => ({ ...row, residency_beside_flags: besideFlags.get(row.artifact_id) }));
}
