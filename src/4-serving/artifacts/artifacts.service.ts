import { Injectable, type OnModuleInit } from '@nestjs/common';
import { clusterRunning } from '../activations/activations.queries';
import { insertAuditEntry } from '../../1-platform/audit/audit-entry.queries';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { isUuid } from '../../1-platform/common/ids';
import { invariant } from '../../1-platform/common/invariant';
import { isJsonObject } from '../../1-platform/common/json/json';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../1-platform/outbox/outbox';
import { engineFlags } from '../profiles/profile-facts';
import { ProfilesService } from '../profiles/profiles.service';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { isHotter, isLive, isUsable, maySet, powersOf, statusAfter, TIERS, type Tier } from './artifact.states';
import {
  DEFAULT_ARTIFACTS,
  type ListArtifactsQuery,
  type LookupArtifactsBody,
  type PromoteArtifactBody,
  type RegisterArtifactBody,
  type UpdateArtifactBody,
} from './artifacts.dto';
import {
  ancestryTooLarge,
  artifactDeleted,
  artifactExists,
  artifactExpired,
  artifactGolden,
  artifactHasChildren,
  artifactNotFound,
  artifactNotGone,
  artifactNotUsable,
  noPromotion,
  notYoursToSet,
} from './artifacts.errors';
import { ARTIFACT_EVENTS } from './artifacts.events';
import { ReportedPlacements } from './artifacts.ports';
import {
  artifactAncestry,
  candidateArtifacts,
  getArtifact,
  listArtifacts,
  type ArtifactRow,
  type CandidateRow,
} from './artifact-reads.queries';
import {
  artifactsAt,
  chainLength,
  confirmRemoval,
  countRestore,
  endPromotion,
  forgetFailedRestore,
  noteFailedRestore,
  failOverduePromotions,
  holdArtifact,
  holdArtifacts,
  insertArtifact,
  liveChild,
  lockArtifact,
  MAX_CHAIN,
  placeArtifact,
  promote,
  PROMOTIONS_AT_ONCE,
  setStatus,
  takeArtifactTurn,
  type LockedArtifact,
  type NewArtifact,
  type Placement,
  type NamedPath,
} from './artifacts.queries';
import { keptArtifacts, type KeptArtifact } from './residency/kept-artifacts.queries';
import type { Wanted } from './artifacts.views';

/** Pause between two sweeps of promotions: one fails within 15 seconds after its deadline. */
const EVERY_SECONDS = 10;

const NOWHERE: Placement = { clusterId: null, nodeName: null, nodeUid: null, bootId: null };

