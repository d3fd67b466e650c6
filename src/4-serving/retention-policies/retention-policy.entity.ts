import { Check, Entity } from 'typeorm';
import { DatabaseTimestamp, Flag, Integer, Key, Text } from '../../1-platform/database/rows/columns';
import type { Tier } from '../artifacts/artifact.states';
import { Profile, ProfileReference } from '../profiles/profile.entity';

/** How long artifacts are kept, and how many per profile. */
@Entity('retention_policies')
@Check('retention_policies_tier_check', "min_tier in ('memory', 'local', 'shared', 'object')")
@Check('retention_policies_limits_check', 'max_age_days >= 0 and max_count >= 0')
export class RetentionPolicy {
  @Key('retention_policies')
  orgId!: string;

  @Key('retention_policies', 'text')
  policyId!: string;

  @Text()
  name!: string;

  @Flag()
  enabled!: boolean;

  @Integer({ nullable: true })
  maxAgeDays!: number | null;

  /** For each profile that it covers. */
  @Integer({ nullable: true })
  maxCount!: number | null;

  /** Covers artifacts on this tier or a colder one; null: every tier. */
  @Text({ nullable: true })
  minTier!: Tier | null;

  /** Null: every profile. */
  @Text({ nullable: true })
  profileId!: string | null;

  @ProfileReference('retention_policies')
  profile?: Profile;

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
