import { Check, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import {
  BigInteger,
  DatabaseTimestamp,
  Key,
  KeptJson,
  Text,
  Timestamp,
  UuidColumn,
} from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';
import type { ArtifactStatus, Mark, PromotionState, Tier } from './artifact.states';

/** A checkpoint of a worker that others can be restored from. */
@Entity('artifacts')
@Index('artifacts_timed_idx', ['orgId', 'createdAt', 'artifactId'], { where: 'created_at is not null' })
@Index('artifacts_of_profile_idx', ['orgId', 'profileId', 'createdAt', 'artifactId'], {
  where: 'profile_id is not null',
})
@Index('artifacts_of_status_idx', ['orgId', 'status', 'createdAt', 'artifactId'], { where: 'status is not null' })
@Index('artifacts_of_mode_idx', ['orgId', 'checkpointMode', 'createdAt', 'artifactId'], {
  where: 'checkpoint_mode is not null',
})
@Index('artifacts_compatible_idx', ['orgId', 'compatibilityKey'], { where: 'compatibility_key is not null' })
@Index('artifacts_by_parent_idx', ['orgId', 'parentArtifactId'], { where: 'parent_artifact_id is not null' })
// A location may be longer than an entry of a B-tree, and any number of artifacts may have none.
@Index('artifacts_by_uri_idx', ['uri'], { type: 'hash', where: "uri <> ''" })
@Index('artifacts_promotion_due_idx', ['promotionDeadline'], { where: "promotion_state = 'pending'" })
@Index('artifacts_awaiting_removal_idx', ['orgId', 'clusterId', 'createdAt', 'artifactId'], {
  where: "status in ('deleted', 'expired') and bytes_removed_at is null",
})
@Check('artifacts_removed_check', "bytes_removed_at is null or status in ('deleted', 'expired')")
@Check('artifacts_status_check', "status in ('ready', 'golden', 'quarantined', 'expired', 'deleted')")
@Check('artifacts_tier_check', "storage_tier in ('memory', 'local', 'shared', 'object')")
@Check('artifacts_expired_from_check', "expired_from in ('golden', 'quarantined')")
@Check('artifacts_original_check', "original_tier in ('shared', 'object')")
@Check(
  'artifacts_promotion_check',
  `promotion_state in ('pending', 'confirmed', 'failed') and (promotion_state is null) = (promotion_from is null)
    and (promotion_state is null) = (promotion_requested_at is null)`,
)
export class Artifact {
  @Key('artifacts')
  orgId!: string;

  @Key('artifacts', 'text')
  artifactId!: string;

  @Text()
  profileId!: string;

  @ProfileReference('artifacts')
  profile?: Profile;

  @Text()
  compatibilityKey!: string;

  @Text()
  checkpointMode!: string;

  /** Its tier, or the target tier of its promotion. */
  @Text()
  storageTier!: Tier;

  @Text()
  uri!: string;

  @Text()
  source!: string;

  @Text()
  status!: ArtifactStatus;

  /** The operator's mark at the time when its bytes expired. */
  @Text({ nullable: true })
  expiredFrom!: Mark | null;

  @Text({ nullable: true })
  checksum!: string | null;

  @Text({ nullable: true })
  parentArtifactId!: string | null;

  @ManyToOne(() => Artifact)
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'artifacts_parent_fkey' },
    {
      name: 'parent_artifact_id',
      referencedColumnName: 'artifactId',
      foreignKeyConstraintName: 'artifacts_parent_fkey',
    },
  ])
  parent?: Artifact;

  @BigInteger({ nullable: true })
  logicalBytes!: number | null;

  @BigInteger({ nullable: true })
  physicalBytes!: number | null;

  @BigInteger({ nullable: true })
  reusedBytes!: number | null;

  @BigInteger({ nullable: true })
  writtenBytes!: number | null;

  @KeptJson()
  metadata!: unknown;

  /** Kept for old clients; nothing reads it. */
  @BigInteger({ default: 0 })
  restoreCount!: number;

  /** Canonical JSON of the metadata's `engine_flags`; null if it has none. */
  @Text({ nullable: true })
  engineFlags!: string | null;

  /**
   * The cluster that holds it, and the node there, from the registration or the end of the checkpoint,
   * whichever is later.
   */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  @Text({ nullable: true })
  nodeName!: string | null;

  /** Set if an event named the node before its cluster reported it: its name follows with that report. */
  @UuidColumn({ nullable: true })
  nodeUid!: string | null;

  @Text({ nullable: true })
  nodeBootId!: string | null;

  /** The tier that holds the bytes while a promotion is pending. */
  @Text({ nullable: true })
  promotionFrom!: Tier | null;

  @Timestamp({ nullable: true })
  promotionRequestedAt!: Date | null;

  @Timestamp({ nullable: true })
  promotionDeadline!: Date | null;

  @Text({ nullable: true })
  promotionState!: PromotionState | null;

  /**
   * The tier that still holds what a confirmed promotion copied from; null if there is no copy, or nobody
   * reported that it is one.
   */
  @Text({ nullable: true })
  originalTier!: Tier | null;

  /** When the last restore of it failed, and why; null if a later one succeeded. */
  @Timestamp({ nullable: true })
  restoreFailedAt!: Date | null;

  @Text({ nullable: true })
  restoreFailure!: string | null;

  /** Why retention expired it. */
  @Text({ nullable: true })
  expiryPolicyId!: string | null;

  @Text({ nullable: true })
  expiryReason!: string | null;

  /** When its controller confirmed that its bytes are gone. */
  @Timestamp({ nullable: true })
  bytesRemovedAt!: Date | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