/** Artifacts that workers can be restored from. */
@Injectable()
export class ArtifactsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
    private readonly placements: ReportedPlacements,
    private readonly sweeps: Sweeps,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'promotions', everySeconds: EVERY_SECONDS, run: () => this.failOverdue() });
  }

  /** The same again finds the artifact; another one under its id is a conflict. */
  register(context: OrgContext, body: RegisterArtifactBody): Promise<{ artifact: ArtifactRow; created: boolean }> {
    const wanted = newArtifact(body);
    return this.audit.change(context, async (tx, record) => {
      await this.profiles.check(tx, wanted.profileId);
      const before = await getArtifact(tx, wanted.artifactId);
      const created = before === undefined && (await this.insert(tx, wanted));
      const artifact = before ?? (await this.known(tx, wanted.artifactId));
      if (!created) refuseOther(artifact, wanted);
      await record({ resourceType: 'artifact', resourceId: wanted.artifactId, details: { created } });
      return { artifact, created };
    });
  }

  list(context: OrgContext, query: ListArtifactsQuery): Promise<Page<ArtifactRow>> {
    const slice = sliceOf(query, DEFAULT_ARTIFACTS);
    const { artifact_id: artifactId, profile_id: profileId, uri, status, mode, cluster_id: clusterId } = query;
    const filter = { artifactId, profileId, uri, status, mode, clusterId };
    return this.unitOfWork.read(context, (tx) => listArtifacts(tx, filter, slice, query.awaiting_removal ?? false));
  }

  get(context: OrgContext, artifactId: string): Promise<ArtifactRow> {
    return this.unitOfWork.read(context, (tx) => this.known(tx, artifactId));
  }

  ancestry(context: OrgContext, artifactId: string): Promise<ArtifactRow[]> {
    return this.unitOfWork.read(context, async (tx) => {
      const chain = await artifactAncestry(tx, artifactId);
      if (!chain) throw ancestryTooLarge();
      if (chain.length === 0) throw artifactNotFound();
      return chain;
    });
  }

  /** Marks it as deleted; its controller removes the bytes. A deleted artifact stays deleted. */
  delete(context: OrgContext, artifactId: string, force: boolean): Promise<ArtifactRow> {
    return this.audit.change(context, async (tx, record) => {
      const { status, profile_id: profileId } = await this.lock(tx, artifactId);
      if (status !== 'deleted') {
        if (status === 'golden' && !force) throw artifactGolden();
        const child = force ? undefined : await liveChild(tx, artifactId);
        if (child !== undefined) throw artifactHasChildren(child);
        await setStatus(tx, artifactId, 'deleted');
        await this.announce(tx, ARTIFACT_EVENTS.deleted, artifactId, profileId);
      }
      await record({ resourceType: 'artifact', resourceId: artifactId, details: { from: status, force } });
      return this.known(tx, artifactId);
    });
  }

  /** The bytes of a deleted or expired artifact are gone. A repetition is not recorded. */
  async confirmRemoval(context: OrgContext, artifactId: string): Promise<void> {
    await this.unitOfWork.run(context, async (tx) => {
      const removedAt = await confirmRemoval(tx, artifactId);
      if (removedAt === undefined) {
        const { status, bytes_removed_at: before } = await this.known(tx, artifactId);
        if (before === null) throw artifactNotGone(status);
        return;
      }
      const details = { bytes_removed_at: removedAt };
      const change = { resourceType: 'artifact', resourceId: artifactId, details };
      await insertAuditEntry(tx, this.audit.entryValues(context, change));
    });
  }

  /** Operators mark it as golden or quarantined and take that back; controllers report on its bytes. */
  update(context: OrgContext, artifactId: string, body: UpdateArtifactBody): Promise<ArtifactRow> {
    const { status: reported, promotion } = body;
    const powers = powersOf(context.role);
    if (reported && !maySet(powers, reported))
      throw notYoursToSet(`status ${reported}`, powers.marks ? 'controllers' : 'operators');
    if (promotion && !powers.bytes) throw notYoursToSet('promotion', 'controllers');
    const { tier = null, node_name: nodeName = null, node_boot_id: bootId = null } = body;
    const place = nodeName === null ? bootId && 'node_boot_id' : 'node_name';
    if (place && promotion !== 'confirmed') throw invalidField(place, 'is accepted only with promotion: confirmed');
    if (tier !== null && !promotion) throw invalidField('tier', 'is accepted only with promotion');
    return this.audit.change(context, async (tx, record) => {
      const { status, profile_id: profileId, expired_from: expiredFrom } = await this.lock(tx, artifactId);
      if (status === 'deleted') throw artifactDeleted();
      const next = reported ? statusAfter(powers, status, reported, expiredFrom) : status;
      if (next === undefined) throw artifactExpired();
      if (promotion && !(await endPromotion(tx, artifactId, { outcome: promotion, tier, nodeName, bootId })))
        throw noPromotion(tier);
      if (powers.marks && reported === 'ready') await forgetFailedRestore(tx, artifactId, null);
      if (body.restore_count_increment === true) await countRestore(tx, artifactId);
      if (next !== status) {
        await setStatus(tx, artifactId, next);
        if (next === 'expired') await this.announce(tx, ARTIFACT_EVENTS.expired, artifactId, profileId);
      }
      const details = { from: status, status: next, promotion };
      await record({ resourceType: 'artifact', resourceId: artifactId, details });
      return this.known(tx, artifactId);
    });
  }

  promote(context: OrgContext, artifactId: string, { tier, deadline_ms }: PromoteArtifactBody): Promise<ArtifactRow> {
    return this.audit.change(context, async (tx, record) => {
      const { status, profile_id: profileId } = await this.lock(tx, artifactId);
      if (!isUsable(status)) throw artifactNotUsable(status);
      const { storage_tier: latest, held_on: heldOn, residency } = await this.known(tx, artifactId);
      const { keptOn } = residency;
      // A copy that is lost can be made again.
      const from = keptOn === heldOn ? latest : keptOn;
      if (!isHotter(tier, from)) throw invalidField('tier', `must be hotter than ${from}: ${hotterThan(from)}`);
      await promote(tx, artifactId, { from: keptOn, tier, deadlineMs: deadline_ms ?? null });
      await this.announce(tx, ARTIFACT_EVENTS.promoteRequested, artifactId, profileId);
      await record({ resourceType: 'artifact', resourceId: artifactId, details: { from, tier } });
      return this.known(tx, artifactId);
    });
  }

  /**
   * What a worker of a profile, or of a compatibility key, can be restored from: restorable artifacts first,
   * then hottest first.
   */
  lookup(context: OrgContext, body: LookupArtifactsBody): Promise<{ artifacts: CandidateRow[]; wanted: Wanted }> {
    const { profile_id: profileId, compatibility_key: key, node_name: nodeName = null, machine = {} } = body;
    return this.unitOfWork.read(context, async (tx) => {
      if (profileId === undefined && key === undefined)
        throw invalidField('profile_id', 'is required where there is no compatibility_key');
      const profile = profileId === undefined ? undefined : await this.profiles.known(tx, profileId);
      const compatibilityKey = key ?? profile?.compatibility_key ?? '';
      const artifacts = await candidateArtifacts(tx, profile, compatibilityKey);
      return { artifacts, wanted: { isOfProfile: profile !== undefined, compatibilityKey, nodeName, machine } };
    });
  }

  /**
   * Whether a worker of the profile could be restored from one of its own artifacts, where its workers run:
   * no other cluster reaches the disks of a node.
   */
  async hasRestorable(tx: Tx, profileId: string): Promise<boolean> {
    const kept = await keptArtifacts(tx, profileId);
    const runsIn = await clusterRunning(tx, profileId);
    const isNear = ({ clusterId }: KeptArtifact) => clusterId === null || runsIn === null || clusterId === runsIn;
    return kept.some((artifact) => artifact.profileId === profileId && artifact.restorable && isNear(artifact));
  }

  /**
   * The artifacts of profiles at the given paths, held as `hold` does; null if there is none.
   * @param changed another one that the caller is about to change, as it may be one of these
   */
  async atPaths(tx: Tx, paths: readonly NamedPath[], changed: string | null = null): Promise<(string | null)[]> {
    const found = await artifactsAt(tx, paths);
    await this.hold(tx, [...found, changed], changed !== null);
    return found;
  }

  /**
   * Keeps artifacts from deletion and expiry until the transaction ends: retention waits, and finds them in
   * use.
   */
  async hold(tx: Tx, artifactIds: readonly (string | null)[], change = false): Promise<void> {
    const ids = artifactIds.filter((id) => id !== null);
    await holdArtifacts(tx, ids, change);
  }

  /** Notes which node holds an artifact. One that is not registered yet gets it from `ReportedPlacements`. */
  async place(tx: Tx, artifactId: string, profileId: string, placement: Placement): Promise<void> {
    await takeArtifactTurn(tx, artifactId);
    await placeArtifact(tx, artifactId, profileId, placement);
  }

  /**
   * Notes how a restore of an artifact ended. After a failure it is not restorable for an hour, or until
   * another restore succeeds.
   * @param failure one sentence; null if it succeeded
   */
  async restored(tx: Tx, artifactId: string, at: Date, failure: string | null): Promise<void> {
    if (failure === null) await forgetFailedRestore(tx, artifactId, at);
    else await noteFailedRestore(tx, artifactId, at, failure);
  }

  private async insert(tx: Tx, wanted: NewArtifact): Promise<boolean> {
    if (wanted.parentArtifactId !== null) await this.checkParent(tx, wanted.parentArtifactId, wanted.compatibilityKey);
    await takeArtifactTurn(tx, wanted.artifactId);
    const { artifactId, profileId, metadata } = wanted;
    const placement = placementIn(metadata) ?? (await this.placements.placementOf(tx, artifactId, profileId));
    return insertArtifact(tx, wanted, placement ?? { ...NOWHERE, clusterId: clusterIn(metadata) });
  }

  /** Keeps the parent unchanged until the child is registered. */
  private async checkParent(tx: Tx, parentId: string, compatibilityKey: string): Promise<void> {
    const parent = await holdArtifact(tx, parentId);
    if (!parent) throw invalidField('parent_artifact_id', 'names no artifact');
    if (parent.compatibility_key !== compatibilityKey)
      throw invalidField('parent_artifact_id', 'names an artifact of another compatibility key');
    if (!isLive(parent.status)) throw invalidField('parent_artifact_id', `names an artifact that is ${parent.status}`);
    if ((await chainLength(tx, parentId)) >= MAX_CHAIN)
      throw invalidField('parent_artifact_id', `names the end of a chain of ${MAX_CHAIN} artifacts, which is full`);
  }

  private async known(tx: Tx, artifactId: string): Promise<ArtifactRow> {
    const artifact = await getArtifact(tx, artifactId);
    if (!artifact) throw artifactNotFound();
    return artifact;
  }

  private async lock(tx: Tx, artifactId: string): Promise<LockedArtifact> {
    const artifact = await lockArtifact(tx, artifactId);
    if (!artifact) throw artifactNotFound();
    return artifact;
  }

  private announce(tx: Tx, type: `artifact.${string}`, artifactId: string, profileId: string): Promise<void> {
    const payload = { artifact_id: artifactId, profile_id: profileId };
    return appendEvent(tx, { type, aggregateId: artifactId, clusterId: null, payload });
  }

  private async failOverdue(): Promise<number | void> {
    const failed = await this.unitOfWork.system(
      'promotions of every organisation have deadlines',
      failOverduePromotions,
    );
    return failed === PROMOTIONS_AT_ONCE ? 0 : undefined;
  }
}

