import { applyDecorators } from '@nestjs/common';
import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import {
  BigInteger,
  DatabaseTimestamp,
  Flag,
  Integer,
  Key,
  KeptJson,
  Text,
} from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/** One way to serve a model. Immutable: another way is another profile. */
@Entity('profiles')
@Index('profiles_scaled_idx', ['orgId', 'profileId'], { where: 'autoscale' })
export class Profile {
  @Key('profiles')
  orgId!: string;

  @Key('profiles', 'text')
  profileId!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'profiles_org_fkey' })
  organisation?: Organisation;

  @Text()
  logicalModel!: string;

  @Text()
  exactModel!: string;

  /** SHA-256 of the request body, with defaults. */
  @Text()
  profileRevision!: string;

  /**
   * SHA-256 of compatibility, exact model and hosting mode: profiles that share it can exchange checkpoints.
   */
  @Text()
  compatibilityKey!: string;

  /** Empty if the addresses of its workers are reported. */
  @Text()
  backendUrl!: string;

  @Text()
  hostingMode!: string;

  @KeptJson()
  spec!: unknown;

  @KeptJson({ nullable: true })
  engineTemplate!: unknown;

  @BigInteger()
  estimatedColdStartMs!: number;

  @Integer()
  minReplicas!: number;

  @Integer()
  maxReplicas!: number;

  @Integer()
  targetConcurrency!: number;

  @Integer()
  maxQueueDepth!: number;

  @BigInteger()
  scaleDownIdleSeconds!: number;

  /** Whether its workers can be checkpointed. */
  @Flag()
  checkpoints!: boolean;

  /** Canonical JSON of the spec's `engine_flags`; null if it has none. */
  @Text({ nullable: true })
  engineFlags!: string | null;

  /** Routes choose only enabled profiles. The only member that may change. */
  @Flag({ default: true })
  enabled!: boolean;

  /** The service requests as many replicas as its requests need. */
  @Flag({ default: false })
  autoscale!: boolean;

  @DatabaseTimestamp()
  createdAt!: Date;
}

/** The profile a row belongs to. */
export const ProfileReference = (table: string): PropertyDecorator =>
  applyDecorators(
    ManyToOne<Profile>(() => Profile, { onDelete: 'CASCADE' }),
    JoinColumn([
      { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: `${table}_profile_fkey` },
      { name: 'profile_id', referencedColumnName: 'profileId', foreignKeyConstraintName: `${table}_profile_fkey` },
    ]),
  );
