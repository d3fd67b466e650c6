import { isJsonObject } from '../../1-platform/common/json/json';
import { isBootTied, isUsable, TIERS, type Tier } from './artifact.states';
import { machineMismatches, type Machine } from './compatibility/machine-compatibility';
import type { ArtifactCandidateView, ArtifactMismatchView, ArtifactView } from './artifacts.dto';
import type { ArtifactRow, CandidateRow } from './artifact-reads.queries';

export function artifactView(row: ArtifactRow): ArtifactView {
  const { node } = row;
  const { state, reason } = row.residency;
  return {
    artifact_id: row.artifact_id,
    profile_id: row.profile_id,
    logical_model: row.logical_model,
    exact_model: row.exact_model,
    hosting_mode: row.hosting_mode,
    compatibility_key: row.compatibility_key,
    checkpoint_mode: row.checkpoint_mode,
    storage_tier: row.storage_tier,
    uri: row.uri,
    source: row.source,
    status: row.status,
    restore_count: row.restore_count,
    metadata: metadataOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    checksum: row.checksum,
    parent_artifact_id: row.parent_artifact_id,
    logical_bytes: row.logical_bytes,
    physical_bytes: row.physical_bytes,
    reused_bytes: row.reused_bytes,
    written_bytes: row.written_bytes,
    last_restored_at: row.last_restored_at,
    observed_restores: row.observed_restores,
    observed_restore_attempts: row.observed_restore_attempts,
    bytes_removed_at: row.bytes_removed_at,
    residency: {
      state,
      reason,
      boot_tied: isBootTied(row.held_on),
      original_tier: row.original_tier,
      copy_lost: isCopyLost(row),
      artifact_boot_id: row.node_boot_id,
      node_boot_id: node === null || node.bootId === '' ? null : node.bootId,
      node_name: row.node_name,
      node_status: node?.status ?? null,
      node_last_sync: node?.lastSync ?? null,
      flags_verified: row.flags_verified,
    },
  };
}

/** Without its node, nobody could make the copy again. A promotion in progress does, or ends otherwise. */
function isCopyLost({ status, promotion_state: promotion, held_on: heldOn, node, residency }: ArtifactRow): boolean {
  const isThere = isUsable(status) && node !== null && !node.deleted;
  return isThere && promotion !== 'pending' && residency.keptOn !== heldOn;
}

/** The tier whose bytes stay longest: that of the original, where there is a copy. */
const outlivingTier = ({ held_on: tier, original_tier: original }: ArtifactRow): Tier => original ?? tier;

/** As registered, with later changes that metadata can show. */
function metadataOf({ metadata, ...row }: ArtifactRow): unknown {
  if (!isJsonObject(metadata)) return metadata;
  const promotion = row.promotion_state !== null && {
    from: row.promotion_from,
    requested_at: row.promotion_requested_at,
    deadline: row.promotion_deadline,
    state: row.promotion_state,
  };
  const expiry = row.expiry_reason !== null && { policy_id: row.expiry_policy_id, reason: row.expiry_reason };
  return { ...metadata, ...(promotion && { promotion }), ...(expiry && { expiry }) };
}

/** The required properties of a restored worker. */
export interface Wanted {
  /** It is of a profile, whose flags count; else those of each artifact's own profile. */
  readonly isOfProfile: boolean;
  readonly compatibilityKey: string;
  readonly nodeName: string | null;
  readonly machine: Machine;
}

/** Restorable artifacts first, hottest tier first; otherwise in the order of the rows. */
export function candidateViews(rows: readonly CandidateRow[], wanted: Wanted): ArtifactCandidateView[] {
  const candidates = rows.map((row) => {
    const mismatches = mismatchesOf(row, wanted);
    const fits = mismatches.every(({ severity }) => severity !== 'block');
    const residency = wanted.isOfProfile ? row.residency_beside_flags : row.residency;
    const restorable = residency?.state === 'restorable' && fits;
    const rank = TIERS.indexOf(nearestTier(row, wanted.nodeName)) + (restorable ? 0 : TIERS.length);
    return { rank, view: { artifact: artifactView(row), restorable, mismatches } };
  });
  return candidates.sort((a, b) => a.rank - b.rank).map(({ view }) => view);
}

/** The tier that a worker on the node would be restored from: a copy on another node is of no use to it. */
const nearestTier = (row: CandidateRow, nodeName: string | null): Tier =>
  nodeName !== null && row.node_name !== nodeName ? outlivingTier(row) : row.residency.tier;

function mismatchesOf(row: CandidateRow, wanted: Wanted): ArtifactMismatchView[] {
  const { compatibilityKey, nodeName, machine } = wanted;
  const [verified, flags] = wanted.isOfProfile
    ? [row.wanted_flags_verified, row.wanted_flags]
    : [row.flags_verified, row.profile_flags];
  const severity = 'block';
  const compare = (property: string, artifact: unknown, value: unknown) =>
    artifact === value ? [] : [{ property, artifact_value: artifact, wanted_value: value, severity } as const];
  const elsewhere = nodeName !== null && isBootTied(outlivingTier(row));
  return [
    ...compare('compatibility_key', row.compatibility_key, compatibilityKey),
    ...(verified === false
      ? [{ property: 'engine_flags', artifact_value: row.flags, wanted_value: flags, severity } as const]
      : []),
    ...(elsewhere ? compare('node_name', row.node_name, nodeName) : []),
    ...machineMismatches(row.metadata, machine),
  ];
}