const newArtifact = (body: RegisterArtifactBody): NewArtifact => ({
  artifactId: body.artifact_id,
  profileId: body.profile_id,
  compatibilityKey: body.compatibility_key,
  checkpointMode: body.checkpoint_mode,
  storageTier: body.storage_tier ?? 'object',
  uri: body.uri,
  source: body.source ?? 'controller',
  checksum: body.checksum ?? null,
  parentArtifactId: body.parent_artifact_id ?? null,
  logicalBytes: body.logical_bytes ?? null,
  physicalBytes: body.physical_bytes ?? null,
  reusedBytes: body.reused_bytes ?? null,
  writtenBytes: body.written_bytes ?? null,
  metadata: body.metadata ?? {},
  engineFlags: engineFlags(body.metadata),
});

/** The cluster named by a registration. */
function clusterIn(metadata: unknown): string | null {
  const clusterId = isJsonObject(metadata) ? metadata.cluster_id : undefined;
  return isUuid(clusterId) ? clusterId : null;
}

/** The node named by a registration. */
function placementIn(metadata: unknown): Placement | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const { node_name: nodeName, node_boot_id: bootId } = metadata;
  if (typeof nodeName !== 'string' && typeof bootId !== 'string') return undefined;
  return {
    clusterId: clusterIn(metadata),
    nodeName: typeof nodeName === 'string' ? nodeName : null,
    nodeUid: null,
    bootId: typeof bootId === 'string' ? bootId : null,
  };
}

/** The members that identify an artifact. */
function refuseOther(stored: ArtifactRow, wanted: NewArtifact): void {
  const differs = [
    stored.profile_id !== wanted.profileId && 'profile_id',
    stored.uri !== wanted.uri && 'uri',
    stored.compatibility_key !== wanted.compatibilityKey && 'compatibility_key',
    stored.checkpoint_mode !== wanted.checkpointMode && 'checkpoint_mode',
  ].filter((member) => member !== false);
  if (differs.length > 0) throw artifactExists(differs);
}

function hotterThan(tier: Tier): string {
  const hotter = TIERS.slice(0, TIERS.indexOf(tier));
  invariant(tier === 'memory' || hotter.length > 0, 'every tier but the hottest has a hotter one');
  return hotter.length === 0 ? 'there is none' : hotter.join(' or ');
}
